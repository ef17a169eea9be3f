import type { Tx } from '../../db/database.ts'
import { addMs } from '../../lib/clock.ts'
import { toAmount } from '../../lib/money.ts'
import { notFound, Problem, unavailable } from '../../lib/problem.ts'
import { newReference } from '../../lib/random.ts'
import type { Caller } from '../../lib/tenant.ts'
import type { UtilityCustomer } from '../../providers/provider.ts'
import { findPackage, type UtilityPackage } from '../../providers/utilities.ts'
import type { Deps } from '../deps.ts'
import { CURRENCY, pricesOf } from './catalogue.ts'
import { upsertEnquiry } from './queries-enquiries.ts'
import { utilitySuccess } from './record.ts'
import type { Enquiry } from './schemas.ts'

/** How long the answer to an enquiry is good for a payment. */
const GOOD_MS = 30 * 60_000

/** Utility payments cost nothing (docs/CONTRACT.md, Utility payments). */
export const FEE_MINOR = 0n

/**
 * Asks a biller who its customer is, outside any transaction. Throws 404 for a package or customer
 * that there is not, and 503 when nobody can be asked, or does not answer.
 */
export async function askBiller(
  { providers }: Pick<Deps, 'providers'>,
  { live }: Caller,
  { packageSlug, customerId }: Enquiry,
): Promise<{ sold: UtilityPackage; customer: UtilityCustomer }> {
  const provider = providers.of(live, 'UTILITY')
  const sold = findPackage(packageSlug)
  if (!sold) throw notFound('utility_package')
  const outcome = await provider.enquireCustomer(packageSlug, customerId)
  if (outcome.kind === 'done') return { sold, customer: outcome.value }
  if (outcome.kind === 'unknown') {
    throw unavailable('utility_customer_not_resolved', 'The biller did not answer who this is.')
  }
  throw outcome.code === 'unknown_package'
    ? notFound('utility_package')
    : new Problem('not_found', 'utility_customer_not_found', outcome.message)
}

/** Keeps what the biller said, so that a payment for this customer and package may follow. */
export async function keepEnquiry(
  tx: Tx,
  caller: Caller,
  { customerId }: Enquiry,
  { sold, customer }: Awaited<ReturnType<typeof askBiller>>,
) {
  const { now } = caller
  const reference = newReference('ENQ')
  const expires_at = addMs(now, GOOD_MS)
  await upsertEnquiry(tx, caller, {
    reference,
    package_slug: sold.packageSlug,
    customer_id: customerId,
    customer_name: customer.customerName,
    expires_at,
    now,
  })
  return utilitySuccess('Customer found.', {
    enquiryReference: reference,
    customerId,
    customerName: customer.customerName,
    packageSlug: sold.packageSlug,
    packageName: sold.name,
    billerName: sold.billerName,
    category: sold.category,
    ...pricesOf(sold),
    fee: toAmount(FEE_MINOR, CURRENCY),
    currency: CURRENCY,
    expiresAt: expires_at,
  })
}
