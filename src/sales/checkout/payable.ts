import { createHmac } from 'node:crypto'
import { redirectOriginsOf } from '../../business/account/service.ts'
import type { Db } from '../../db/database.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Minor } from '../../lib/money.ts'
import { invalid } from '../../lib/problem.ts'
import type { PaymentRequest } from '../../payments/attempts/attempt.ts'
import { paymentsReceivedFor, type TransactionRow } from '../../payments/attempts/read.ts'
import type { Channel, Providers } from '../../providers/connector/types.ts'
import type { CheckoutRow } from './queries.ts'

export const CHECKOUT_PURPOSE = 'checkout'

export const tenantOf = ({ business_id: businessId, live }: CheckoutRow) => ({ businessId, live })

export const paymentRequestOf = (
  row: CheckoutRow,
  due_minor: Minor,
  now: Date,
): PaymentRequest => ({
  tenant: tenantOf(row),
  purpose: CHECKOUT_PURPOSE,
  purpose_id: row.id,
  amount_minor: due_minor,
  currency: row.currency,
  fee_bearer: row.fee_bearer ?? 'business',
  customer_email: row.customer_email,
  customer_name: row.customer_name,
  customer_phone: row.customer_phone,
  page_id: row.page_id,
  split_page_id: row.split_page_id,
  subaccount_id: row.subaccount_id,
  order_id: row.order_id,
  metadata: row.metadata,
  now,
})

export async function paymentsReceived(db: Db, row: CheckoutRow): Promise<TransactionRow[]> {
  return (
    (await paymentsReceivedFor(db, tenantOf(row), CHECKOUT_PURPOSE, [row.id])).get(row.id) ?? []
  )
}

/**
 * Returns how much of a payment was applied to its checkout, excluding any amount to be returned
 * and any fee on top.
 */
export function appliedBy(row: TransactionRow): Minor {
  if (row.paid_minor === null || row.status === 'Refunded' || row.status === 'Reversed') return 0n
  const onTop_minor = row.fee_bearer === 'customer' ? row.fee_minor : 0n
  return row.paid_minor - row.excess_minor - onTop_minor
}

/** Adds up the fees that payers paid on top. */
export const feesOnTop = (received: readonly TransactionRow[]): Minor =>
  received
    .filter((row) => row.fee_bearer === 'customer' && appliedBy(row) > 0n)
    .reduce((sum, { fee_minor }) => sum + fee_minor, 0n)

/** Adds up the amounts applied from all payments other than `except`. */
export const appliedByAll = (received: readonly TransactionRow[], except?: number): Minor =>
  received.filter(({ id }) => id !== except).reduce((sum, row) => sum + appliedBy(row), 0n)

/** Returns the named channels that work in this mode or, if none are named, all that do. */
export async function workingChannels(
  providers: Pick<Providers, 'channels'>,
  tenant: Tenant,
  offered: readonly string[],
  tx?: Db,
): Promise<Channel[]> {
  const working = await providers.channels(tenant, tx)
  const wanted = offered.length > 0 ? [...new Set(offered as Channel[])] : [...working]
  return wanted.filter((channel) => working.includes(channel))
}

/**
 * Checks the URL that payers return to. It must be http or https, and in live mode its origin must
 * be registered by the business. Throws 400 naming `callbackUrl`.
 */
export async function checkCallback(db: Db, tenant: Tenant, url: string): Promise<string> {
  const parsed = /^https?:\/\/[^\s\\]+$/i.test(url) ? URL.parse(url) : null
  if (parsed === null || parsed.username + parsed.password !== '') {
    throw invalid({ callbackUrl: ['must be a URL such as https://shop.example.com/thanks'] })
  }
  if (!tenant.live) return parsed.href
  const origins = await redirectOriginsOf(db, tenant)
  if (origins.includes(parsed.origin)) return parsed.href
  throw invalid({
    callbackUrl: ['must be on an origin registered in the business’s settings'],
  })
}

interface Outcome {
  reference: string
  status: string
  at: Date
}

/**
 * Returns `url` with `reference`, `status`, `timestamp` (seconds) and `signature`. The signature,
 * the hex HMAC-SHA256 of the other three joined by dots, proves that this server sent the payer.
 * Parameters with these names that the URL already has are replaced.
 */
export function signedUrl(url: string, secret: string, { reference, status, at }: Outcome): string {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signed = `${reference}.${status}.${timestamp}`
  const signature = createHmac('sha256', secret).update(signed).digest('hex')
  const back = new URL(url)
  for (const [name, value] of Object.entries({ reference, status, timestamp, signature })) {
    back.searchParams.set(name, value)
  }
  return back.href
}
