import type { Command } from 'commander'
import { addHold, type Hold, listHolds, removeHold } from '../business/holds/service.ts'
import { businessOf, businessOption } from './keys.ts'
import { withDatabase } from './open.ts'
import { formatTimestamp, printJson, printLines, printList } from './output.ts'
import { readEmail } from './values.ts'

export function holdCommands(program: Command): void {
  const hold = program.command('hold').description('Keep records that must not be deleted')
  add(hold, 'add', 'Put the records of a business or of one of its customers on legal hold')
    .requiredOption('--reason <text>', 'why, for other people')
    .addHelpText(
      'after',
      `
While a business or one of its customers is on hold, none of the business's events, emails, logged
requests, webhook deliveries or calls to providers are deleted because of their age, and "tradepost
erase" refuses to erase what is on hold. Records that have been deleted already do not come back.

Examples:
  $ tradepost hold add --business 101 --reason "Court order 12/2026"
  $ tradepost hold add --business 101 --customer ada@example.com --reason "Police request"`,
    )
    .action((options: Options) => change('add', options))
  add(hold, 'remove', 'End a legal hold').action((options: Options) => change('remove', options))
  hold
    .command('list')
    .description('List the legal holds')
    .addOption(businessOption('only holds of this business'))
    .option('--json', 'print as JSON')
    .action(list)
}

interface Options {
  business?: number
  customer?: string
  reason?: string
  json?: true
}

const add = (hold: Command, word: 'add' | 'remove', says: string): Command =>
  hold
    .command(word)
    .description(says)
    .addOption(businessOption('business whose records these are'))
    .option('--customer <email>', 'only this customer (default: the whole business)', readEmail)
    .option('--json', 'print the hold as JSON')

async function change(word: 'add' | 'remove', options: Options): Promise<void> {
  const { business, customer = null, reason = '', json } = options
  const hold = await withDatabase(async ({ db, ids, now }) => {
    const held = { businessId: await businessOf(db, business), customer }
    return db.transaction((tx) =>
      word === 'add' ? addHold(tx, ids, held, reason, now) : removeHold(tx, held, now),
    )
  })
  if (!hold) throw new Error(word === 'add' ? 'these records are already on hold' : 'no such hold')
  if (json) printJson(hold)
  else printLines(`${whoseWords(hold)} ${word === 'add' ? 'is' : 'is no longer'} on hold.`)
}

const whoseWords = ({ businessId, customer }: Hold): string =>
  customer === null ? `Business ${businessId}` : `${customer} of business ${businessId}`

async function list({ business, json }: Options): Promise<void> {
  const holds = await withDatabase(async ({ db }) =>
    listHolds(db, business === undefined ? undefined : await businessOf(db, business)),
  )
  printList(holds, {
    json,
    none: 'There are no legal holds.',
    columns: {
      BUSINESS: ({ businessId }) => String(businessId),
      CUSTOMER: ({ customer }) => customer ?? 'all',
      SINCE: ({ since }) => formatTimestamp(since),
      REASON: ({ reason }) => reason,
    },
  })
}
