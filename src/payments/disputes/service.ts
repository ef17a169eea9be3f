import type { Db } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { isDescending, oneOf, rangeOf } from '../../lib/paging.ts'
import { notFound } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import { findTransaction } from '../attempts/read.ts'
import { type DisputeRow, filesOf, findDisputes, responsesOf, selectDispute } from './queries.ts'
import { type DisputeParts, disputeRecord } from './record.ts'
import { DISPUTE_STATES, type DisputeQuery } from './schemas.ts'

export { selectByProviderId as findDispute } from './queries.ts'

export async function requireDispute(
  db: Db,
  tenant: Tenant,
  reference: string,
): Promise<DisputeRow> {
  const row = await selectDispute(db, tenant, reference)
  if (!row) throw notFound('dispute')
  return row
}

export async function partsOf(
  db: Db,
  { business_id: businessId, live, id }: DisputeRow,
): Promise<DisputeParts> {
  const tenant = { businessId, live }
  const files = (await filesOf(db, tenant, [id])).get(id) ?? []
  return { response: (await responsesOf(db, tenant, [id])).get(id), files }
}

async function recordOf(db: Db, row: DisputeRow) {
  return disputeRecord(row, await partsOf(db, row))
}

/** Returns one dispute by its reference. Throws 404. */
export async function getDispute(db: Db, tenant: Tenant, reference: string) {
  return recordOf(db, await requireDispute(db, tenant, reference))
}

export async function listDisputes(db: Db, caller: Caller, query: DisputeQuery) {
  const status = oneOf('status', DISPUTE_STATES, query.status)
  const range = rangeOf(query, caller.timeZone)
  const { transactionReference } = query
  const transactionId =
    transactionReference === undefined
      ? undefined
      : await transactionIdOf(db, caller, transactionReference)
  const filter = { status, range, transactionId, isDescending: isDescending(query.sort) }
  const { rows, meta } = await findDisputes(db, caller, filter, query)
  const ids = rows.map(({ id }) => id)
  const files = await filesOf(db, caller, ids)
  const responses = await responsesOf(db, caller, ids)
  const records = rows.map((row) =>
    disputeRecord(row, { response: responses.get(row.id), files: files.get(row.id) ?? [] }),
  )
  return { records, meta }
}

async function transactionIdOf(db: Db, tenant: Tenant, reference: string): Promise<number> {
  const found = await findTransaction(db, tenant, reference)
  if (!found) throw notFound('transaction')
  return found.id
}

/** Returns the content of a file, with its name. Throws 404. */
export async function readEvidence(
  { db, files }: Pick<Deps, 'db' | 'files'>,
  tenant: Tenant,
  { reference, evidenceId }: { reference: string; evidenceId: number | string },
) {
  const dispute = await requireDispute(db, tenant, reference)
  const all = (await filesOf(db, tenant, [dispute.id])).get(dispute.id) ?? []
  const file = all.find(({ id }) => id === toId(evidenceId))
  if (!file) throw notFound('evidence')
  return { file, content: await contentOf({ db, files }, tenant, file.sha256) }
}

/** Reads a file of at most 10 MiB. */
export async function contentOf(
  { db, files }: Pick<Deps, 'db' | 'files'>,
  tenant: Tenant,
  sha256: Buffer,
): Promise<Buffer> {
  const content = await files.open(await files.find(db, tenant, sha256))
  return Buffer.concat(await content.toArray())
}
