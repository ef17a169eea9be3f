import { createHash, randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { merchantOf } from '../../../business/account/branding.ts'
import type { Db } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { isLanguageSwitch, servePages, takeForms } from '../../../http/pages.ts'
import type { PayerLimits } from '../../../http/rate-limit.ts'
import type { Mounted } from '../../../http/route.ts'
import { printMinor } from '../../../lib/money.ts'
import { findOrUndefined, Problem } from '../../../lib/problem.ts'
import {
  type FieldError,
  renderMessagePage,
  renderPaymentPage,
  textsOf,
} from '../../../pages/pages.ts'
import { lockPayer, type Payer, payerOf } from '../../checkout/cart.ts'
import { cancelByPayer } from '../../checkout/close.ts'
import {
  accessCodeOf,
  type CheckoutRow,
  checkoutOfCode,
  findCheckout,
} from '../../checkout/record.ts'
import type { NewCheckout } from '../../checkout/schemas.ts'
import { startCheckout } from '../../checkout/start.ts'
import { type Quote, quoteDiscount } from '../../discounts/service.ts'
import { type OrderDetails, orderDetails } from '../../orders/service.ts'
import type { ProductRecord } from '../../products/record/service.ts'
import { countView } from '../service.ts'
import { type Form, type FormResult, formErrorsOf, readForm, withVariantAdded } from './form.ts'
import {
  activeVariants,
  CLOSED_STATUS,
  countField,
  isSoldOut,
  type OpenedPage,
  openPage,
  optionField,
  proposedValues,
  purchaseLinesOf,
} from './goods.ts'
import { type FormState, pageView } from './view.ts'

interface Params {
  customLink: string
}

const SHOW: Mounted = {
  method: 'GET',
  url: '/pay/:customLink',
  operation: 'show_payment_page',
  status: 200,
  errors: 'fields',
}

const FILL_IN: Mounted = {
  ...SHOW,
  method: 'POST',
  operation: 'fill_in_payment_page',
  status: 303,
}

/**
 * How long clients should wait before they check again for a working channel; the same as in the
 * API.
 */
const NO_WAY_SECONDS = '3600'

/**
 * Mounts the hosted payment pages and the form that creates a checkout. Errors are shown as pages,
 * too.
 */
export function mountPaymentPage(
  server: FastifyInstance,
  deps: Deps,
  limits: PayerLimits,
): Mounted[] {
  void server.register(async (pages) => {
    await takeForms(pages, 'form')
    const { page, back } = servePages(pages, limits.take, (url) => url)
    pages.addHook('onRequest', async ({ ip, params }) =>
      limits.takeOfPage(ip, (params as Params).customLink),
    )

    type Request = FastifyRequest<{ Params: Params }>
    const show = (request: Request, reply: FastifyReply, opened: OpenedPage, typed?: FormState) => {
      const { closed, terms } = opened
      if (!closed) {
        const view = pageView(opened, deps.publicUrl, typed)
        const isRefused = typed && typed.faults.length > 0 && !isLanguageSwitch(request)
        return page(request, reply.code(isRefused ? 400 : 200), (ctx) =>
          renderPaymentPage(view, ctx),
        )
      }
      const status = CLOSED_STATUS[closed]
      if (closed === 'notYet') reply.header('retry-after', NO_WAY_SECONDS)
      return page(request, reply.code(status), (ctx) => {
        const [title, text] = textsOf(ctx.locale).shop.closed[closed](terms.name)
        const icon = status === 410 ? 'clock' : 'stopped'
        return renderMessagePage({ status, title, text, icon, ...shownAs(opened) }, ctx)
      })
    }

    /** Returns the page and, if its payer is coming back from a checkout, that checkout. */
    const opening = async (link: string, code: unknown) => {
      const seen = await openPage(deps, link)
      await deps.pauses.requireOpen(seen.tenant)
      const from = await cameFrom(deps.db, seen, code)
      return { from, opened: from ? await withOwnGoods(deps.db, seen, from) : seen }
    }

    pages.get<{ Params: Params; Querystring: Form }>(SHOW.url, async (request, reply) => {
      const { opened, from } = await opening(request.params.customLink, request.query.from)
      const isLook = request.method === 'GET' && !opened.closed && opened.page
      if (isLook) countView(deps.db, opened.tenant, opened.page!.id)
      if (!from || opened.closed) return show(request, reply, opened)
      const values = await filledFor(deps.db, opened, from)
      const typed = { values, faults: [], once: newOnce(), from: accessCodeOf(from) }
      return show(request, reply, opened, typed)
    })

    pages.post<{ Params: Params }>(FILL_IN.url, async (request, reply) => {
      const form = (request.body ?? {}) as Form
      const { opened, from } = await opening(request.params.customLink, form.from)
      const once = onceOf(form)
      const reference = referenceOf(opened, form, once)
      // Must come first, because this form may itself have taken the last unit, and must then not
      // be refused for lack of stock.
      const earlier = await checkoutOf(deps, opened, reference)
      if (earlier) return back(reply, `/checkout/${accessCodeOf(earlier)}`)
      if (opened.closed) return show(request, reply, opened)
      const filled = readForm(opened, form)
      const { values } = filled
      const kept = { once, ...(from && { from: accessCodeOf(from) }) }
      const guess = limits.guess(request.ip, opened.link)
      if (typeof form.do === 'string') {
        const again = await redone(deps.db, opened, filled, form.do, guess)
        return show(request, reply, opened, { ...again, ...kept })
      }
      const refuse = async (now: OpenedPage, faults: FieldError[]) => {
        const isKnown = faults.some(({ field }) => field === 'discountCode')
        const { quote } = isKnown ? {} : await quoteOf(deps.db, now, filled, guess)
        return show(request, reply, now, { values, ...kept, faults, ...(quote && { quote }) })
      }
      if (filled.faults.length > 0 || isLanguageSwitch(request))
        return refuse(opened, filled.faults)
      if (values.discountCode && !guess.begin()) {
        return refuse(opened, [{ field: 'discountCode', code: 'tooMany' }])
      }
      try {
        const payer = await payerOf(deps.db, limits.networkOf(request.ip))
        const asked = { ...filled.request, reference }
        const checkout = await begin(deps, opened, asked, from, payer)
        if (values.discountCode) guess.right()
        return back(reply, `/checkout/${accessCodeOf(checkout)}`)
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        if (values.discountCode && !isWrongCode(error)) guess.right()
        const first = await checkoutOf(deps, opened, reference)
        if (first) return back(reply, `/checkout/${accessCodeOf(first)}`)
        // The page may have been closed, or its goods sold, after the payer opened it.
        const now = await openPage(deps, request.params.customLink)
        if (now.closed) return show(request, reply, now)
        const again = readForm(now, form).faults
        const faults = again.length > 0 ? again : formErrorsOf(error, now, values)
        if (!faults) throw error
        return refuse(now, faults)
      }
    })
  })
  return [SHOW, FILL_IN]
}

/** A closed page still shows the merchant’s branding. */
const shownAs = ({ terms, tenant, page }: OpenedPage) => ({
  merchant: merchantOf(terms),
  test: !tenant.live,
  ...(page?.color && { color: page.color }),
})

const ONCE = /^[\w-]{22}$/

/** Identifies one filled-in form. A form without this value counts as a new one every time. */
const onceOf = ({ once }: Form): string =>
  typeof once === 'string' && ONCE.test(once) ? once : newOnce()

const newOnce = () => randomBytes(16).toString('base64url')

/**
 * Derives the checkout’s reference from the form, so that submitting the same form twice, for
 * example by a double tap or a reload, leads to the same checkout. The reference can only be
 * derived from the whole form, so nobody else is led to that checkout.
 */
function referenceOf({ tenant, link }: OpenedPage, form: Form, once: string): string {
  const fields = Object.entries(form).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const said = JSON.stringify([link, tenant, once, fields])
  return `CHK_${createHash('sha256').update(said).digest('base64url').slice(0, 22)}`
}

const checkoutOf = ({ db }: Deps, { tenant }: OpenedPage, reference: string) =>
  findOrUndefined(findCheckout(db, tenant, reference))

/** If the payer has come back in order to change a checkout, the new checkout replaces it. */
const begin = (
  deps: Deps,
  { tenant, now }: OpenedPage,
  request: NewCheckout,
  from: CheckoutRow | undefined,
  payer: Payer,
) =>
  deps.db.transaction(async (tx) => {
    const caller = { ...tenant, now }
    if (from) {
      await lockPayer(tx, from.page_id!, payer)
      await cancelByPayer(tx, deps, caller, from.id)
    }
    return startCheckout(tx, deps, caller, request, payer)
  })

/**
 * Returns the form after the payer presses a button that does not submit it: `update` and `apply`
 * compute the totals, `add-11` adds the chosen variant of product 11 to the order, and `drop-11-21`
 * removes one.
 */
async function redone(
  db: Db,
  opened: OpenedPage,
  { values: typed }: FormResult,
  act: string,
  guess: Guess,
): Promise<Pick<FormState, 'values' | 'faults' | 'quote'>> {
  const values = acted(opened, typed, act)
  const filled = readForm(opened, values)
  const { quote, fault } = await quoteOf(db, opened, filled, guess)
  const counts = filled.faults.filter(({ field }) => field.startsWith('q-'))
  return { values, faults: [...counts, ...(fault ? [fault] : [])], ...(quote && { quote }) }
}

function acted(opened: OpenedPage, values: Record<string, string>, act: string) {
  const [, verb, productId, variantId] = /^(add|drop)-(\d{1,15})(?:-(\d{1,15}))?$/.exec(act) ?? []
  const product = opened.products.find((one) => one.productId === productId)
  if (verb === 'add' && product) return withVariantAdded(product, values) ?? values
  if (verb === 'drop' && variantId) return { ...values, [`q-${productId}-${variantId}`]: '0' }
  return values
}

/** An attempt to use a code, which counts towards the limit on wrong codes. */
interface Guess {
  begin(): boolean
  right(): void
}

/** Returns the discount that the code in a form gives now, or why it gives none. */
async function quoteOf(
  db: Db,
  opened: OpenedPage,
  { values, request }: Pick<FormResult, 'values' | 'request'>,
  guess: Guess,
): Promise<{ quote?: Quote; fault?: FieldError }> {
  const code = values.discountCode
  const lines = purchaseLinesOf(opened, request.products ?? [])
  if (!code || lines.length === 0) return {}
  if (!guess.begin()) return { fault: { field: 'discountCode', code: 'tooMany' } }
  const { tenant, now, currency } = opened
  try {
    const quote = await quoteDiscount(db, tenant, code, { lines, currency, now })
    guess.right()
    return { quote }
  } catch (error) {
    if (!isWrongCode(error)) guess.right()
    if (!(error instanceof Problem && error.code === 'discount_refused')) throw error
    return { fault: { field: 'discountCode', code: 'discount' } }
  }
}

/** Returns whether the code itself is wrong; an unmet minimum spend does not count. */
function isWrongCode(error: unknown): boolean {
  if (!(error instanceof Problem && error.code === 'discount_refused')) return false
  const reasons = Object.values(error.fields ?? {}).flat()
  return !reasons.includes('min_spend') && !reasons.includes('not_applicable')
}

/**
 * Returns the checkout that a payer is coming back from. Returns undefined if it does not belong to
 * this page.
 */
async function cameFrom(
  db: Db,
  { page }: OpenedPage,
  code: unknown,
): Promise<CheckoutRow | undefined> {
  if (!page || typeof code !== 'string') return undefined
  const row = await findOrUndefined(checkoutOfCode(db, code))
  const isHere = row?.business_id === page.business_id && row.live === page.live
  return isHere && row.page_id === page.id ? row : undefined
}

/**
 * Returns the form as it was filled in for a checkout, so that its payer can change or restart the
 * checkout.
 */
async function filledFor(
  db: Db,
  opened: OpenedPage,
  row: CheckoutRow,
): Promise<Record<string, string>> {
  const { tenant, page } = opened
  const shown = row.order_id === null ? undefined : await orderDetails(db, tenant, row.order_id)
  const answers: { name: string; value: string }[] = JSON.parse(row.answers)
  return {
    ...Object.fromEntries(answers.map(({ name, value }) => [`f-${name}`, value])),
    email: row.customer_email,
    name: row.customer_name ?? '',
    phone: row.customer_phone ?? '',
    ...(shown && orderedIn(opened, shown)),
    ...(page?.amount_type !== 'fixed' &&
      opened.products.length === 0 && {
        amount: printMinor(shown?.order.subtotal_minor ?? row.amount_minor, row.currency),
      }),
  }
}

function orderedIn(
  { products }: OpenedPage,
  { order, lines }: OrderDetails,
): Record<string, string> {
  return {
    ...Object.assign({}, ...products.map((product) => linesIn(product, lines))),
    deliveryLocation: order.delivery_location ?? '',
    address: order.delivery_address ?? '',
    discountCode: order.discount_code ?? '',
  }
}

/** Fills in the first variant of a product as the chosen one, and the others as already added. */
function linesIn(product: ProductRecord, lines: OrderDetails['lines']): Record<string, string> {
  const { productId, options } = product
  const own = lines.filter((line) => String(line.product_id) === productId)
  const kinds = activeVariants(product)
  const [first, ...others] = own.filter(
    ({ variant_id }) => variant_id === null || kinds.some((one) => one.variantId === variant_id),
  )
  if (!first) return proposedValues(product, 0)
  const kind = kinds.find(({ variantId }) => variantId === first.variant_id)
  const chosen = options.map(({ name }, i) => [
    optionField(productId, i),
    kind?.optionValues[name] ?? '',
  ])
  const added = others.map((line) => [
    countField(productId, line.variant_id ?? undefined),
    String(line.quantity),
  ])
  return {
    ...Object.fromEntries([...chosen, ...added]),
    [countField(productId)]: String(first.quantity),
  }
}

/**
 * Returns the page for the payer of an open checkout. The goods that they have reserved count as
 * available.
 */
async function withOwnGoods(db: Db, opened: OpenedPage, row: CheckoutRow): Promise<OpenedPage> {
  if (row.status !== 'Open' || row.order_id === null) return opened
  const { lines } = await orderDetails(db, opened.tenant, row.order_id)
  const more = (productId: string, variantId: number | null) =>
    lines
      .filter((one) => String(one.product_id) === productId && one.variant_id === variantId)
      .reduce((sum, { quantity }) => sum + quantity, 0)
  const products = opened.products.map((product) => ({
    ...product,
    available: product.available + more(product.productId, null),
    variants: product.variants.map((one) => ({
      ...one,
      available: one.available + more(product.productId, one.variantId),
    })),
  }))
  const { closed, ...open } = opened
  const isOpen = closed === 'soldOut' && !products.every(isSoldOut)
  return { ...open, products, ...(closed && !isOpen && { closed }) }
}
