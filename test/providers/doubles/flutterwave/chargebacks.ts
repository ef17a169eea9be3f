import type { Answer, DoubleRequest } from '../double.ts'
import {
  type Account,
  type Chargeback,
  deduct,
  isoOf,
  isWithin,
  listAnswer,
  nairaOf,
  ok,
  refuse,
  takeBack,
} from './account.ts'

export function chargebackOperations(account: Account) {
  const find = (id: string | undefined) => account.chargebacks.find((one) => `${one.id}` === id)
  return {
    'GET /chargebacks': (request: DoubleRequest) => {
      const { status, currency, flw_ref, id } = request.query
      const rows = account.chargebacks
        .filter((one) => isWithin(one.createdAt, request))
        .filter((one) => !status || one.status === status)
        .filter((one) => !currency || one.transaction.currency === currency)
        .filter((one) => !flw_ref || one.transaction.flwRef === flw_ref)
        .filter((one) => !id || `${one.transaction.id}` === id)
      return listAnswer('Chargebacks fetched', rows, request, chargebackJson)
    },
    'POST /upload_image': ({ body }: DoubleRequest) =>
      /; filename="[^"]+\.(png|jpe?g|pdf)"/i.test(body)
        ? ok(
            'Image sucessfully uploaded',
            `${account.kit.dashboardUrl()}/proof/${account.kit.nextId()}`,
          )
        : refuse(400, 'Image is not in required format'),
    'PUT /chargebacks/{id}': ({ params, body }: DoubleRequest) => {
      const found = find(params.id)
      return found ? answer(account, found, body) : refuse(404, 'Chargeback not found')
    },
  }
}

function answer(
  account: Account,
  chargeback: Chargeback,
  body: { action: 'accept' | 'decline'; comment: string; prooflink?: string },
): Answer {
  if (chargeback.status !== 'initiated') {
    return refuse(400, `Chargeback is ${chargeback.status} and cannot be changed`)
  }
  Object.assign(chargeback, { comment: body.comment, proof: body.prooflink ?? null })
  if (body.action === 'accept') move(account, chargeback, 'accepted', 'Merchant accepts claim')
  else move(account, chargeback, 'declined', 'Merchant declines claim')
  const { transaction_id: _, tx_ref: __, ...data } = chargebackJson(chargeback)
  return ok(`Chargeback ${chargeback.status}`, data)
}

export function disputesOf(account: Account) {
  const { kit, chargebacks, transactions } = account
  return {
    /** Opens a chargeback. The money is taken at once. Without an answer it is lost when due. */
    open(txRef: string, amount_minor: bigint, dueMs: number): string {
      const transaction = transactions.find(
        (one) => one.txRef === txRef && one.status === 'successful',
      )
      if (!transaction) throw new Error(`nobody has paid ${txRef}`)
      const createdAt = kit.clock.now()
      const chargeback: Chargeback = {
        id: kit.nextId(),
        transaction,
        amount: amount_minor,
        status: 'initiated',
        comment: 'Product/service not received',
        proof: null,
        history: [],
        createdAt,
        deduction: deduct(account, 'chargeback', amount_minor),
        dueAt: new Date(createdAt.getTime() + dueMs),
      }
      chargebacks.push(chargeback)
      kit.books.enter({ ...entryOf(chargeback), kind: 'dispute', amount_minor: -amount_minor })
      move(account, chargeback, 'initiated', 'Debit and hold chargeback amount')
      kit.clock.after(dueMs, () => {
        if (chargeback.status === 'initiated') {
          move(account, chargeback, 'lost', 'No merchant response')
        }
      })
      return `${chargeback.id}`
    },
    /** Decides as the payer's bank does. */
    decide(id: string, outcome: 'won' | 'lost'): void {
      const found = chargebacks.find((one) => `${one.id}` === id)
      if (!found) throw new Error(`Flutterwave has no chargeback ${id}`)
      if (found.status !== 'initiated' && found.status !== 'declined') return
      if (outcome === 'won') {
        takeBack(account, found.deduction)
        kit.books.enter({ ...entryOf(found), kind: 'reversal', amount_minor: found.amount })
      }
      move(account, found, outcome, `Chargeback ${outcome}`)
    },
  }
}

const entryOf = ({ id, transaction }: Chargeback) => ({
  reference: transaction.txRef,
  providerId: `${id}`,
  currency: transaction.currency,
})

function move(
  { kit }: Account,
  chargeback: Chargeback,
  status: Chargeback['status'],
  description: string,
): void {
  chargeback.status = status
  chargeback.history.push({ action: status, date: kit.clock.now(), description })
  const { id, flw_ref, amount, stage } = chargebackJson(chargeback)
  const event = `chargeback.${status}`
  kit.notices.notify(event, { event, data: { id, flw_ref, amount, status, stage } })
}

function chargebackJson({ transaction, deduction, ...chargeback }: Chargeback) {
  const { id, amount, status, comment, proof, history, dueAt, createdAt } = chargeback
  return {
    id,
    amount: nairaOf(amount),
    flw_ref: transaction.flwRef,
    status,
    stage: 'new',
    comment,
    meta: {
      uploaded_proof: proof,
      history: history.map((one) => ({
        ...one,
        stage: 'new',
        date: isoOf(one.date),
        source: deduction.source,
      })),
    },
    due_date: isoOf(dueAt),
    created_at: isoOf(createdAt),
    settlement_id: deduction.settlement ? `${deduction.settlement.id}` : 'N/A',
    transaction_id: transaction.id,
    tx_ref: transaction.txRef,
  }
}
