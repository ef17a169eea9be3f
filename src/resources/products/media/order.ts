import type { Tx } from '../../../db/database.ts'
import { invalid } from '../../../lib/problem.ts'
import type { Caller } from '../../../lib/tenant.ts'
import { lockProduct, productChanged } from '../catalogue/service.ts'
import { type Owner, selectMedia, updateOrder } from './queries.ts'
import { type MediaRecord, mediaRecord } from './record.ts'
import { type MediaDeps, requireVariant } from './service.ts'

/**
 * Puts all pictures of a product, or of one variant, into the order of `ids`; the first becomes the
 * primary one. The order that there is already changes nothing. Throws 400 unless each of them is
 * named once, 404 for what does not exist.
 */
export async function orderMedia(
  tx: Tx,
  deps: MediaDeps,
  caller: Caller,
  owner: Owner,
  ids: readonly number[],
): Promise<MediaRecord[]> {
  await lockProduct(tx, caller, owner.productId)
  await requireVariant(tx, caller, owner)
  const before = await selectMedia(tx, caller, owner)
  const had = before.map(({ id }) => id)
  const isAll = ids.length === had.length && had.every((id) => ids.includes(id))
  if (!isAll) throw invalid({ mediaIds: [`must name each of its ${had.length} pictures once`] })
  if (ids.some((id, i) => id !== had[i])) {
    await updateOrder(tx, caller, owner, ids)
    await productChanged(tx, deps, caller, owner.productId)
  }
  const rows = await selectMedia(tx, caller, owner)
  return rows.map((row) => mediaRecord(row, deps.publicUrl))
}
