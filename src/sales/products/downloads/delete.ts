import type { Tx } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../lib/caller.ts'
import { notFound } from '../../../lib/problem.ts'
import { toId } from '../../../lib/schemas.ts'
import { productChanged } from '../core/service.ts'
import { revokeGrants } from './grants.ts'
import {
  hasGrants,
  lockFile,
  lockFilesOf,
  lockOwner,
  selectFile,
  updateAllFilesRemoved,
  updateFileRemoved,
} from './queries.ts'
import type { DeleteFile } from './schemas.ts'
import type { FileDeps } from './service.ts'

/**
 * Removes a file from its product. With `status`, buyers lose the file too, even if it has already
 * been removed or its product has been deleted; doing so again changes nothing. Without `status`,
 * buyers keep the file. Throws 404.
 */
export async function deleteFile(tx: Tx, deps: FileDeps, caller: Caller, sent: DeleteFile) {
  const product = await lockOwner(tx, caller, toId(sent.productId))
  if (!product) throw notFound('product')
  const id = toId(sent.digitalDownloadFileId)
  await lockFile(tx, caller, id)
  const from = sent.status ? (['Active', 'Deleted', 'Revoked'] as const) : (['Active'] as const)
  const file = await selectFile(tx, caller, product.id, id, from)
  if (!file) throw notFound('digital_file')

  const answer = { reference: file.reference, status: sent.status ? 'Revoked' : 'Deleted' }
  if (file.status === 'Revoked') return answer
  // If nobody has bought the file, nobody needs it, so it is revoked.
  const isKept = !sent.status && (await hasGrants(tx, caller, id))
  await updateFileRemoved(tx, caller, id, isKept ? 'Deleted' : 'Revoked', caller.now)
  if (sent.status) await revokeGrants(tx, deps, caller, { fileId: id }, caller.now)
  if (!isKept) await deps.files.release(tx, caller, [file.sha256!])
  if (!product.is_deleted) await productChanged(tx, deps, caller, product.id)
  return answer
}

/**
 * Removes all files from a product that has just been deleted. Past buyers and open orders keep
 * them.
 */
export async function deleteFilesOfProduct(
  tx: Tx,
  { files }: Pick<Deps, 'files'>,
  caller: Caller,
  productId: number,
): Promise<void> {
  await lockFilesOf(tx, caller, productId)
  await files.release(tx, caller, await updateAllFilesRemoved(tx, caller, productId, caller.now))
}
