import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { parseDay } from '../../lib/dates.ts'
import { parseAmount, printMinor } from '../../lib/money.ts'
import { invalid } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import { newReference } from '../../lib/tokens.ts'
import { orderJobName } from '../../provider-orders/orders.ts'
import { notOpen } from './evidence.ts'
import {
  countEvent,
  type DisputeRow,
  filesOf,
  insertResponse,
  type ResponseRow,
  selectPayment,
} from './queries.ts'
import { disputeEvent, disputeRecord } from './record.ts'
import type { AcceptDispute, ContestDispute } from './schemas.ts'
import { partsOf, requireDispute } from './service.ts'

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
  const files = (await filesOf(tx, caller, [dispute.id])).get(dispute.id) ?? []
  const file =
    evidenceId === undefined ? files.at(-1) : files.find(({ id }) => id === toId(evidenceId))
  if (evidenceId !== undefined && !file) {
    throw invalid({ evidenceId: ['must be the id of one of the files of this dispute'] })
  }
  const customer = await customerOf(tx, caller, dispute, asked)
  return respond(tx, deps, caller, dispute, {
    ...{ action: 'contest', amount_minor: dispute.amount_minor, message },
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
    ...{ ...asked, id: await ids.next(tx), reference: newReference('DSR') },
    ...{ created_by: caller.person?.id ?? null, now },
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
