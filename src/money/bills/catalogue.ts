import type { Db, Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { type Minor, toAmount } from '../../lib/money.ts'
import { allOrPage, type Page } from '../../lib/paging.ts'
import { notFound, Problem, unavailable } from '../../lib/problem.ts'
import { newReference } from '../../lib/tokens.ts'
import type { RoutingQuery, SoldPackage, UtilityCustomer } from '../../providers/connector/types.ts'
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

type CatalogueDeps = Pick<Deps, 'providers'>

/**
 * Returns the billers with the packages that the tenant's connections sell, at their prices. A
 * tenant without such a connection sees everything that Tradepost knows.
 */
async function billersFor({ providers }: CatalogueDeps, tenant: Tenant): Promise<Biller[]> {
  const sold = await providers.packages(tenant)
  if (!sold) return [...BILLERS]
  return BILLERS.flatMap((biller) => {
    const packages = biller.packages.flatMap((one) => priced(one, sold) ?? [])
    return packages.length > 0 ? [{ ...biller, packages }] : []
  })
}

/** Returns one package as the tenant's connections sell it. */
export async function findSold(
  { providers }: CatalogueDeps,
  tenant: Tenant,
  slug: string,
  tx?: Db,
): Promise<UtilityPackage | undefined> {
  const known = findPackage(slug)
  const sold = known && (await providers.packages(tenant, tx))
  // Until the provider's list is read, the provider says by itself that it cannot sell anything.
  return known && sold && sold.size > 0 ? priced(known, sold) : known
}

function priced(
  known: UtilityPackage,
  sold: ReadonlyMap<string, SoldPackage>,
): UtilityPackage | undefined {
  const offer = sold.get(known.packageSlug)
  return offer && { ...known, amount_minor: offer.amount_minor }
}

/**
 * Returns all categories unless a page is requested. The two functions below do the same for
 * billers and packages.
 */
export async function listCategories(deps: CatalogueDeps, tenant: Tenant, page: Partial<Page>) {
  const billers = await billersFor(deps, tenant)
  return allOrPage(
    UTILITY_CATEGORIES.map((slug) => ({
      slug,
      name: NAMES[slug],
      billers: billers.filter(({ category }) => category === slug).length,
    })),
    page,
  )
}

/** Throws 404 for an unknown category. */
export async function listBillers(
  deps: CatalogueDeps,
  tenant: Tenant,
  { category, ...page }: Partial<Page> & { category?: string },
) {
  const known = UTILITY_CATEGORIES.find((one) => one === category)
  if (category !== undefined && known === undefined) throw notFound('utility_category')
  const billers = await billersFor(deps, tenant)
  const shown = known ? billers.filter((biller) => biller.category === known) : billers
  return allOrPage(shown.map(billerRecord), page)
}

/** Throws 404 for an unknown biller. */
export async function listPackages(
  deps: CatalogueDeps,
  tenant: Tenant,
  { biller, ...page }: Partial<Page> & { biller?: string },
) {
  if (biller !== undefined && !findBiller(biller)) throw notFound('utility_biller')
  const billers = await billersFor(deps, tenant)
  const shown = biller === undefined ? billers : billers.filter(({ slug }) => slug === biller)
  return allOrPage(
    shown.flatMap(({ packages }) => packages.map(packageRecord)),
    page,
  )
}

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
  deps: CatalogueDeps,
  caller: Caller,
  { packageSlug, customerId }: Enquiry,
): Promise<{ sold: UtilityPackage; customer: UtilityCustomer }> {
  const provider = await deps.providers.choose(caller, billQuery())
  const sold = await findSold(deps, caller, packageSlug)
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
