import type { Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Deps } from '../../deps.ts'
import type { Reference } from '../../files/jobs.ts'
import type { Arrived } from '../../files/received.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { conflict, invalid, notFound, type Problem } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import { deleteFile, filesOf, insertFile, lockOpen } from './queries.ts'
import { getDispute, requireDispute } from './service.ts'

const FILES_MAX = 5
const MIB = 1024 * 1024

/** Paystack and Flutterwave take no other types, and nothing larger. */
export const EVIDENCE_LIMITS = {
  filesMax: FILES_MAX,
  fileBytesMax: 10 * MIB,
  bytesMax: FILES_MAX * 10 * MIB,
  json: false,
} as const

const TYPES = ['application/pdf', 'image/jpeg', 'image/png']

type EvidenceDeps = Pick<Deps, 'ids' | 'files'>

/** Stored content is kept for as long as this column refers to it. */
export const EVIDENCE_REFERENCES: readonly Reference[] = [
  { table: sql`dispute_files`, column: sql`sha256` },
]

/**
 * Adds files that a response to the dispute can name. Throws 400, 404, and 409 if the provider
 * expects no response.
 */
export async function addEvidence(
  tx: Tx,
  { ids, files }: EvidenceDeps,
  caller: Caller,
  reference: string,
  arrived: readonly Arrived[],
) {
  if (arrived.some(({ contentType }) => !TYPES.includes(contentType))) {
    throw invalid({ file: ['must be a PDF, JPEG or PNG file'] })
  }
  const { id: dispute_id } = await requireOpen(tx, caller, reference)
  const before = (await filesOf(tx, caller, [dispute_id])).get(dispute_id) ?? []
  if (before.length + arrived.length > FILES_MAX) {
    throw invalid({ file: [`would exceed the limit of ${FILES_MAX} files`] }, 'too_many_files')
  }
  // The fixed order prevents deadlocks between requests that store the same content.
  const inOrder = arrived.toSorted((a, b) => a.stored.sha256.compare(b.stored.sha256))
  for (const { stored } of inOrder) await files.take(tx, caller, stored)
  for (const { name, contentType: content_type, stored } of arrived) {
    const { sha256, bytes } = stored
    const id = await ids.next(tx)
    const row = { id, dispute_id, name, content_type, bytes, sha256, created_at: caller.now }
    await insertFile(tx, caller, row)
  }
  return getDispute(tx, caller, reference)
}

/** Deletes a file that no response has named. */
export async function removeEvidence(
  tx: Tx,
  { files }: EvidenceDeps,
  caller: Caller,
  { reference, evidenceId }: { reference: string; evidenceId: number | string },
) {
  const { id: disputeId } = await requireOpen(tx, caller, reference)
  const gone = await deleteFile(tx, caller, { disputeId, id: toId(evidenceId) })
  if (!gone) throw notFound('evidence')
  await files.release(tx, caller, [gone.sha256])
  return getDispute(tx, caller, reference)
}

async function requireOpen(tx: Tx, tenant: Tenant, reference: string): Promise<{ id: number }> {
  const open = await lockOpen(tx, tenant, reference)
  if (open) return open
  throw await notOpen(tx, tenant, reference)
}

/** Returns why the provider expects no response. Throws 404. */
export async function notOpen(tx: Tx, tenant: Tenant, reference: string): Promise<Problem> {
  const { status } = await requireDispute(tx, tenant, reference)
  return status === 'Open'
    ? conflict('dispute_state', 'A response to this dispute is being sent.')
    : conflict('dispute_state', `This dispute is ${status}, so no response is expected.`, {
        status: [`is ${status}`],
      })
}
