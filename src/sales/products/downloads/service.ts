import type { Db, Tx } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import type { Deps } from '../../../deps.ts'
import type { Arrived, Reference } from '../../../files/files.ts'
import type { Caller, Tenant } from '../../../lib/caller.ts'
import { allOrPage, type Page } from '../../../lib/paging.ts'
import { invalid, notFound } from '../../../lib/problem.ts'
import { toId } from '../../../lib/schemas.ts'
import { fileNameError } from '../../../lib/text.ts'
import { newReference } from '../../../lib/tokens.ts'
import { type FileRecord, fileRecord, filesOf } from '../record/parts.ts'
import {
  type CopiedIds,
  copiedRowsOf,
  lockProduct,
  productChanged,
  requireProduct,
} from '../record/service.ts'
import { revokeGrants } from './grants.ts'
import {
  hasGrants,
  insertFile,
  insertFileCopies,
  lockFile,
  lockFilesOf,
  lockOwner,
  selectFile,
  updateAllFilesRemoved,
  updateFileRemoved,
  updateName,
} from './queries.ts'
import type { DeleteFile, RenameFile } from './schemas.ts'

export type { FileRecord } from '../record/parts.ts'

export type FileDeps = Pick<Deps, 'db' | 'ids' | 'files' | 'publicUrl'>

const FILES_MAX = 50

/** Lists all files, or only the requested page. Throws 404. */
export async function listFiles(db: Db, tenant: Tenant, productId: number | string, page: Page) {
  const product = await requireProduct(db, tenant, productId)
  const files = (await filesOf(db, tenant, [product.id])).get(product.id) ?? []
  const { rows, meta } = allOrPage(files, page)
  return { records: rows, meta }
}

/** Adds files that future buyers of the product will get. Throws 400, 404. */
export async function addFiles(
  tx: Tx,
  deps: FileDeps,
  caller: Caller,
  productId: number | string,
  arrived: readonly Arrived[],
) {
  const { businessId, live, now } = caller
  const product = await lockProduct(tx, caller, productId)
  const before = (await filesOf(tx, caller, [product.id])).get(product.id) ?? []
  if (before.length + arrived.length > FILES_MAX) {
    const text = `would exceed the limit of ${FILES_MAX} files`
    throw invalid({ file: [text] }, 'too_many_files')
  }
  // The fixed order prevents deadlocks between requests that store the same content.
  const inOrder = arrived.toSorted((a, b) => a.stored.sha256.compare(b.stored.sha256))
  for (const { stored } of inOrder) await deps.files.take(tx, caller, stored)
  for (const { name, contentType, stored } of arrived) {
    await insertFile(tx, {
      business_id: businessId,
      live,
      id: await deps.ids.next(tx),
      reference: newReference('DDF'),
      product_id: product.id,
      name,
      content_type: contentType,
      bytes: stored.bytes,
      sha256: stored.sha256,
      created_at: now,
    })
  }
  await productChanged(tx, deps, caller, product.id)
  const after = (await filesOf(tx, caller, [product.id])).get(product.id) ?? []
  const files = after.slice(-arrived.length)
  return { ...files[0]!, files }
}

/** Renames a file. Existing links then also use the new name. Throws 400, 404. */
export async function renameFile(tx: Tx, deps: FileDeps, caller: Caller, sent: RenameFile) {
  const name = sent.name.normalize('NFC')
  const fault = fileNameError(name)
  if (fault) throw invalid({ name: [fault] })
  const product = await lockProduct(tx, caller, sent.productId)
  const file = { productId: product.id, id: toId(sent.digitalDownloadFileId) }
  if ((await updateName(tx, caller, file, name, caller.now)) === 0) throw notFound('digital_file')
  await productChanged(tx, deps, caller, product.id)
  const row = await selectFile(tx, caller, file.productId, file.id)
  return fileRecord(row!)
}

export async function lockFileRecord(
  tx: Tx,
  tenant: Tenant,
  { productId, digitalDownloadFileId }: Pick<RenameFile, 'productId' | 'digitalDownloadFileId'>,
): Promise<FileRecord> {
  const product = await lockProduct(tx, tenant, productId)
  const row = await selectFile(tx, tenant, product.id, toId(digitalDownloadFileId))
  if (!row) throw notFound('digital_file')
  return fileRecord(row)
}

/** Stored content is kept for as long as this column refers to it. */
export const FILE_REFERENCES: readonly Reference[] = [
  { table: sql`digital_files`, column: sql`sha256` },
]

export async function copyFiles(
  tx: Tx,
  { ids }: Pick<Deps, 'ids'>,
  caller: Caller,
  products: CopiedIds,
): Promise<void> {
  const had = (await filesOf(tx, caller, [products.from])).get(products.from) ?? []
  if (had.length === 0) return
  const rows = had.map(({ digitalDownloadFileId }) => ({ id: Number(digitalDownloadFileId) }))
  const pairs = await copiedRowsOf(tx, ids, rows, 'DDF')
  await insertFileCopies(tx, caller, products, pairs, caller.now)
}

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
