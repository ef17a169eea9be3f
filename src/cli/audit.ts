import type { Command } from 'commander'
import { allChecks } from '../audit.ts'
import { type Finding, runAudit } from '../ledger/audit.ts'
import { withDatabase } from './open.ts'
import { bold, EXIT, printJson, printLines } from './output.ts'

export function auditCommand(program: Command): void {
  program
    .command('audit')
    .description('Check every balance, journal, seal, payment and event')
    .option('--json', 'print {checks, findings} as JSON')
    .addHelpText(
      'after',
      `
Reads one moment of the database, beside running requests, and changes nothing. Every row that is
not as it must be is named, and the exit status is 1 then.`,
    )
    .action(audit)
}

async function audit({ json }: { json?: true }): Promise<void> {
  const findings = await withDatabase(({ db }) => runAudit(db, allChecks))
  const checks = allChecks.length
  if (json) printJson({ checks, findings })
  else if (findings.length === 0) printLines(`The books are right: ${checks} checks found nothing.`)
  else printLines(bold(`${findings.length} rows are not right:`), ...findings.map(lineOf))
  if (findings.length > 0) process.exitCode = EXIT.failed
}

const lineOf = ({ check, table, businessId, live, id, problem }: Finding) =>
  `  ${table} ${id} of business ${businessId} (${live ? 'live' : 'test'}): ${problem} [${check}]`
