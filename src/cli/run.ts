import { Command, CommanderError } from 'commander'
import { VERSION } from '../version.ts'
import { EXIT, fail, terminal } from './output.ts'

const SETTINGS = `
Settings come from the environment; .env.example lists them all with their defaults:
  PORT          port to listen on (default: 4000)
  DATA_DIR      directory of the embedded database (default: ./data)
  DATABASE_URL  your own PostgreSQL instead of the embedded database; it also needs
                TRADEPOST_ENCRYPTION_KEY

Exit status: 0 success, 1 failure, 2 usage error, 3 no database.`

const EXAMPLES = `
Examples:
  $ tradepost start
  $ tradepost doctor
  $ tradepost business create "Ada Ventures" --json
  $ tradepost keys create --business 101 --label shop --scopes invoices:write,wallet:read
  $ tradepost listen --forward-to localhost:3000/hook
${SETTINGS}`

type Adder = (program: Command) => void

/** For each first word, adds the commands that start with it. The help uses the same order. */
const COMMANDS: Record<string, () => Promise<Adder>> = {
  start: async () => (await import('./start.ts')).startCommand,
  drain: async () => (await import('./drain.ts')).drainCommand,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  distribute: async () => (await import('./distribute.ts')).distributeCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
  business: async () => (await import('./business.ts')).businessCommands,
  keys: async () => (await import('./keys.ts')).keysCommands,
  people: async () => (await import('./people.ts')).peopleCommands,
  providers: async () => (await import('./providers.ts')).providersCommands,
  hold: async () => (await import('./hold.ts')).holdCommands,
  erase: async () => (await import('./erase.ts')).eraseCommand,
  payouts: async () => (await import('./payouts.ts')).payoutsCommands,
  pause: async () => (await import('./pause.ts')).pauseCommand,
  resume: async () => (await import('./pause.ts')).resumeCommand,
  'read-only': async () => (await import('./pause.ts')).readOnlyCommand,
  stuck: async () => (await import('./stuck.ts')).stuckCommands,
  partners: async () => (await import('./partners.ts')).partnersCommands,
  listen: async () => (await import('./listen.ts')).listenCommand,
  trigger: async () => (await import('./listen.ts')).triggerCommand,
  events: async () => (await import('./listen.ts')).eventsCommands,
  webhooks: async () => (await import('./listen.ts')).webhooksCommands,
  logs: async () => (await import('./listen.ts')).logsCommands,
  mcp: async () => (await import('./mcp.ts')).mcpCommand,
  seed: async () => (await import('./seed.ts')).seedCommand,
  rekey: async () => (await import('./rekey.ts')).rekeyCommand,
  reconcile: async () => (await import('./reconcile.ts')).reconcileCommand,
  files: async () => (await import('./files.ts')).filesCommands,
  backup: async () => (await import('./backup.ts')).backupCommand,
  restore: async () => (await import('./restore.ts')).restoreCommand,
  audit: async () => (await import('./audit.ts')).auditCommand,
}

/**
 * Returns a program with only the command that is being run. For the help or an unknown word, it
 * has all commands.
 */
async function tradepost(first = ''): Promise<Command> {
  const program = new Command('tradepost')
    .description('Self-hosted commerce and payments server.')
    .version(VERSION, '--version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .addHelpText('after', EXAMPLES)
    .exitOverride()
  // Most of a command's startup time is spent on loading code, so the other commands are not
  // loaded.
  const called = Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined
  for (const load of called ? [called] : Object.values(COMMANDS)) (await load())(program)
  pointToHelp(program, program.name())
  return program
}

/**
 * Makes each error a single line that points to the help, unless commander adds a suggestion below
 * it.
 */
function pointToHelp(command: Command, path: string): void {
  command.configureOutput({
    writeOut: (text) => void terminal().stdout.write(text),
    writeErr: (text) => void terminal().stderr.write(text),
    outputError(text, write) {
      const said = text.trimEnd()
      write(said.includes('\n') ? `${said}\n` : `${said} (see ${path} --help)\n`)
    },
  })
  command.helpOption('-h, --help', 'show this help').helpCommand(false)
  for (const below of command.commands) pointToHelp(below, `${path} ${below.name()}`)
}

/** Throws for an unknown command, even if `--help` follows it, which would hide the error. */
function refuseUnknown(program: Command, words: readonly string[]): void {
  let command = program
  for (const word of words) {
    if (word.startsWith('-') || command.commands.length === 0) return
    const next = command.commands.find((below) => below.name() === word)
    if (!next && word !== 'help') command.error(`error: unknown command '${word}'`)
    if (!next) return
    command = next
  }
}

/** Runs a command and sets the exit status. Never rejects. */
export async function run(args: readonly string[]): Promise<void> {
  try {
    const program = await tradepost(args[0])
    refuseUnknown(program, args)
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    // Commander has already printed its help, version or error.
    if (!(error instanceof CommanderError)) fail(error)
    else terminal().exitCode = error.exitCode === 0 ? EXIT.fine : EXIT.usage
  }
}
