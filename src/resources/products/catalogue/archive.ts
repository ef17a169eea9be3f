import type { Tx } from '../../../db/database.ts'
import { notFound } from '../../../lib/problem.ts'
import { toId } from '../../../lib/schemas.ts'
import type { Caller } from '../../../lib/tenant.ts'
import type { Deps } from '../../deps.ts'
import { dropFilesOf } from '../downloads/delete.ts'
import { dropMediaOfProduct } from '../media/service.ts'
import { updateDeleted, updateStatus } from './queries.ts'
import { keepSearchable } from './search.ts'
import { type ProductDeps, recordOf, requireProduct, told } from './service.ts'

/**
 * Takes a product out of sale, or makes it Active again, a former Draft too. Again changes nothing
 * and tells of nothing. Throws 404.
 */
export async function archiveProduct(
  tx: Tx,
  deps: ProductDeps,
  caller: Caller,
  { productId, archived }: { productId: number | string; archived: boolean },
) {
  const move = archived
    ? ({ from: ['Draft', 'Active'], to: 'Archived' } as const)
    : ({ from: ['Archived'], to: 'Active' } as const)
  const row = await updateStatus(tx, caller, toId(productId), move, caller.now)
  if (!row) return recordOf(tx, deps, caller, await requireProduct(tx, caller, productId))
  await keepSearchable(tx, caller, row)
  return told(tx, deps, caller, archived ? 'archived' : 'updated', row)
}

/**
 * Takes a product away, with its pictures and its files; what was sold of it still names it, past
 * buyers keep its files, and what buyers have put aside can still be paid. Answers it as it was,
 * Deleted. Throws 404.
 */
export async function deleteProduct(
  tx: Tx,
  deps: ProductDeps & Pick<Deps, 'files'>,
  caller: Caller,
  productId: number | string,
) {
  const row = await updateDeleted(tx, caller, toId(productId), caller.now)
  if (!row) throw notFound('product')
  // Before what it shows is gone.
  const record = await told(tx, deps, caller, 'deleted', row)
  await dropMediaOfProduct(tx, deps, caller, row.id)
  await dropFilesOf(tx, deps, caller, row.id)
  return record
}
