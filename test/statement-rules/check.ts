import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Breach, breachesOf, isStatement } from './analyse.ts'
import { EXCEPTIONS } from './exceptions.ts'
import type { Recorded } from './recorder.ts'
import { SCHEMA, type Schema, tablesWithoutBusiness } from './tables.ts'

/** These also build parts of statements on their own, which PostgreSQL could not read. */
const BUILD_PARTS = ['src/db/paginate.ts', 'src/payments/attempts/insert.ts']

interface Finding {
  file: string
  text: string
  breaches: Breach[]
}

/**
 * Checks the statements that a test run recorded in `folder`. Returns one text for each statement
 * that breaks a rule without being an exception. `isWhole` also finds exceptions that no statement
 * needs; it must be false if only some tests ran.
 */
export function problemsIn(folder: string, isWhole: boolean): string[] {
  const { schema, statements } = recordedIn(folder)
  const used = new Set<string>()
  const problems = tablesWithoutBusiness(schema).map(
    (table) => `${table} has no business_id, and is not in test/statement-rules/tables.ts`,
  )
  for (const { file, text, breaches } of findings(statements, schema)) {
    const key = exceptionFor(file, text)
    if (key) used.add(key)
    else problems.push(`${file}\n${breaches.map(line).join('')}  ${text}`)
  }
  if (isWhole) {
    for (const key of keys()) {
      if (!used.has(key)) problems.push(`no longer an exception, so remove it: ${key}`)
    }
  }
  return problems.sort()
}

const line = ({ rule, says }: Breach): string => `  breaks "${rule}": ${says}\n`

function recordedIn(folder: string): { schema: Schema; statements: Recorded[] } {
  const schema: Schema = JSON.parse(readFileSync(join(folder, SCHEMA), 'utf8'))
  const lines = globSync(join(folder, '*.jsonl'))
    .flatMap((path) => readFileSync(path, 'utf8').split('\n'))
    .filter(Boolean)
  return { schema, statements: [...new Set(lines)].map((line) => JSON.parse(line)) }
}

function findings(statements: Recorded[], schema: Schema): Finding[] {
  const found = new Map<string, Finding>()
  for (const { file, text, values } of statements) {
    const short = text.replace(/\s+/g, ' ').trim()
    const key = `${file} ${short}`
    if (found.has(key)) continue
    const breaches = breachesIn({ file, text, values }, schema)
    if (breaches.length > 0) found.set(key, { file, text: short, breaches })
  }
  return [...found.values()]
}

function breachesIn({ file, text, values }: Recorded, schema: Schema): Breach[] {
  try {
    return breachesOf(text, schema, values)
  } catch (error) {
    const { message } = error as Error
    // A part can name the tables of the `with` clause that it belongs to.
    const isPart = !isStatement(text) || message.startsWith('unknown table')
    if (BUILD_PARTS.includes(file) && isPart) return []
    return [{ rule: 'one business', says: `cannot be read: ${message}` }]
  }
}

const keyOf = (file: string, begins: string): string => `${file}: ${begins}`

const keys = () =>
  EXCEPTIONS.flatMap(({ statements }) => statements.map(([file, begins]) => keyOf(file, begins)))

function exceptionFor(file: string, text: string): string | undefined {
  for (const { statements } of EXCEPTIONS) {
    for (const [path, begins] of statements) {
      const isThere = path.endsWith('/') ? file.startsWith(path) : file === path
      if (isThere && text.startsWith(begins)) return keyOf(path, begins)
    }
  }
  return undefined
}
