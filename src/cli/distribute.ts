import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { MIGRATIONS, openUnchanged } from '../db/connect.ts'
import { distribute, inspectPlan } from '../db/distributed/distribute.ts'
import type { Plan } from '../db/distributed/plan.ts'
import { missingMigrations, withMigrationLock } from '../db/migrate.ts'
import { quietLog, refuseMissing } from './open.ts'
import {
  EXIT,
  openProgressBar,
  printJson,
  printLines,
  printTable,
  terminal,
  UsageError,
} from './output.ts'

export function distributeCommand(program: Command): void {
  program
    .command('distribute')
    .description('Divide the tables of a Citus database among its machines')
    .option('--dry-run', 'print the plan and what prevents it, and change nothing')
    .option('--json', 'print the plan or {tables, foreignKeys}, the numbers that changed, as JSON')
    .addHelpText(
      'after',
      `
The rows of a business stay together on one machine. Tables that are not divided by business, such
as people and sessions, are kept in full on every machine. Foreign keys are dropped first and added
again at the end.

Stop all servers first, and make a backup. Each table is copied, so the machines need space for it
twice. If the command is interrupted, run it again: it continues. Servers do not start until it has
ended. docs/scaling.md explains when this is worth it, and how to set up Citus.

Examples:
  $ tradepost distribute --dry-run
  $ tradepost distribute`,
    )
    .action(run)
}

interface Options {
  dryRun?: true
  json?: true
}

async function run({ dryRun, json }: Options): Promise<void> {
  const config = readConfig(terminal().env)
  if (!config.DATABASE_URL) {
    throw new UsageError(
      'the embedded database cannot be distributed: set DATABASE_URL to a Citus database',
    )
  }
  await refuseMissing(config)
  const opened = await openUnchanged(config, quietLog)
  const missing = await missingMigrations({ connect: opened.owner, dir: MIGRATIONS })
  if (missing.length > 0) {
    throw new Error(`${missing.length} migrations are missing: run tradepost migrate first`)
  }
  if (dryRun) {
    showPlan(await inspectPlan(opened.owner), json)
    return
  }
  const progress = openProgressBar()
  try {
    const done = await distribute(opened.owner, withMigrationLock, (_label, steps, total) =>
      progress.show('distribute', steps, total, 'steps'),
    )
    progress.end()
    if (json) printJson(done)
    else if (done.tables + done.foreignKeys === 0) printLines('All tables are distributed already.')
    else {
      printLines(`Distributed ${done.tables} tables and added ${done.foreignKeys} foreign keys.`)
    }
  } finally {
    progress.end()
  }
}

function showPlan({ tables, foreignKeys, problems }: Plan, json: true | undefined): void {
  if (problems.length > 0) terminal().exitCode = EXIT.failed
  if (json) {
    printJson({ tables, foreignKeys, problems })
    return
  }
  printTable(
    ['table', 'kind', 'bytes', ''],
    tables.map(({ name, kind, bytes, isDone }) => [
      name,
      kind,
      bytes.toLocaleString('en'),
      isDone ? 'done' : '',
    ]),
  )
  printLines('', `Foreign keys to drop and add again: ${foreignKeys.length}`)
  if (problems.length === 0) printLines('Nothing prevents it.')
  else printLines('', 'What prevents it:', ...problems.map((problem) => `- ${problem}`))
}
