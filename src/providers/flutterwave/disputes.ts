import { randomUUID } from 'node:crypto'
import { beforeOrder, dateOf, type Refusal } from '../connector/api.ts'
import type {
  Call,
  DisputePage,
  DisputeResponse,
  DisputeState,
  Disputes,
  Range,
} from '../connector/http-connector.ts'
import type { Json } from '../connector/json.ts'
import type { Outcome } from '../connector/types.ts'
import { CURRENCY, pageOf, pageQuery, send } from './api.ts'
import { daysQuery } from './reports.ts'

/** Flutterwave calls them chargebacks. */
export const disputes: Disputes = { list, lookUpDispute, respond }

function list(call: Call, range: Range, cursor: string | null): Promise<Outcome<DisputePage>> {
  const query = { ...daysQuery(range), ...pageQuery(cursor) }
  return send(call, { operation: 'GET /chargebacks', query }, (body) => {
    const page = pageOf(body, cursor, (row) => {
      const providerId = row.text('id')
      const state = disputeState(row)
      return providerId && state ? { ...state, providerId } : undefined
    })
    return page && { kind: 'done', value: { disputes: page.rows, next: page.next } }
  })
}

const UNKNOWN: readonly Refusal[] = [
  [/\bchargeback\b.*\bnot found\b/i, { kind: 'refused', code: 'unknown_order' }],
]

/** The response is a list with one row. */
function lookUpDispute(call: Call, id: string): Promise<Outcome<DisputeState>> {
  return send(
    call,
    { operation: 'GET /chargebacks/{id}', params: { id } },
    (body) => {
      const rows = body.list('data') ?? [body.at('data')]
      const row = rows.find((one) => one.text('id') === id)
      return row && disputeOutcome(row)
    },
    UNKNOWN,
  )
}

// ---------------------------------------------------------------------------- responding

const RESPOND_REFUSALS: readonly Refusal[] = [
  ...UNKNOWN,
  // Perhaps by a request whose response was lost, so the state has to be looked up.
  [
    /\b(?:cannot be (?:changed|updated)|already (?:been )?(?:accepted|declined|resolved))\b/i,
    { kind: 'unknown', reason: 'inconclusive' },
  ],
]

/** Only the last step has an effect: an uploaded file counts when the response names it. */
async function respond(
  call: Call,
  id: string,
  { accept, amount_minor, message, file }: DisputeResponse,
): Promise<Outcome<DisputeState>> {
  const whole = accept ? await isWhole(call, id, amount_minor) : undefined
  if (whole && whole.kind !== 'done') return beforeOrder(whole)
  const link = await upload(call, file)
  if (link.kind !== 'done') return beforeOrder(link)
  const body = {
    action: accept ? 'accept' : 'decline',
    comment: message,
    ...(link.value !== null && { prooflink: link.value }),
  }
  return send(
    call,
    { operation: 'PUT /chargebacks/{id}', params: { id }, body },
    (response) => disputeOutcome(response.at('data')),
    RESPOND_REFUSALS,
  )
}

/** Flutterwave takes no amount: who accepts a chargeback, accepts all of it. */
async function isWhole(call: Call, id: string, amount_minor: bigint): Promise<Outcome<true>> {
  const outcome = await lookUpDispute(call, id)
  if (outcome.kind !== 'done') return outcome
  if (outcome.value.amount_minor === amount_minor) return { kind: 'done', value: true }
  const message = 'A chargeback at Flutterwave can only be accepted as a whole.'
  return { kind: 'refused', code: 'unsupported', message }
}

/** Evidence is a link to a file that was uploaded before. */
async function upload(call: Call, file: DisputeResponse['file']): Promise<Outcome<string | null>> {
  if (!file) return { kind: 'done', value: null }
  return send(
    call,
    { operation: 'POST /upload_image', file: formOf(file), isSafeToRepeat: true },
    (response) => {
      const link = response.text('data')
      return link ? { kind: 'done', value: link } : undefined
    },
  )
}

/** The body of a form with one file. */
function formOf({ name, contentType, bytes }: NonNullable<DisputeResponse['file']>) {
  const boundary = randomUUID()
  const safeName = name.replace(/[^\w.-]/g, '_')
  const head = [
    `--${boundary}`,
    `content-disposition: form-data; name="image"; filename="${safeName}"`,
    `content-type: ${contentType.replace(/[^\w/+.-]/g, '')}`,
    ...['', ''],
  ].join('\r\n')
  const all = [Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]
  return { contentType: `multipart/form-data; boundary=${boundary}`, bytes: Buffer.concat(all) }
}

// -------------------------------------------------------------------------------- state

function disputeOutcome(data: Json): Outcome<DisputeState> | undefined {
  const value = disputeState(data)
  return value && { kind: 'done', value }
}

const STATUSES: Readonly<Record<string, DisputeState['status']>> = {
  initiated: 'AwaitingResponse',
  accepted: 'Accepted',
  won: 'Won',
  lost: 'Lost',
}

/** Words that we do not know are UnderReview, which ends nothing. */
function disputeState(data: Json): DisputeState | undefined {
  const word = data.text('status')
  const amount_minor = data.major(CURRENCY, 'amount')
  if (!word || amount_minor === undefined) return undefined
  return {
    status: STATUSES[word] ?? 'UnderReview',
    amount_minor,
    currency: CURRENCY,
    chargeReference: data.text('tx_ref') ?? null,
    reason: data.text('comment') ?? '',
    dueAt: dateOf(data.text('due_date')),
  }
}
