import type { Tx } from '../../../db/database.ts'
import { newReference } from '../../../lib/random.ts'
import type { Caller } from '../../../lib/tenant.ts'
import { type Family, familiesOf, NO_FAMILY, numbered } from '../options/service.ts'
import { writeProduct } from './create.ts'
import type { ProductRow } from './queries.ts'
import { copyFees, copyFiles, copyMedia, selectOwned } from './queries-copy.ts'
import { selectOverviews } from './queries-parts.ts'
import type { DuplicateProduct } from './schemas.ts'
import { type ProductDeps, recordOf, requireProduct } from './service.ts'
import { slugOf } from './slugs.ts'
import { labelOf } from './words.ts'

const NAME_MAX = 200

/**
 * A copy as a Draft of which there is nothing: with options, variants, pictures, files and delivery
 * fees, which share stored content with the first. Its slug is made of its name. Throws 404.
 */
export async function duplicateProduct(
  tx: Tx,
  deps: ProductDeps,
  caller: Caller,
  { productId, name: wanted }: DuplicateProduct,
) {
  const source = await requireProduct(tx, caller, productId)
  const [overview] = await selectOverviews(tx, caller, [source.id])
  const { tracked, low_stock_threshold, has_options } = overview!
  const name = labelOf(wanted) ?? `${cut(source.name, NAME_MAX - 7)} (copy)`
  const product: ProductRow = {
    ...source,
    id: await deps.ids.next(tx),
    reference: newReference('PRD'),
    slug: slugOf(name),
    name,
    status: 'Draft',
    event_sequence: 1,
    created_at: caller.now,
    updated_at: caller.now,
  }
  const had = has_options ? await familiesOf(tx, caller, [source.id]) : undefined
  const { family, copies } = await copied(tx, deps, product, had?.get(source.id) ?? NO_FAMILY)
  const draft = { product, family, tracked, on_hand: 0, low_stock_threshold }
  await writeProduct(tx, deps.ids, caller, draft, false)
  await copyRest(tx, deps, caller, { from: source.id, to: product.id }, copies)
  return recordOf(tx, deps, caller, await requireProduct(tx, caller, product.id))
}

/** Not through the middle of a character. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text
  const short = text.slice(0, length)
  return short.isWellFormed() ? short : short.slice(0, -1)
}

/** By the id of the old one. */
type Copies = ReadonlyMap<number, number>

async function copied(
  tx: Tx,
  { ids }: ProductDeps,
  { id }: ProductRow,
  { options: had, variants: were }: Family,
): Promise<{ family: Family; copies: Copies }> {
  const plain = had.map(({ name, values }) => ({ name, values: values.map(({ value }) => value) }))
  const options = await numbered(tx, ids, plain)
  const newValueOf = new Map(
    had.flatMap(({ values }, i) => values.map((one, j) => [one.id, options[i]!.values[j]!.id])),
  )
  const copies = new Map<number, number>()
  const variants: Family['variants'] = []
  for (const variant of were) {
    copies.set(variant.id, await ids.next(tx))
    variants.push({
      ...variant,
      id: copies.get(variant.id)!,
      product_id: id,
      value_ids: variant.value_ids.map((value) => newValueOf.get(value)!),
      on_hand: 0,
      reserved: 0,
      sold: 0,
    })
  }
  return { family: { options, variants }, copies }
}

async function copyRest(
  tx: Tx,
  { ids }: ProductDeps,
  caller: Caller,
  products: { from: number; to: number },
  variants: Copies,
): Promise<void> {
  const pairs: { from: number; to: number; reference: string }[] = []
  const { media, files, fees } = await selectOwned(tx, caller, products.from)
  for (const from of media) {
    pairs.push({ from, to: await ids.next(tx), reference: newReference('MED') })
  }
  for (const from of [...files, ...fees]) {
    pairs.push({ from, to: await ids.next(tx), reference: newReference('DDF') })
  }
  if (pairs.length === 0) return
  await copyMedia(tx, caller, products, pairs, [...variants], caller.now)
  await copyFiles(tx, caller, products, pairs, caller.now)
  await copyFees(tx, caller, products, pairs, caller.now)
}
