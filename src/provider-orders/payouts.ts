import type { Minor } from '../lib/money.ts'
import type { About, PayoutOrder, PayoutState } from '../providers/connector/types.ts'
import { payoutQuery } from '../providers/currencies.ts'
import type { OrderKind } from './kind.ts'

/** What the record of a payout contains. */
interface PayoutRow {
  reference: string
  amount_minor: Minor
  currency: string
  bank_code: string
  account_number: string
  account_name: string | null
}

type Same = 'send' | 'sendMany' | 'lookUp' | 'refused' | 'routing'

/** The parts of an order kind that are the same for all kinds whose orders are payouts. */
export function payoutKind<Row extends PayoutRow>(
  narrationOf: (row: Row) => string | null,
): Required<Pick<OrderKind<PayoutState, Row>, Same>> {
  const payoutOf = (reference: string, row: Row): PayoutOrder => ({
    reference,
    amount_minor: row.amount_minor,
    currency: row.currency,
    bankCode: row.bank_code,
    accountNumber: row.account_number,
    accountName: row.account_name,
    narration: narrationOf(row),
  })
  return {
    send: (provider, { about, reference }, row) => provider.payOut(about, payoutOf(reference, row)),
    sendMany(provider, sendings, rows) {
      const [{ tenant, now }] = sendings.map(({ about }) => about) as [About]
      const about = { tenant, now, orders: sendings.map((one) => one.about.order) }
      const payouts = rows.map((row, i) => payoutOf(sendings[i]!.reference, row))
      return provider.payOutMany!(about, payouts)
    },
    lookUp: (provider, about, sent) => provider.lookUpPayout(about, sent),
    refused: (message) => ({ status: 'Rejected', message }),
    routing: (row) => payoutQuery(row),
  }
}
