import type { Command } from 'commander'
import { publicUrlOf, readConfig } from '../config.ts'
import { ownerLinkFor } from '../console/owner.ts'
import { businessOf, businessOption } from './keys.ts'
import { withDatabase } from './open.ts'
import { printLines, UsageError } from './output.ts'
import { readEmail } from './values.ts'

interface Options {
  business?: number
  email?: string
}

export function businessOwnerLink(business: Command): void {
  business
    .command('owner-link')
    .description('Make the link with which the first owner signs up at the dashboard')
    .addOption(businessOption())
    .option(
      '--email <address>',
      'only this address can sign up; earlier links stop working',
      readEmail,
    )
    .addHelpText(
      'after',
      `
It works once, for seven days. Who has it owns the business, so send it to nobody else.

Examples:
  $ tradepost business owner-link
  $ tradepost business owner-link --business 1042 --email ada@example.com`,
    )
    .action(ownerLink)
}

async function ownerLink({ business, email }: Options): Promise<void> {
  const config = readConfig(process.env)
  const url = await withDatabase(async ({ db, now }) =>
    ownerLinkFor(
      db,
      publicUrlOf(config, config.PORT),
      { businessId: await businessOf(db, business), email },
      now,
    ),
  )
  if (!url) throw new UsageError('This business has an owner, who can invite others.')
  printLines(url)
}
