import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { formatAmount } from '../../lib/money.ts'
import type { DisputeRow, PaymentRow } from './queries.ts'

/** Emails the people who can respond to disputes. */
export async function emailDispute(
  tx: Tx,
  { people }: Pick<Deps, 'people'>,
  { business_id: businessId, live, reference, amount_minor, currency, reason, ...row }: DisputeRow,
  { reference: payment, customer_name, customer_email }: PaymentRow,
  news: 'opened' | 'due' | 'won' | 'lost' | 'response_failed',
): Promise<void> {
  await people.emailHolders(tx, { businessId, live }, 'disputes:write', {
    what: 'dispute',
    news,
    amount: formatAmount(
      news === 'lost' ? (row.lost_minor ?? amount_minor) : amount_minor,
      currency,
    ),
    payment,
    customer: customer_name ?? customer_email,
    reason,
    due: row.due_at?.toISOString() ?? null,
    path: `disputes/${reference}`,
  })
}
