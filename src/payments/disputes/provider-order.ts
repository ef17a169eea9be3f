import type { Database } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { OrderKind, ProviderReport } from '../../provider-orders/orders.ts'
import type {
  About,
  DisputeResponse,
  DisputeState,
  Outcome,
  Provider,
} from '../../providers/connector/types.ts'
import { lockWithPayable } from '../attempts/settle.ts'
import { applyState, type DisputeDeps, paymentIdIn } from './apply-report.ts'
import {
  type DisputeRow,
  endResponse,
  filesOf,
  lockDispute,
  type ResponseRow,
  selectById,
  selectResponse,
} from './queries.ts'
import { emailDispute } from './record.ts'
import { type StoredCustomer, tellResponse } from './respond.ts'
import { contentOf } from './service.ts'

/** A response with its dispute. */
interface Responding extends ResponseRow {
  dispute: DisputeRow
}

/** Whether the response has arrived, and what the provider says about the dispute. */
interface Delivery {
  status: 'Successful' | 'Failed'
  message: string
  dispute?: DisputeState
}

type ResponseDeps = DisputeDeps & Pick<Deps, 'db' | 'files'>

/**
 * How responses to disputes are sent. The provider names disputes by its own numbers, and knows of
 * no response as such: while it still waits for one, none has arrived.
 */
export const responseOrders = (deps: ResponseDeps): OrderKind<Delivery, Responding> => ({
  kind: 'dispute_response',
  find,
  async send(provider, { about }, row) {
    if (!provider.respondToDispute) return UNSUPPORTED
    const response = await responseOf(deps, about.tenant, row)
    const { provider_id } = row.dispute
    return delivered(row, await provider.respondToDispute(about, provider_id, response))
  },
  lookUp: (provider, about, _sent, row) => lookUp(deps, provider, about, row),
  refused: (message) => ({ status: 'Failed', message }),
  apply: (reported) => applyDelivery(deps, reported),
})

async function find(
  db: Database,
  tenant: Tenant,
  { subject_id }: { subject_id: number },
): Promise<Responding | undefined> {
  const response = await selectResponse(db, tenant, subject_id)
  if (response?.status !== 'Sending') return undefined
  const dispute = await selectById(db, tenant, response.dispute_id)
  return dispute && { ...response, dispute }
}

const UNSUPPORTED: Outcome<never> = {
  kind: 'refused',
  code: 'unsupported',
  message: 'Respond in the provider’s dashboard: this provider takes no responses from Tradepost.',
}

async function responseOf(
  deps: Pick<Deps, 'db' | 'files'>,
  tenant: Tenant,
  { action, amount_minor, message, customer: stored, file_id, dispute_id, dispute }: Responding,
): Promise<DisputeResponse> {
  const files = (await filesOf(deps.db, tenant, [dispute_id])).get(dispute_id) ?? []
  const file = files.find(({ id }) => id === file_id)
  return {
    accept: action === 'accept',
    amount_minor,
    message,
    customer: stored === null ? null : customerOf(JSON.parse(stored)),
    file: file
      ? {
          name: file.name,
          contentType: file.content_type,
          bytes: await contentOf(deps, tenant, file.sha256),
        }
      : null,
    paymentId: await paymentIdIn(deps.db, tenant, dispute),
  }
}

const customerOf = ({ deliveryAddress, deliveredOn, ...customer }: StoredCustomer) => ({
  ...customer,
  ...(deliveryAddress !== null && { deliveryAddress }),
  ...(deliveredOn !== null && { deliveredOn: new Date(deliveredOn) }),
})

async function lookUp(
  { db }: Pick<Deps, 'db'>,
  provider: Provider,
  about: About,
  row: Responding,
): Promise<Outcome<Delivery>> {
  if (!provider.lookUpDispute) return { kind: 'unknown', reason: 'inconclusive' }
  const paymentId = await paymentIdIn(db, about.tenant, row.dispute)
  const outcome = await provider.lookUpDispute(about, row.dispute.provider_id, paymentId)
  if (outcome.kind === 'refused') return { kind: 'unknown', reason: 'inconclusive' }
  if (outcome.kind === 'done' && outcome.value.status === 'AwaitingResponse') {
    return { kind: 'refused', code: 'unknown_order', message: 'The provider has no response.' }
  }
  return delivered(row, outcome)
}

/** A dispute that ends otherwise than the response wants was decided without it. */
function delivered(
  { action }: Pick<ResponseRow, 'action'>,
  outcome: Outcome<DisputeState>,
): Outcome<Delivery> {
  if (outcome.kind !== 'done') return outcome
  const { value: dispute } = outcome
  if (dispute.status === 'AwaitingResponse') return { kind: 'unknown', reason: 'inconclusive' }
  const against = action === 'accept' ? ['Won'] : ['Lost', 'Accepted']
  const value: Delivery = against.includes(dispute.status)
    ? { status: 'Failed', message: 'The dispute was decided without the response.', dispute }
    : { status: 'Successful', message: 'The provider has the response.', dispute }
  return { ...outcome, value }
}

/** Ends the response, and applies what the provider says about the dispute. */
const applyDelivery = (
  deps: ResponseDeps,
  { tenant, row, state, now, commit }: ProviderReport<Delivery, Responding>,
): Promise<void> =>
  commit(async (tx) => {
    const { transaction_id, id } = row.dispute
    const payment = await lockWithPayable(tx, deps.payables, tenant, transaction_id)
    const dispute = await lockDispute(tx, tenant, id)
    const isSent = state.status === 'Successful'
    const ended = await endResponse(tx, tenant, row.id, {
      status: isSent ? 'Sent' : 'Failed',
      result: isSent ? null : state.message,
      now,
    })
    const isChanged =
      state.dispute !== undefined &&
      (await applyState(tx, deps, { tenant, state: state.dispute, now }, dispute))
    if (ended === 0 || isChanged) return
    await tellResponse(tx, deps, tenant, id, now)
    if (!isSent) await emailDispute(tx, deps, dispute, payment, 'response_failed')
  })
