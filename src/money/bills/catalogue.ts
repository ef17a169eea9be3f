import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { type Minor, toAmount } from '../../lib/money.ts'
import { allOrPage, type Page } from '../../lib/paging.ts'
import { notFound, Problem, unavailable } from '../../lib/problem.ts'
import { newReference } from '../../lib/tokens.ts'
import type { RoutingQuery, UtilityCustomer } from '../../providers/connector/types.ts'
import {
  BILLERS,
  type Biller,
  findBiller,
  findPackage,
  UTILITY_CATEGORIES,
  type UtilityCategory,
  type UtilityPackage,
} from '../../providers/connector/utilities.ts'
import { upsertEnquiry } from './queries.ts'
import { utilitySuccess } from './record.ts'
import type { Enquiry } from './schemas.ts'

/** All billers are in Nigeria. */
export const CURRENCY = 'NGN'

const NAMES: Record<UtilityCategory, string> = {
  airtime: 'Airtime',
  data: 'Data bundles',
  electricity: 'Electricity',
  television: 'Television',
  exams: 'Exam pins',
}

/**
 * Returns all categories unless a page is requested. The two functions below do the same for
 * billers and packages.
 */
export const listCategories = (page: Partial<Page>) =>
  allOrPage(
    UTILITY_CATEGORIES.map((category) => ({
      slug: category,
      name: NAMES[category],
      billers: billersOf(category).length,
    })),
    page,
  )

/** Throws 404 for an unknown category. */
export function listBillers({ category, ...page }: Partial<Page> & { category?: string }) {
  const known = UTILITY_CATEGORIES.find((one) => one === category)
  if (category !== undefined && known === undefined) throw notFound('utility_category')
  return allOrPage((known ? billersOf(known) : BILLERS).map(billerRecord), page)
}

/** Throws 404 for an unknown biller. */
export function listPackages({ biller, ...page }: Partial<Page> & { biller?: string }) {
  const found = biller === undefined ? undefined : findBiller(biller)
  if (biller !== undefined && !found) throw notFound('utility_biller')
  const billers = found ? [found] : BILLERS
  return allOrPage(
    billers.flatMap(({ packages }) => packages.map(packageRecord)),
    page,
  )
}

const billersOf = (category: UtilityCategory) =>
  BILLERS.filter((biller) => biller.category === category)

const billerRecord = ({ slug, name, category, packages }: Biller) => ({
  slug,
  name,
  category,
  packages: packages.length,
})

const packageRecord = (sold: UtilityPackage) => ({
  packageSlug: sold.packageSlug,
  name: sold.name,
  billerSlug: sold.billerSlug,
  billerName: sold.billerName,
  category: sold.category,
  ...pricesOf(sold),
  currency: CURRENCY,
})

/** Returns a fixed price or price limits; the other is null. */
function pricesOf({ amount_minor, minimum_minor, maximum_minor }: UtilityPackage) {
  const naira = (minor: bigint | null) => (minor === null ? null : toAmount(minor, CURRENCY))
  const whole = (minor: bigint | null) => (minor === null ? null : Number(minor))
  return {
    amountType: amount_minor === null ? 'variable' : 'fixed',
    amount: naira(amount_minor),
    amountMinor: whole(amount_minor),
    minimumAmount: naira(minimum_minor),
    minimumAmountMinor: whole(minimum_minor),
    maximumAmount: naira(maximum_minor),
    maximumAmountMinor: whole(maximum_minor),
  }
}

/** How long after an enquiry a payment can use it. */
const GOOD_MS = 30 * 60_000

/** Asks for a connection that can pay a bill. */
export const billQuery = (amount_minor?: Minor): RoutingQuery => ({
  service: 'UTILITY',
  currency: CURRENCY,
  ...(amount_minor !== undefined && { amount_minor }),
})

/** Utility payments are free of charge (docs/CONTRACT.md, Utility payments). */
export const FEE_MINOR = 0n

/**
 * Asks a biller for the name of its customer, outside any transaction. Throws 404 for an unknown
 * package or customer, and 503 if there is no provider or it does not respond.
 */
export async function lookUpCustomer(
  { providers }: Pick<Deps, 'providers'>,
  caller: Caller,
  { packageSlug, customerId }: Enquiry,
): Promise<{ sold: UtilityPackage; customer: UtilityCustomer }> {
  const provider = await providers.choose(caller, billQuery())
  const sold = findPackage(packageSlug)
  if (!sold) throw notFound('utility_package')
  const outcome = await provider.enquireCustomer(packageSlug, customerId)
  if (outcome.kind === 'done') return { sold, customer: outcome.value }
  if (outcome.kind !== 'refused') {
    throw unavailable(
      'utility_customer_not_resolved',
      'The biller did not confirm who this customer is.',
    )
  }
  throw outcome.code === 'unknown_package'
    ? notFound('utility_package')
    : new Problem('not_found', 'utility_customer_not_found', outcome.message)
}

/** Stores the biller's response, which allows a payment for this customer and package. */
export async function storeEnquiry(
  tx: Tx,
  caller: Caller,
  { customerId }: Enquiry,
  { sold, customer }: Awaited<ReturnType<typeof lookUpCustomer>>,
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
