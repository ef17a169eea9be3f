import { beforeOrder, dateOf, type Refusal, safeFileName } from '../connector/api.ts'
import type {
  Call,
  DisputePage,
  DisputeResponse,
  DisputeState,
  Disputes,
  Range,
} from '../connector/http-connector.ts'
import type { Json } from '../connector/json.ts'
import { outcomeOf } from '../connector/outcome.ts'
import type { Outcome } from '../connector/types.ts'
import { nextPage, pageQuery, rangeQuery, rowsOf, send, unknownOrder } from './api.ts'

export const disputes: Disputes = { list, lookUpDispute, respond }

function list(call: Call, range: Range, cursor: string | null): Promise<Outcome<DisputePage>> {
  const query = { ...rangeQuery(range), ...pageQuery(cursor) }
  return send(call, { operation: 'GET /dispute', query }, (body) => {
    const found = rowsOf(call, body, (row) => {
      const providerId = row.text('id')
      const state = disputeState(row)
      return providerId && state ? { ...state, providerId } : undefined
    })
    const next = nextPage(body, cursor)
    if (!found || next === undefined) return undefined
    return { kind: 'done', value: { disputes: found, next } }
  })
}

const UNKNOWN = unknownOrder('dispute')

function lookUpDispute(call: Call, id: string): Promise<Outcome<DisputeState>> {
  return send(
    call,
    { operation: 'GET /dispute/{id}', params: { id } },
    (body) => (body.text('data', 'id') === id ? disputeOutcome(body.at('data')) : undefined),
    UNKNOWN,
  )
}

// ---------------------------------------------------------------------------- responding

const RESPOND_REFUSALS: readonly Refusal[] = [
  // Perhaps by a request whose response was lost, so the state has to be looked up.
  [/\balready been (?:resolved|answered)\b/i, { kind: 'unknown', reason: 'inconclusive' }],
  [
    /\brefund amount\b.*\b(?:more|greater) than\b/i,
    { kind: 'refused', code: 'amount_out_of_range' },
  ],
]

/** Only the last step has an effect: the file and the evidence count when it names them. */
async function respond(
  call: Call,
  id: string,
  response: DisputeResponse,
): Promise<Outcome<DisputeState>> {
  const file = await upload(call, id, response)
  if (file.kind !== 'done') return beforeOrder(file)
  const evidence = await addEvidence(call, id, response)
  if (evidence.kind !== 'done') return beforeOrder(evidence)
  const body = {
    resolution: response.accept ? 'merchant-accepted' : 'declined',
    message: response.message,
    refund_amount: response.accept ? response.amount_minor : 0n,
    uploaded_filename: file.value,
    ...(evidence.value !== null && { evidence: evidence.value }),
  }
  return send(
    call,
    { operation: 'PUT /dispute/{id}/resolve', params: { id }, body },
    (answered) => disputeOutcome(answered.at('data')),
    RESPOND_REFUSALS,
  )
}

/** Paystack requires a file with every response. Without one, the message is sent as a file. */
async function upload(
  call: Call,
  id: string,
  { file, message }: DisputeResponse,
): Promise<Outcome<string>> {
  const upload_filename = file ? safeFileName(file.name) : 'response.txt'
  const target = await send(
    call,
    { operation: 'GET /dispute/{id}/upload_url', params: { id }, query: { upload_filename } },
    (body) => {
      const url = body.text('data', 'signedUrl')
      const name = body.text('data', 'fileName')
      return url && name ? { kind: 'done', value: { url, name } } : undefined
    },
    UNKNOWN,
  )
  if (target.kind !== 'done') return target
  const { url, name } = target.value
  const { contentType, bytes } = file ?? { contentType: 'text/plain', bytes: Buffer.from(message) }
  // The URL is of a file store, which must not see our key.
  const result = await call.http.send({
    operation: 'PUT {signedUrl}',
    method: 'PUT',
    path: '',
    url,
    file: { contentType, bytes },
    isSafeToRepeat: true,
  })
  return outcomeOf(result, { isSafeToRepeat: true }, (status) =>
    status < 300 ? { kind: 'done', value: name } : undefined,
  )
}

/** Evidence is about the customer. Returns null without one. */
async function addEvidence(
  call: Call,
  id: string,
  { accept, customer }: DisputeResponse,
): Promise<Outcome<bigint | null>> {
  if (accept || customer === null) return { kind: 'done', value: null }
  const { email, name, phone, serviceDetails, deliveryAddress, deliveredOn } = customer
  const body = {
    customer_email: email,
    customer_name: name,
    customer_phone: phone,
    service_details: serviceDetails,
    ...(deliveryAddress !== undefined && { delivery_address: deliveryAddress }),
    ...(deliveredOn !== undefined && { delivery_date: deliveredOn.toISOString() }),
  }
  return send(
    call,
    { operation: 'POST /dispute/{id}/evidence', params: { id }, body, isSafeToRepeat: true },
    (added) => {
      const evidence = added.minor('data', 'id')
      return evidence === undefined ? undefined : { kind: 'done', value: evidence }
    },
  )
}

// -------------------------------------------------------------------------------- state

function disputeOutcome(data: Json): Outcome<DisputeState> | undefined {
  const value = disputeState(data)
  return value && { kind: 'done', value }
}

function disputeState(data: Json): DisputeState | undefined {
  const word = data.text('status')
  const { amount_minor, currency } = disputedAmount(data)
  if (!word || amount_minor === undefined || !currency) return undefined
  const chargeReference =
    data.text('transaction', 'reference') ??
    data.text('merchant_transaction_reference') ??
    data.text('transaction_reference') ??
    null
  const reason = data.list('messages')?.[0]?.text('body') ?? data.text('category') ?? ''
  const dueAt = dateOf(data.text('dueAt'))
  const status = statusOf(word, data.text('resolution'))
  return { status, amount_minor, currency, chargeReference, reason, dueAt }
}

/** Disputes that Paystack has archived name neither, and then the whole payment is meant. */
export const disputedAmount = (data: Json) => ({
  amount_minor: data.minor('refund_amount') ?? data.minor('transaction', 'amount'),
  currency: data.text('currency') ?? data.text('transaction', 'currency'),
})

const RESOLUTIONS: Readonly<Record<string, DisputeState['status']>> = {
  'merchant-accepted': 'Accepted',
  // Nobody responded in time, or the bank decided for its customer.
  'auto-accepted': 'Lost',
  declined: 'Won',
}

/** Words that we do not know are UnderReview, which ends nothing. */
function statusOf(word: string, resolution: string | undefined): DisputeState['status'] {
  if (word === 'awaiting-merchant-feedback') return 'AwaitingResponse'
  return (word === 'resolved' && RESOLUTIONS[resolution ?? '']) || 'UnderReview'
}
