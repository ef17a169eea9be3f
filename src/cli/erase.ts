import { type Command, Option } from 'commander'
import { eraseCustomer } from '../app/erasure/service.ts'
import { businessOf, businessOption } from './keys.ts'
import { withDatabase } from './open.ts'
import { printFields, printJson, printLines } from './output.ts'
import { readEmail } from './values.ts'

export function eraseCommand(program: Command): void {
  program
    .command('erase')
    .description('Erase the personal data of a customer')
    .addOption(businessOption('business whose customer this is'))
    .addOption(
      new Option('--customer <email>', 'email address of the customer')
        .argParser(readEmail)
        .makeOptionMandatory(),
    )
    .option('--json', 'print {businessId, pseudonym, records} as JSON')
    .addHelpText(
      'after',
      `
Replaces the customer's email address with a pseudonym and removes names, phone numbers, addresses,
notes, metadata and the text of emails and of calls to providers, in test and live mode. Amounts,
references and the ledger stay, and "tradepost audit" stays clean. The customer's events and their
webhook deliveries are deleted. This cannot be undone.

Refuses while the customer or the business is on legal hold, or has unpaid invoices, or payments,
refunds, disputes or emails that are not finished. Does not reach backups, exported events, what
providers and webhook endpoints have received, evidence files of disputes, the audit log, reasons
that people have typed, or stored responses to API requests, which expire after IDEMPOTENCY_HOURS.

Example:
  $ tradepost erase --business 101 --customer ada@example.com --json`,
    )
    .action(run)
}

interface Options {
  business?: number
  customer: string
  json?: true
}

async function run({ business, customer, json }: Options): Promise<void> {
  const erased = await withDatabase(
    async ({ db, now }) => eraseCustomer(db, await businessOf(db, business), customer, { now }),
    { asOwner: true },
  )
  if (!erased) throw new Error(`business has no records of ${customer}`)
  if (json) {
    printJson(erased)
    return
  }
  printLines(`The customer is now called ${erased.pseudonym}. Changed or deleted:`)
  const counts = Object.entries(erased.records).filter(([, count]) => count > 0)
  printFields(Object.fromEntries(counts.map(([name, count]) => [name, String(count)])))
}
