import { Command, CommanderError } from 'commander'
import { VERSION } from '../version.ts'
import { auditCommand } from './audit.ts'
import { businessCreate, businessFees, businessList, businessOwnerLink } from './business.ts'
import { doctorCommand } from './doctor.ts'
import { keysCreate, keysList, keysRevoke, keysRotate } from './keys.ts'
import { eventsTail, listenCommand, logsTail, triggerCommand, webhooksResend } from './listen.ts'
import { mcpCommand } from './mcp.ts'
import { EXIT, fail } from './output.ts'
import { partnersCreate, partnersList, partnersRevoke, partnersRotate } from './partners.ts'
import { peopleList, peopleResetTwoFactor } from './people.ts'
import { seedCommand } from './seed.ts'
import { startCommand } from './start.ts'

const SETTINGS = `
Settings come from the environment; .env.example lists them all with their defaults:
  PORT          where to listen (4000)
  DATA_DIR      where the embedded database lives (./data)
  DATABASE_URL  a PostgreSQL of your own instead of the embedded one

Exit status: 0 success, 1 failure, 2 wrong usage, 3 no database.`

const EXAMPLES = `
Examples:
  $ tradepost start
  $ tradepost doctor
  $ tradepost business create "Ada Ventures" --json
  $ tradepost keys create --business 101 --label shop --scopes invoices:write,wallet:read
  $ tradepost listen --forward-to localhost:3000/hook
${SETTINGS}`

/** Every command, one a line. */
function tradepost(): Command {
  const program = new Command('tradepost')
    .description('Self-hosted commerce and payments server.')
    .version(VERSION, '--version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .addHelpText('after', EXAMPLES)
    .exitOverride()
  startCommand(program)
  doctorCommand(program)

  const business = program.command('business').description('Businesses of this server')
  businessCreate(business)
  businessList(business)
  businessOwnerLink(business)
  businessFees(business)

  const keys = program.command('keys').description('Secret keys of a business')
  keysList(keys)
  keysCreate(keys)
  keysRevoke(keys)
  keysRotate(keys)

  const people = program.command('people').description('Who can sign in at the dashboard')
  peopleList(people)
  peopleResetTwoFactor(people)

  const partners = program.command('partners').description('Who may act for businesses')
  partnersList(partners)
  partnersCreate(partners)
  partnersRevoke(partners)
  partnersRotate(partners)

  listenCommand(program)
  triggerCommand(program)
  eventsTail(program.command('events').description('What happens in a business'))
  webhooksResend(program.command('webhooks').description('What endpoints are told'))
  logsTail(program.command('logs').description('Calls of the API'))
  mcpCommand(program)

  seedCommand(program)
  auditCommand(program)
  pointToHelp(program, program.name())
  return program
}

/** A complaint is one line that says where to look, or commander's guess below it. */
function pointToHelp(command: Command, path: string): void {
  command.configureOutput({
    outputError(text, write) {
      const said = text.trimEnd()
      write(said.includes('\n') ? `${said}\n` : `${said} (see ${path} --help)\n`)
    },
  })
  command.helpOption('-h, --help', 'show this help').helpCommand(false)
  for (const below of command.commands) pointToHelp(below, `${path} ${below.name()}`)
}

/** Throws for a command that does not exist, which `--help` after it would hide. */
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

async function run(): Promise<void> {
  try {
    const program = tradepost()
    refuseUnknown(program, process.argv.slice(2))
    await program.parseAsync()
  } catch (error) {
    // Commander has printed its help, version or complaint itself.
    if (!(error instanceof CommanderError)) fail(error)
    else process.exitCode = error.exitCode === 0 ? EXIT.fine : EXIT.usage
  }
}

// `tradepost keys list | head`: who reads has heard enough, and the command goes on to its end.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
await run()
