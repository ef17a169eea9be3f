import type { Answer, DoubleRequest, Page } from '../double.ts'
import {
  type Account,
  codeOf,
  customerJson,
  type Dispute,
  domainOf,
  INTEGRATION,
  isoOf,
  isWithin,
  listAnswer,
  ok,
  plainRefusal,
  type Refund,
  refuse,
} from './account.ts'
import { findTransaction, transactionJson } from './charges.ts'

export function disputeOperations(account: Account, uploads: Set<string>) {
  const find = (id: string | undefined) => account.disputes.find((one) => `${one.id}` === id)
  const withDispute =
    (act: (dispute: Dispute, request: DoubleRequest) => Answer) => (request: DoubleRequest) => {
      const found = find(request.params.id)
      return found ? act(found, request) : plainRefusal(404, 'Dispute not found')
    }
  return {
    'GET /dispute': (request: DoubleRequest) => {
      const { status, transaction } = request.query
      const rows = account.disputes
        .filter((one) => isWithin(one.createdAt, request))
        .filter((one) => !status || one.status === status)
        .filter((one) => !transaction || `${one.transaction.id}` === transaction)
      const toJson = (one: Dispute) => disputeJson(account, one)
      return listAnswer(account, 'Disputes retrieved', rows.reverse(), request, toJson)
    },
    'GET /dispute/{id}': withDispute((found) =>
      ok('Dispute retrieved', disputeJson(account, found)),
    ),
    'POST /dispute/{id}/evidence': withDispute((found, { body }) => {
      const id = account.kit.nextId()
      found.evidence = { id }
      const at = isoOf(account.kit.clock.now())
      const more = { dispute: found.id, id, createdAt: at, updatedAt: at }
      return ok('Evidence created', { ...body, ...more })
    }),
    'GET /dispute/{id}/upload_url': withDispute((_, { query }) => {
      if (!query.upload_filename) {
        return refuse(400, 'upload_filename is required', 'missing_params')
      }
      const fileName = codeOf('f', account.kit.nextId()).slice(2)
      const signedUrl = `${account.kit.dashboardUrl()}/upload/${fileName}?X-Amz-Expires=1800`
      return ok('Upload url generated', { signedUrl, fileName })
    }),
    'PUT /dispute/{id}/resolve': withDispute((found, { body }) =>
      answer(account, found, body, uploads),
    ),
  }
}

/** Where a file is sent before the answer that names it. */
export function uploadPage(method: string, url: URL, uploads: Set<string>): Page | undefined {
  const [, name] = /^\/upload\/(\w+)$/.exec(url.pathname) ?? []
  if (name === undefined || method !== 'PUT') return undefined
  uploads.add(name)
  return { status: 200 }
}

function answer(
  account: Account,
  dispute: Dispute,
  body: { resolution: string; message: string; refund_amount: number; uploaded_filename: string },
  uploads: Set<string>,
): Answer {
  if (dispute.status !== 'awaiting-merchant-feedback') {
    return refuse(400, 'Dispute has already been answered', 'invalid_params')
  }
  if (BigInt(body.refund_amount) > dispute.amount) {
    return plainRefusal(400, 'Refund amount cannot be greater than initial amount')
  }
  if (!uploads.has(body.uploaded_filename)) {
    return refuse(400, 'Uploaded file was not found', 'invalid_params')
  }
  const createdAt = account.kit.clock.now()
  dispute.messages.push({ sender: 'owner@shop.example', body: body.message, createdAt })
  if (body.resolution === 'merchant-accepted') {
    resolve(account, dispute, 'merchant-accepted', BigInt(body.refund_amount))
  } else if (body.resolution === 'declined') dispute.status = 'awaiting-bank-feedback'
  else return refuse(400, 'Resolution is invalid', 'invalid_params')
  const { history: _, messages: __, ...rest } = disputeJson(account, dispute)
  const message = { dispute: dispute.id, sender: 'owner@shop.example', body: body.message }
  return ok('Dispute successfully resolved', {
    ...rest,
    transaction: dispute.transaction.id,
    integration: INTEGRATION,
    merchant_transaction_reference: dispute.transaction.reference,
    created_by: 1,
    attachments: 'attachment',
    evidence: dispute.evidence?.id ?? null,
    message: { ...message, id: 1, createdAt: isoOf(createdAt), updatedAt: isoOf(createdAt) },
  })
}

export function disputesOf(account: Account) {
  const { kit, disputes } = account
  return {
    /** Opens a dispute. Without an answer it is lost when it is due. */
    open(reference: string, amount_minor: bigint, dueMs: number): string {
      const transaction = findTransaction(account, reference)
      if (!transaction?.paidAt) throw new Error(`nobody has paid ${reference}`)
      const createdAt = kit.clock.now()
      const dispute: Dispute = {
        id: kit.nextId(),
        transaction,
        amount: amount_minor,
        status: 'awaiting-merchant-feedback',
        resolution: null,
        evidence: null,
        messages: [
          { sender: transaction.customer.email, body: 'I did not get what I paid for', createdAt },
        ],
        dueAt: new Date(createdAt.getTime() + dueMs),
        createdAt,
        resolvedAt: null,
      }
      disputes.push(dispute)
      const isOpen = () => dispute.status === 'awaiting-merchant-feedback'
      kit.clock.after(dueMs / 2, () => isOpen() && notify(account, dispute, 'remind'))
      kit.clock.after(dueMs, () => isOpen() && resolve(account, dispute, 'auto-accepted'))
      notify(account, dispute, 'create')
      return `${dispute.id}`
    },
    /** Decides as the payer's bank does. */
    decide(id: string, outcome: 'won' | 'lost'): void {
      const found = disputes.find((one) => `${one.id}` === id)
      if (!found) throw new Error(`Paystack has no dispute ${id}`)
      resolve(account, found, outcome === 'won' ? 'declined' : 'auto-accepted')
    },
  }
}

/** The money leaves the balance when a dispute is lost, not when it is opened. */
function resolve(
  account: Account,
  dispute: Dispute,
  resolution: NonNullable<Dispute['resolution']>,
  amount = dispute.amount,
): void {
  const { kit } = account
  if (dispute.status === 'resolved') return
  Object.assign(dispute, { status: 'resolved', resolution, amount, resolvedAt: kit.clock.now() })
  if (resolution !== 'declined') {
    const { transaction } = dispute
    const entry = { reference: transaction.reference, currency: transaction.currency }
    kit.books.enter({
      ...entry,
      providerId: `${dispute.id}`,
      kind: 'dispute',
      amount_minor: -amount,
    })
    if (amount === transaction.paid) transaction.status = 'reversed'
    account.refunds.push(refundOf(account, dispute))
  }
  notify(account, dispute, 'resolve')
}

/** Such a refund takes nothing more. */
function refundOf({ kit }: Account, dispute: Dispute): Refund {
  const { transaction, amount } = dispute
  const note = `Refund for transaction ${transaction.reference}`
  const at = kit.clock.now()
  return {
    id: kit.nextId(),
    transaction,
    amount,
    status: 'processed',
    deducted: amount,
    dispute,
    customerNote: note,
    merchantNote: `${note} by owner@shop.example`,
    createdAt: at,
    updatedAt: at,
  }
}

function notify(account: Account, dispute: Dispute, event: 'create' | 'remind' | 'resolve'): void {
  const type = `charge.dispute.${event}`
  account.kit.notices.notify(type, { event: type, data: disputeJson(account, dispute) })
}

function disputeJson(account: Account, dispute: Dispute) {
  const { transaction, createdAt, resolvedAt, messages, amount } = dispute
  const by = transaction.customer.email
  const { log: _, ...ofTransaction } = transactionJson(account, transaction)
  return {
    id: dispute.id,
    refund_amount: amount,
    currency: transaction.currency,
    status: dispute.status,
    resolution: dispute.resolution,
    domain: domainOf(account),
    transaction: { ...ofTransaction, log: null },
    transaction_reference: null,
    category: 'chargeback',
    customer: customerJson(transaction.customer),
    bin: '408408',
    last4: '4081',
    dueAt: isoOf(dispute.dueAt),
    resolvedAt: isoOf(resolvedAt),
    evidence: dispute.evidence,
    attachments: null,
    note: null,
    history: [{ status: dispute.status, by, createdAt: isoOf(createdAt) }],
    messages: messages.map((one) => ({ ...one, createdAt: isoOf(one.createdAt) })),
    createdAt: isoOf(createdAt),
    updatedAt: isoOf(resolvedAt ?? createdAt),
  }
}
