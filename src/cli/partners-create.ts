import type { Command } from 'commander'
import { createPartner } from '../resources/partners/service.ts'
import { withDatabase } from './open.ts'
import { dim, printFields, printJson, printLines } from './output.ts'
import { readList } from './values.ts'

interface Options {
  name: string
  live?: boolean
  scopes?: string[]
  json?: true
}

export function partnersCreate(partners: Command): void {
  partners
    .command('create')
    .description('Make a partner, whose client secret is shown once')
    .requiredOption('--name <NAME>', 'what businesses know it by')
    .option('--live', 'it acts in live mode (test mode)')
    .option('--scopes <list>', 'the most it may do for any business (everything)', readList)
    .option('--json', 'print the secret and the record as JSON')
    .addHelpText(
      'after',
      `
It may do nothing until a business grants it access, by POST …/user-service/v1/partners with its
client id. Scopes are those of keys, without keys and requests: see tradepost keys create.

Examples:
  $ tradepost partners create --name "Books & Co"
  $ tradepost partners create --name "Books & Co" --live --scopes invoices:write,wallet:read`,
    )
    .action(create)
}

async function create({ name, live = false, scopes, json }: Options): Promise<void> {
  const request = { name, live, scopes: scopes ?? null }
  const { clientSecret, record } = await withDatabase(({ db, ids, now }) =>
    db.transaction((tx) => createPartner(tx, ids, request, now)),
  )
  if (json) {
    printJson({ clientSecret, ...record })
    return
  }
  printLines(`Partner ${record.name}, in ${record.mode} mode; its secret is shown this once:`)
  printFields({ 'client id': record.clientId, 'client secret': clientSecret })
  printLines(dim('The secret is for its own server: never for a browser, an app or a repository.'))
}
