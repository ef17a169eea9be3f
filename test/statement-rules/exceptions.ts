/**
 * Statements that may break a rule, each with the reason. A statement is known by the file that
 * sends it and by its first words; a folder stands for all of its files. An entry that no statement
 * needs any more fails the whole run, so that the list only shrinks.
 */
interface Exception {
  reason: string
  statements: [file: string, begins: string][]
}

export const EXCEPTIONS: readonly Exception[] = [
  {
    reason: 'Of two servers that start on a new database, one creates the first business.',
    statements: [['src/business/account/bootstrap.ts', 'lock table businesses']],
  },
]
