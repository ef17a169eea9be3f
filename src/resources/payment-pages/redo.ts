import type { Db } from '../../db/database.ts'
import { Problem } from '../../lib/problem.ts'
import type { PageFault } from '../../pages/pages.ts'
import { type Quote, quoteDiscount } from '../products/discounts/quote.ts'
import { type Filled, readForm, withAdded } from './page-form.ts'
import type { OpenedPage } from './page-service.ts'
import { boughtOf } from './page-totals.ts'
import type { Typed } from './page-view.ts'

/**
 * The form after a button that does not send it: `update` and `apply` work out what it comes to,
 * `add-11` puts the kind that is chosen of a product into the order, `drop-11-21` takes one out.
 */
export async function redone(
  db: Db,
  opened: OpenedPage,
  { values: typed }: Filled,
  act: string,
  guess: Guess,
): Promise<Pick<Typed, 'values' | 'faults' | 'quote'>> {
  const values = acted(opened, typed, act)
  const filled = readForm(opened, values)
  const { quote, fault } = await quoteOf(db, opened, filled, guess)
  const counts = filled.faults.filter(({ field }) => field.startsWith('q-'))
  return { values, faults: [...counts, ...(fault ? [fault] : [])], ...(quote && { quote }) }
}

function acted(opened: OpenedPage, values: Record<string, string>, act: string) {
  const [, verb, productId, variantId] = /^(add|drop)-(\d{1,15})(?:-(\d{1,15}))?$/.exec(act) ?? []
  const product = opened.products.find((one) => one.productId === productId)
  if (verb === 'add' && product) return withAdded(product, values) ?? values
  if (verb === 'drop' && variantId) return { ...values, [`q-${productId}-${variantId}`]: '0' }
  return values
}

/** One code that is tried, as whoever limits wrong ones counts it. */
interface Guess {
  begin(): boolean
  right(): void
}

/** What the code in a form takes off now, or why it takes nothing off. */
export async function quoteOf(
  db: Db,
  opened: OpenedPage,
  { values, request }: Pick<Filled, 'values' | 'request'>,
  guess: Guess,
): Promise<{ quote?: Quote; fault?: PageFault }> {
  const code = values.discountCode
  const lines = boughtOf(opened, request.products ?? [])
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

/** Whether there is no such code to be used; false where only too little is bought for it. */
export function isWrongCode(error: unknown): boolean {
  if (!(error instanceof Problem && error.code === 'discount_refused')) return false
  const reasons = Object.values(error.fields ?? {}).flat()
  return !reasons.includes('min_spend') && !reasons.includes('not_applicable')
}
