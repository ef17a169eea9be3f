import type { Db } from '../../db/database.ts'
import { formatAmount, type Minor, parseAmount } from '../../lib/money.ts'
import { conflict, invalid } from '../../lib/problem.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { type PayingPage, selectPaying } from './queries-paying.ts'

/**
 * A page that can be paid on now; undefined when there is none with this id. Throws 409 for one
 * that is Unpublished or over.
 */
export async function openPage(
  db: Db,
  tenant: Tenant & { now: Date },
  id: number,
): Promise<PayingPage | undefined> {
  const page = await selectPaying(db, tenant, id)
  if (!page || page.deleted_at !== null) return undefined
  if (page.status !== 'Published') {
    throw conflict('page_closed', 'This payment page is Unpublished.')
  }
  if (page.expires_at !== null && page.expires_at <= tenant.now) {
    throw conflict('page_closed', 'This payment page has expired.')
  }
  return page
}

/** What is paid on a page without products: its own amount, or what the payer chose. */
export function amountOn(
  {
    amount_type,
    amount_minor,
    currency,
  }: Pick<PayingPage, 'amount_type' | 'amount_minor' | 'currency'>,
  given: number | string | undefined,
): Minor {
  const given_minor = given === undefined ? undefined : parseAmount(given, currency)
  if (amount_type === 'fixed') {
    if (amount_minor === null) throw conflict('page_closed', 'There is nothing to pay for here.')
    if (given_minor !== undefined && given_minor !== amount_minor) {
      throw invalid({ amount: [`must be ${formatAmount(amount_minor, currency)} on this page`] })
    }
    return amount_minor
  }
  if (given_minor === undefined) throw invalid({ amount: ['is required: the payer chooses it'] })
  if (amount_type === 'minimum' && given_minor < (amount_minor ?? 0n)) {
    const least = formatAmount(amount_minor ?? 0n, currency)
    throw invalid({ amount: [`must be at least ${least} on this page`] })
  }
  return given_minor
}
