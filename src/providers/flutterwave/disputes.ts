import { randomUUID } from 'node:crypto'
import { addMs } from '../../lib/clock.ts'
import { beforeOrder, dateOf, inconclusive, type Refusal, safeFileName } from '../connector/api.ts'
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
  return listed(call, daysQuery(range), cursor)
}

function listed(
  call: Call,
  filter: Readonly<Record<string, string>>,
  cursor: string | null,
): Promise<Outcome<DisputePage>> {
  const query = { ...filter, ...pageQuery(cursor) }
  return send(call, { operation: 'GET /chargebacks', query }, (body) => {
    const page = pageOf(body, cursor, (row) => {
      const providerId = row.text('id')
      const state = disputeState(row)
      return providerId && state ? { ...state, providerId } : undefined
    })
    return page && { kind: 'done', value: { disputes: page.rows, next: page.next } }
  })
}

const DAY_MS = 24 * 3_600_000

/** How far back chargebacks are listed: banks decide about them within a few months. */
const LISTED_MS = 180 * DAY_MS

/** Each page is a request, and all of them must fit into one deadline. */
const PAGES_MAX = 20

/**
 * Flutterwave has no lookup of a chargeback by its own number, but a list that can be filtered by
 * the number of the payment. If that is not known or does not help, or if Flutterwave does not take
 * the filter, all the latest ones are listed.
 */
async function lookUpDispute(
  call: Call,
  id: string,
  paymentId: string | null = null,
): Promise<Outcome<DisputeState>> {
  const filtered = paymentId === null ? ABSENT : await find(call, id, { id: paymentId })
  if (filtered.kind === 'done' || filtered.kind === 'notNow') return filtered
  const range = { from: addMs(call.now, -LISTED_MS), until: addMs(call.now, DAY_MS) }
  return find(call, id, daysQuery(range))
}

async function find(
  call: Call,
  id: string,
  query: Readonly<Record<string, string>>,
): Promise<Outcome<DisputeState>> {
  let cursor: string | null = null
  for (let read = 0; read < PAGES_MAX; read++) {
    const outcome: Outcome<DisputePage> = await listed(call, query, cursor)
    if (outcome.kind !== 'done') return outcome
    const { disputes, next }: DisputePage = outcome.value
    const found = disputes.find(({ providerId }) => providerId === id)
    if (found) {
      const { providerId: _, ...value } = found
      return { kind: 'done', value }
    }
    if (next === null) return ABSENT
    cursor = next
  }
  return inconclusive('Flutterwave lists too many chargebacks to find this one.')
}

const ABSENT: Outcome<never> = {
  kind: 'refused',
  code: 'unknown_order',
  message: 'Flutterwave has no chargeback with this number.',
}

// ---------------------------------------------------------------------------- responding

const RESPOND_REFUSALS: readonly Refusal[] = [
  [/\bchargeback\b.*\bnot found\b/i, { kind: 'refused', code: 'unknown_order' }],
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
  response: DisputeResponse,
): Promise<Outcome<DisputeState>> {
  const { accept, message, file } = response
  const whole = accept ? await isWhole(call, id, response) : undefined
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
async function isWhole(
  call: Call,
  id: string,
  { amount_minor, paymentId }: DisputeResponse,
): Promise<Outcome<true>> {
  const outcome = await lookUpDispute(call, id, paymentId)
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
  const head = [
    `--${boundary}`,
    `content-disposition: form-data; name="image"; filename="${safeFileName(name)}"`,
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
