import { styleText } from 'node:util'
import type { Command } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { bad, type Check } from './doctor-checks.ts'
import { checkDatabase } from './doctor-database.ts'
import {
  checkClock,
  checkDataDir,
  checkDisk,
  checkNode,
  checkPort,
  checkPrograms,
  checkSettings,
  checkSocket,
} from './doctor-machine.ts'
import { dim, EXIT, printJson, printLines } from './output.ts'

export function doctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('Diagnose problems on this machine and suggest fixes')
    .option('--json', 'print {ok, checks} as JSON')
    .addHelpText(
      'after',
      `
Checks the same settings that start reads, beside a running server or without one, and changes
nothing. The exit status is 1 when something is bad, and 3 when there is no database; a warning
leaves it 0.

Examples:
  $ tradepost doctor
  $ PORT=8080 DATABASE_URL=postgres://… tradepost doctor`,
    )
    .action(doctor)
}

async function doctor({ json }: { json?: true }): Promise<void> {
  const checks: Check[] = []
  for await (const check of examine()) {
    checks.push(check)
    if (!json) printLines(...linesOf(check))
  }
  const isFine = checks.every(({ level }) => level !== 'bad')
  if (json) printJson({ ok: isFine, checks })
  else printLines('', summaryOf(checks))
  const isMissing = checks.some((check) => check.isMissing)
  if (!isFine) process.exitCode = isMissing ? EXIT.noDatabase : EXIT.failed
}

/** One after the other: a later check needs what an earlier one found right. */
async function* examine(): AsyncGenerator<Check> {
  yield checkNode()
  yield checkClock(new Date())
  const config = settings()
  if ('level' in config) {
    yield config
    return
  }
  yield* checkSettings(config)
  if (!config.DATABASE_URL) {
    const programs = checkPrograms(config)
    const dataDir = checkDataDir(config)
    yield* [programs, dataDir, checkSocket(config), await checkDisk(config)]
    // Without either there is no database to look at, and no more to be said.
    if (programs.level !== 'bad' && dataDir.level !== 'bad') yield* checkDatabase(config)
  } else {
    yield* checkDatabase(config)
  }
  yield await checkPort(config)
}

function settings(): Config | Check {
  try {
    return readConfig(process.env)
  } catch (error) {
    const mend = 'correct it in the environment; .env.example says what each setting may be'
    return bad('settings', (error as Error).message, mend)
  }
}

const SIGNS = { ok: ['green', 'ok  '], warn: ['yellow', 'warn'], bad: ['red', 'bad '] } as const
const NAME_WIDTH = 10

function linesOf({ level, name, says, mend }: Check): string[] {
  const [colour, sign] = SIGNS[level]
  const line = `${styleText(colour, sign)}  ${name.padEnd(NAME_WIDTH)}  ${says}`
  return mend ? [line, `      ${' '.repeat(NAME_WIDTH)}  ${dim(`to mend: ${mend}`)}`] : [line]
}

function summaryOf(checks: Check[]): string {
  const count = (level: Check['level']) => checks.filter((check) => check.level === level).length
  const [bads, warnings] = [count('bad'), count('warn')]
  if (bads > 0) return `${bads} of ${checks.length} checks must be mended before it can run.`
  return warnings > 0 ? `Fine, with ${warnings} to look at.` : 'Everything is fine.'
}
