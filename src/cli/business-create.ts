import type { Command } from 'commander'
import { publicUrlOf, readConfig } from '../config.ts'
import { ownerLinkFor } from '../console/owner.ts'
import { createBusiness } from '../resources/businesses/create.ts'
import { withDatabase } from './open.ts'
import { bold, dim, printFields, printJson, printLines } from './output.ts'
import { readEmail } from './values.ts'

interface Options {
  email?: string
  phone?: string
  firstName?: string
  lastName?: string
  owner?: string
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
    .option(
      '--owner <address>',
      'make a link with which this address signs up as the owner',
      readEmail,
    )
    .option('--json', 'print {businessId, name, keys, ownerLink?} as JSON')
    .addHelpText(
      'after',
      `
Works while the server runs, too.

Examples:
  $ tradepost business create "Ada Ventures" --email ada@example.com
  $ tradepost business create "Ada Ventures" --owner ada@example.com
  $ tradepost business create "Ada Ventures" --json | jq -r .keys.testSecret`,
    )
    .action(create)
}

async function create(name: string, { json, owner, ...person }: Options): Promise<void> {
  const config = readConfig(process.env)
  const { businessId, keys, ownerLink, ...created } = await withDatabase(
    ({ db, ids, now }) =>
      db.transaction(async (tx) => {
        const made = await createBusiness(tx, ids, { name, ...person, now })
        const about = { businessId: made.businessId, email: owner }
        const url = owner && (await ownerLinkFor(tx, publicUrlOf(config, config.PORT), about, now))
        return { ...made, ...(url && { ownerLink: url }) }
      }),
    { mayCreate: true },
  )
  if (json) {
    printJson({ businessId, name: created.name, keys, ...(ownerLink && { ownerLink }) })
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
    ...(ownerLink
      ? [`${owner} signs up as the owner with this link, once, within seven days:`, ownerLink]
      : [dim(`For the dashboard: tradepost business owner-link --business ${businessId}`)]),
  )
}
