import type { Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import type { Arrived, Reference } from '../../files/files.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { parseDay } from '../../lib/dates.ts'
import { parseAmount, printMinor } from '../../lib/money.ts'
import { conflict, invalid, notFound, type Problem } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import { newReference } from '../../lib/tokens.ts'
import { orderJobName } from '../../provider-orders/orders.ts'
import {
  countEvent,
  type DisputeRow,
  deleteFile,
  filesOf,
  insertFile,
  insertResponse,
  lockOpen,
  type ResponseRow,
  selectPayment,
} from './queries.ts'
import { disputeEvent, disputeRecord } from './record.ts'
import type { AcceptDispute, ContestDispute } from './schemas.ts'
import { getDispute, partsOf, requireDispute } from './service.ts'

type RespondDeps = Pick<Deps, 'ids' | 'nudge'>

/** Accepts a dispute, or a part of it. A job sends that to the provider, which then decides. */
export async function acceptDispute(
  tx: Tx,
  deps: RespondDeps,
  caller: Caller,
  reference: string,
  { amount, message = 'We accept this dispute.' }: AcceptDispute,
) {
  const dispute = await requireDispute(tx, caller, reference)
  const { currency } = dispute
  const amount_minor = amount === undefined ? dispute.amount_minor : parseAmount(amount, currency)
  if (amount_minor > dispute.amount_minor) {
    const most = printMinor(dispute.amount_minor, currency)
    throw invalid({ amount: [`must be at most ${most}, the disputed amount`] })
  }
  const response = { action: 'accept', amount_minor, message, customer: null } as const
  return respond(tx, deps, caller, dispute, { ...response, file_id: null })
}

/** Contests a dispute, in the same way. */
export async function contestDispute(
  tx: Tx,
  deps: RespondDeps,
  caller: Caller,
  reference: string,
  { message, evidenceId, ...asked }: ContestDispute,
) {
  const dispute = await requireDispute(tx, caller, reference)
  // So that no file is deleted before the response names it.
  await requireOpen(tx, caller, reference)
  const files = (await filesOf(tx, caller, [dispute.id])).get(dispute.id) ?? []
  const file =
    evidenceId === undefined ? files.at(-1) : files.find(({ id }) => id === toId(evidenceId))
  if (evidenceId !== undefined && !file) {
    throw invalid({ evidenceId: ['must be the id of one of the files of this dispute'] })
  }
  const customer = await customerOf(tx, caller, dispute, asked)
  return respond(tx, deps, caller, dispute, {
    action: 'contest',
    amount_minor: dispute.amount_minor,
    message,
    customer: customer && JSON.stringify(customer),
    file_id: file?.id ?? null,
  })
}

/** What the provider wants to know about the customer, in its stored form. */
export interface StoredCustomer {
  email: string
  name: string
  phone: string
  serviceDetails: string
  deliveryAddress: string | null
  /** A day. */
  deliveredOn: string | null
}

/** Returns nothing unless the request says what the customer bought. */
async function customerOf(
  tx: Tx,
  caller: Caller,
  { transaction_id }: DisputeRow,
  { serviceDetails, ...asked }: Omit<ContestDispute, 'message' | 'evidenceId'>,
): Promise<StoredCustomer | null> {
  if (serviceDetails === undefined) {
    if (Object.keys(asked).length === 0) return null
    throw invalid({ serviceDetails: ['is required to send anything about the customer'] })
  }
  const payment = await selectPayment(tx, caller, transaction_id)
  const email = asked.customerEmail ?? payment.customer_email
  const name = asked.customerName ?? payment.customer_name
  const phone = asked.customerPhone ?? payment.customer_phone
  const missing = { customerEmail: email, customerName: name, customerPhone: phone }
  const fields = Object.entries(missing).filter(([, value]) => value === null)
  if (!email || !name || !phone) {
    throw invalid(
      Object.fromEntries(fields.map(([field]) => [field, ['is required: the payment has none']])),
    )
  }
  const { deliveryAddress = null, deliveredOn } = asked
  const day =
    deliveredOn === undefined ? null : parseDay(deliveredOn, caller.timeZone, 'deliveredOn')
  return { email, name, phone, serviceDetails, deliveryAddress, deliveredOn: day }
}

type NewResponse = Pick<ResponseRow, 'action' | 'amount_minor' | 'message' | 'customer' | 'file_id'>

async function respond(
  tx: Tx,
  { ids, nudge }: RespondDeps,
  caller: Caller,
  dispute: DisputeRow,
  asked: NewResponse,
) {
  const { now } = caller
  const stored = await insertResponse(tx, dispute, {
    ...asked,
    id: await ids.next(tx),
    reference: newReference('DSR'),
    created_by: caller.person?.id ?? null,
    now,
  })
  if (!stored) throw await notOpen(tx, caller, dispute.reference)
  const record = await tellResponse(tx, { ids }, caller, dispute.id, now)
  tx.after(() => nudge(orderJobName('dispute_response')))
  return record
}

/** Tells that the response to a dispute has changed. Returns the dispute's record. */
export async function tellResponse(
  tx: Tx,
  { ids }: Pick<Deps, 'ids'>,
  { businessId, live }: Tenant,
  disputeId: number,
  now: Date,
) {
  const row = await countEvent(tx, { businessId, live }, disputeId, now)
  const parts = await partsOf(tx, row)
  await appendEvents(tx, ids, [disputeEvent('dispute.updated', row, parts, now)])
  return disputeRecord(row, parts)
}

/* The files that a response can name. */

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
async function notOpen(tx: Tx, tenant: Tenant, reference: string): Promise<Problem> {
  const { status } = await requireDispute(tx, tenant, reference)
  return status === 'Open'
    ? conflict('dispute_state', 'A response to this dispute is being sent.')
    : conflict('dispute_state', `This dispute is ${status}, so no response is expected.`, {
        status: [`is ${status}`],
      })
}
