import type { Command } from 'commander'
import { createBusiness } from '../resources/businesses/create.ts'
import { withDatabase } from './open.ts'
import { bold, dim, printFields, printJson, printLines } from './output.ts'

interface Options {
  email?: string
  phone?: string
  firstName?: string
  lastName?: string
  json?: true
}

export function businessCreate(business: Command): void {
  business
    .command('create')
    .description('Make a business and its keys, which are shown once')
    .argument('<NAME>', 'as payers know it')
    .option('--email <address>', 'where to reach it')
    .option('--phone <number>', 'where to reach it')
    .option('--first-name <name>', 'of the person behind it')
    .option('--last-name <name>', 'of the person behind it')
    .option('--json', 'print {businessId, name, keys} as JSON')
    .addHelpText(
      'after',
      `
Works while the server runs, too.

Examples:
  $ tradepost business create "Ada Ventures" --email ada@example.com
  $ tradepost business create "Ada Ventures" --json | jq -r .keys.testSecret`,
    )
    .action(create)
}

async function create(name: string, { json, ...person }: Options): Promise<void> {
  const { businessId, keys, ...created } = await withDatabase(({ db, ids, now }) =>
    db.transaction((tx) => createBusiness(tx, ids, { name, ...person, now })),
  )
  if (json) {
    printJson({ businessId, name: created.name, keys })
    return
  }
  printLines(`${bold(created.name)} is business ${businessId}. Its keys, shown this once:`)
  printFields({
    'test, secret': keys.testSecret,
    'test, public': keys.testPublic,
    'live, secret': keys.liveSecret,
    'live, public': keys.livePublic,
  })
  printLines(
    dim('Keep secret keys on your server: never in a browser, an app or a repository.'),
    dim(`For the dashboard: tradepost business owner-link --business ${businessId}`),
  )
}
