import type { Db } from '../../db/database.ts'
import { addMs } from '../../lib/clock.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { ChannelView, CheckoutPageView, CheckoutView } from '../../pages/views-checkout.ts'
import { merchantOf, type ShownTerms, shownTermsOf } from '../branding/shown.ts'
import { clockOffsetMs } from '../businesses/terms.ts'
import type { Deps } from '../deps.ts'
import { paymentsOf } from '../invoices/facts.ts'
import { type OrderShown, orderShown } from '../orders/service.ts'
import { type PayingPage, pageForPaying } from '../payment-pages/service.ts'
import { mediaOf } from '../products/media/service.ts'
import { redirectTermsOf } from '../profile/service.ts'
import { attemptView, pageVersionOf, USSD_BANKS } from '../transactions/attempt-view.ts'
import { costOf } from '../transactions/attempts.ts'
import {
  type Attempt,
  dismissOpen,
  isTold,
  latestAttempt,
  type TransactionRow,
} from '../transactions/service.ts'
import { factsOf } from './facts.ts'
import {
  CHECKOUT_PURPOSE,
  feesOnTop,
  keptOf,
  keptOfAll,
  paidForOf,
  receivedOf,
  tenantOf,
} from './paid-for.ts'
import type { CheckoutRow } from './queries.ts'
import { type SeenWith, selectSeen } from './queries-seen.ts'
import { selectShown } from './queries-shown.ts'
import { accessCodeOf, statusOf } from './record.ts'
import { signedUrl } from './redirect.ts'
import { canReopen } from './reopen.ts'
import { checkoutOfCode } from './service.ts'
import { stateAt } from './states.ts'

/** A payer's look at one checkout. */
export interface OpenedCheckout {
  row: CheckoutRow
  tenant: Tenant
  terms: ShownTerms
  /** The moment that decides: the test clock's for a test checkout. */
  now: Date
  /** The real time, which is what a merchant's server compares a signature with. */
  realNow: Date
}

/** Finds the checkout of a page's address. Throws 404. */
export async function checkoutByCode(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  accessCode: string,
): Promise<OpenedCheckout> {
  const row = await checkoutOfCode(db, accessCode)
  const tenant = tenantOf(row)
  const [terms, offsetMs] = await Promise.all([shownTermsOf(db, tenant), clockOffsetMs(db, tenant)])
  const realNow = clock.now()
  return { row, tenant, terms, now: addMs(realNow, offsetMs), realNow }
}

type ViewDeps = Pick<Deps, 'db' | 'providers'> & { publicUrl?: string }

/** Everything that the payer may see. */
export async function checkoutView(deps: ViewDeps, opened: OpenedCheckout): Promise<CheckoutView> {
  const { row, tenant, terms, now } = opened
  const known = await knownOf(deps.db, opened)
  const { attempt, received, shown, seen } = known
  const status = statusNow(opened)
  const page = row.page_id === null ? undefined : await pageForPaying(deps.db, tenant, row.page_id)
  const channels = channelsOf(deps, opened, received)
  const payment = attempt && attemptView(attempt)
  const facts = factsOf(row, shown, now)
  const images = await imagesOf(deps.db, tenant, shown?.lines ?? [])
  const returnUrl = await redirectOf(deps.db, opened, page)
  return {
    accessCode: accessCodeOf(row),
    ...(deps.publicUrl !== undefined && { publicUrl: deps.publicUrl }),
    version: versionOf(opened, known),
    test: !tenant.live,
    merchant: merchantOf(terms),
    reference: row.reference,
    status,
    isRefunded: isRefunded(row, received),
    ...(page && { page: pageView(page) }),
    ...facts,
    lines: facts.lines.map((line, i) => ({ ...line, ...(images[i] && { image: images[i] }) })),
    ...leftOf(row, status, received),
    ...(status === 'Open' && seen.is_delivered && { asksAddress: true }),
    ...(canReopen(row, now) && { canReopen: true }),
    feeMinor: feesOnTop(received),
    channels,
    ussdBanks: channels.some(({ channel }) => channel === 'USSD') ? USSD_BANKS : [],
    ...(payment && { payment }),
    payments: paymentsOf(received, now),
    ...owedOf(received),
    ...(seen.sent_back_minor > 0n && { sentBackMinor: seen.sent_back_minor }),
    ...(returnUrl !== undefined && { returnUrl }),
    ...(status === 'Open' && seen.kept_until && { keptUntil: seen.kept_until }),
    expiresAt: row.expires_at,
    ...(row.paid_at && { paidAt: row.paid_at }),
    createdAt: row.created_at,
    now,
    timeZone: terms.time_zone,
  }
}

/** What changes while somebody looks. */
interface Known {
  attempt: Attempt | undefined
  received: TransactionRow[]
  shown: OrderShown | undefined
  seen: SeenWith
}

async function knownOf(db: Db, { row, tenant, now }: OpenedCheckout): Promise<Known> {
  const [attempt, received, shown, seen] = await Promise.all([
    latestAttempt(db, tenant, CHECKOUT_PURPOSE, row.id),
    receivedOf(db, row),
    row.order_id === null ? undefined : orderShown(db, tenant, row.order_id),
    selectSeen(db, row, now),
  ])
  const isToSee = attempt && isTold(attempt.transaction)
  return { attempt: isToSee ? attempt : undefined, received, shown, seen }
}

const statusNow = ({ row, now }: OpenedCheckout) => stateAt(row, now)

const isRefunded = ({ status }: CheckoutRow, received: readonly TransactionRow[]): boolean =>
  status === 'Paid' && received.length > 0 && received.every((one) => keptOf(one) === 0n)

/** The picture of what was bought: of the variant, else of the product. */
async function imagesOf(db: Db, tenant: Tenant, lines: OrderShown['lines']) {
  const media = await mediaOf(db, tenant, [...new Set(lines.map((line) => line.product_id))], '')
  return lines.map(({ product_id, variant_id }) => {
    const pictures = (media.get(product_id) ?? []).filter(({ url }) => url !== null)
    const own = pictures.find(({ variantId }) => variant_id !== null && variantId === variant_id)
    const picture = own ?? pictures.find(({ variantId }) => variantId === null) ?? pictures[0]
    return picture?.thumbnailUrl ?? picture?.url ?? undefined
  })
}

/** What is left to pay, after a part of it came in. */
function leftOf(
  { amount_minor }: CheckoutRow,
  status: CheckoutView['status'],
  received: readonly TransactionRow[],
): Pick<CheckoutView, 'leftMinor'> {
  const kept_minor = keptOfAll(received)
  return status === 'Open' && kept_minor > 0n ? { leftMinor: amount_minor - kept_minor } : {}
}

/** Whether the payer has to say where the goods go before they can pay. */
export async function lacksAddress(db: Db, { row, tenant, now }: OpenedCheckout): Promise<boolean> {
  if (row.order_id === null) return false
  const [{ order }, { is_delivered }] = await Promise.all([
    orderShown(db, tenant, row.order_id),
    selectSeen(db, row, now),
  ])
  return is_delivered && order.delivery_address === null
}

const pageView = (page: PayingPage): CheckoutPageView => ({
  title: page.title,
  ...(page.description && { description: page.description }),
  ...(page.color && { color: page.color }),
  ...(page.image && { image: page.image }),
  ...(page.success_message && { successMessage: page.success_message }),
  ...(page.deleted_at === null && { customLink: page.custom_link }),
})

function channelsOf(
  { providers }: Pick<Deps, 'providers'>,
  opened: OpenedCheckout,
  received: readonly TransactionRow[],
): ChannelView[] {
  const { row, tenant, terms, now } = opened
  if (statusNow(opened) !== 'Open') return []
  const working = providers.channels(tenant.live)
  const paidFor = paidForOf(row, row.amount_minor - keptOfAll(received), now)
  return row.channels
    .filter((channel) => working.includes(channel))
    .map((channel) => {
      const { payable_minor } = costOf(terms, paidFor, channel)
      const feeMinor = payable_minor - paidFor.amount_minor
      return { channel, feeMinor, payableMinor: payable_minor }
    })
}

function owedOf(received: readonly TransactionRow[]): Pick<CheckoutView, 'owed'> {
  const over = received.filter(({ excess_minor }) => excess_minor > 0n)
  if (over.length === 0) return {}
  const sum = (pick: (row: TransactionRow) => bigint) =>
    over.reduce((total, row) => total + pick(row), 0n)
  const amountMinor = sum(({ excess_minor }) => excess_minor)
  const given = (field: 'refunded_minor' | 'refunding_minor') =>
    over.every((row) => row[field] >= row.excess_minor)
  if (given('refunded_minor')) return { owed: { amountMinor, state: 'Refunded' } }
  return { owed: { amountMinor, state: given('refunding_minor') ? 'Refunding' : 'Kept' } }
}

/**
 * Where to lead the payer back to, with what became of the checkout and our signature; undefined
 * while it is Open, or where nobody gave an address.
 */
export async function redirectOf(
  db: Db,
  { row, tenant, realNow }: OpenedCheckout,
  page: Pick<PayingPage, 'redirect_url'> | undefined,
): Promise<string | undefined> {
  const url = row.callback_url ?? page?.redirect_url ?? null
  if (url === null || row.status === 'Open') return undefined
  const { secret } = await redirectTermsOf(db, tenant)
  const status = statusOf(row, await selectShown(db, tenant, row.id))
  return signedUrl(url, secret, { reference: row.reference, status, at: realNow })
}

/** Changes whenever anything that the payer sees changes. */
function versionOf(opened: OpenedCheckout, { attempt, received, shown, seen }: Known): string {
  return pageVersionOf(attempt, [
    statusNow(opened),
    opened.row.updated_at.getTime(),
    shown?.order.status,
    shown?.order.delivery_address,
    ...(shown?.downloads ?? []).map(({ id, downloads }) => `${id}/${downloads}`),
    ...received.map((one) => `${one.id}/${one.refunding_minor}/${one.refunded_minor}`),
    seen.kept_until?.getTime(),
    seen.sent_back_minor,
  ])
}

/** The version alone, for a page that asks whether to look again. */
export async function checkoutVersion(deps: Pick<Deps, 'db' | 'clock'>, accessCode: string) {
  const opened = await checkoutByCode(deps, accessCode)
  return versionOf(opened, await knownOf(deps.db, opened))
}

/** Puts the attempt aside, so that the payer can choose another way; it stays good meanwhile. */
export const putAside = (db: Db, { row, tenant, now }: OpenedCheckout) =>
  dismissOpen(db, tenant, CHECKOUT_PURPOSE, row.id, now)

/** The open attempt, for the simulator's buttons. */
export async function openAttempt(db: Db, opened: OpenedCheckout): Promise<Attempt | undefined> {
  return (await knownOf(db, opened)).attempt
}
