import type { Answer, DoubleRequest } from '../double.ts'
import {
  type Account,
  codeOf,
  domainOf,
  INTEGRATION,
  isoOf,
  isWithin,
  listAnswer,
  ok,
  plainRefusal,
  refuse,
  type Transfer,
  type TransferStatus,
} from './account.ts'
import { recipientJson } from './accounts.ts'

interface Ordered {
  reference: string
  recipient: string
  amount: number
  reason?: string
}

/** The most transfers of one batch. */
const BATCH_MAX = 100

export function transferOperations(account: Account) {
  return {
    'POST /transfer': ({ body }: DoubleRequest) => {
      const refused = refusal(account, [body], body) ?? wrongReference(account, body.reference)
      if (refused) return refused
      return ok('Transfer has been queued', initiatedJson(account, order(account, body)))
    },
    'POST /transfer/bulk': ({ body }: DoubleRequest) => orderMany(account, body),
    'POST /transfer/finalize_transfer': ({ body }: DoubleRequest) => {
      const found = account.transfers.find(({ code }) => code === body.transfer_code)
      if (!found) return refuse(404, 'Transfer not found', 'not_found')
      if (found.status !== 'otp') {
        return refuse(400, 'Transfer is not currently awaiting OTP', 'invalid_params')
      }
      if (body.otp !== OTP) return refuse(400, 'Invalid OTP', 'invalid_params')
      accept(account, found)
      return ok('Transfer has been queued', initiatedJson(account, found))
    },
    'GET /transfer/verify/{reference}': ({ params }: DoubleRequest) => {
      const found = account.transfers.find(({ reference }) => reference === params.reference)
      return found
        ? ok('Transfer retrieved', transferJson(account, found))
        : plainRefusal(404, 'Transfer not found')
    },
    'GET /transfer/{code}': ({ params: { code } }: DoubleRequest) => {
      const found = account.transfers.find((one) => [one.code, `${one.id}`].includes(code!))
      return found
        ? ok('Transfer retrieved', transferJson(account, found))
        : plainRefusal(404, 'Transfer not found')
    },
    'GET /transfer': (request: DoubleRequest) => {
      const { status, recipient } = request.query
      const rows = account.transfers
        .filter((one) => isWithin(one.createdAt, request))
        .filter((one) => !status || one.status === status)
        .filter((one) => !recipient || `${one.recipient.id}` === recipient)
      const toJson = (one: Transfer) => transferJson(account, one)
      return listAnswer(account, 'Transfers retrieved', rows.reverse(), request, toJson)
    },
  }
}

/** What the owner would read on their phone. */
export const OTP = '928783'

// ----------------------------------------------------------------------------- ordering

function orderMany(account: Account, body: { source: string; transfers: Ordered[] }): Answer {
  const { transfers } = body
  if (account.settings.hasOtp) {
    return refuse(400, 'Disable OTP to initiate bulk transfers', 'invalid_params')
  }
  if (transfers.length > BATCH_MAX) {
    return refuse(
      400,
      `You can only transfer to ${BATCH_MAX} recipients at a time`,
      'invalid_params',
    )
  }
  // All or nothing, and not in the words of a single transfer.
  const references = transfers.map(({ reference }) => reference)
  const used = references.filter((one, i) => references.indexOf(one) !== i || isUsed(account, one))
  if (used.length > 0) {
    const message = `Duplicate reference(s) found: ${used.join()}`
    return refuse(404, message, 'unknown', 'Try again later', 'api_error')
  }
  const wrong = references.map((one) => wrongReference(account, one)).find(Boolean)
  const refused = wrong ?? refusal(account, transfers, body)
  if (refused) return refused
  const ordered = transfers.map((one) => order(account, one))
  return ok(
    `${ordered.length} transfers queued.`,
    ordered.map(({ reference, recipient, amount, code, currency, status }) => ({
      reference,
      recipient: recipient.code,
      amount,
      currency,
      status,
      transfer_code: code,
    })),
  )
}

const isUsed = ({ transfers }: Account, reference: string) =>
  transfers.some((one) => one.reference === reference)

function wrongReference(account: Account, reference: string): Answer | undefined {
  if (!/^[a-z0-9_-]{16,50}$/.test(reference)) {
    return refuse(
      400,
      'Reference must be 16 to 50 characters of a-z, 0-9, - and _',
      'invalid_params',
    )
  }
  if (!isUsed(account, reference)) return undefined
  return refuse(
    400,
    'Please provide a unique reference. Reference already exists on a transfer',
    'duplicate_transfer_reference',
    'Provide a unique reference',
  )
}

/** Refuses what the account cannot do, all of it. */
function refusal(
  account: Account,
  orders: readonly Ordered[],
  { source }: { source: string },
): Answer | undefined {
  const { settings, kit, recipients } = account
  if (settings.isStarter) {
    const message = 'You cannot initiate third party payouts as a starter business'
    return refuse(400, message, 'transfer_unavailable', 'Upgrade your business', 'api_error')
  }
  if (source !== 'balance') return refuse(400, 'Source is invalid', 'invalid_params')
  for (const { recipient, amount } of orders) {
    if (!recipients.some(({ code }) => code === recipient)) {
      return refuse(
        400,
        'Recipient specified is invalid',
        'invalid_transfer_recipient',
        'Provide a valid recipient. Ensure you are passing the recipient code in the recipient param',
      )
    }
    if (amount < 5_000) return refuse(400, 'Minimum transfer amount is NGN 50', 'invalid_params')
  }
  const needed = orders.reduce(
    (sum, { amount }) => sum + BigInt(amount) + feeOf(BigInt(amount)),
    0n,
  )
  if (needed <= kit.books.balance_minor('NGN')) return undefined
  return refuse(
    400,
    'Your balance is not enough to fulfil this request',
    'insufficient_balance',
    'Fund your balance',
    'api_error',
  )
}

/** ₦10 to ₦5,000, ₦25 to ₦50,000, ₦50 above. */
function feeOf(amount: bigint): bigint {
  if (amount <= 500_000n) return 1_000n
  return amount <= 5_000_000n ? 2_500n : 5_000n
}

function order(account: Account, ordered: Ordered): Transfer {
  const { kit, settings, transfers, recipients } = account
  const id = kit.nextId()
  const transfer: Transfer = {
    id,
    code: codeOf('TRF', id),
    reference: ordered.reference,
    recipient: recipients.find(({ code }) => code === ordered.recipient)!,
    amount: BigInt(ordered.amount),
    fee: feeOf(BigInt(ordered.amount)),
    currency: 'NGN',
    reason: ordered.reason ?? '',
    status: 'otp',
    isDebited: false,
    wasPaid: false,
    createdAt: kit.clock.now(),
    updatedAt: kit.clock.now(),
  }
  transfers.push(transfer)
  if (!settings.hasOtp) accept(account, transfer)
  return transfer
}

/** Takes the money, and sends it on as the settings say. */
function accept(account: Account, transfer: Transfer): void {
  const { kit, settings } = account
  debit(account, transfer)
  kit.books.execute(transfer.reference)
  setStatus(account, transfer, 'pending')
  if (settings.transfers === 'at_once') settle(account, transfer, 'success')
  else if (settings.transfers !== 'by_hand') {
    kit.clock.after(settings.transfers.afterMs, () => {
      if (transfer.status === 'pending') settle(account, transfer, 'success')
    })
  }
}

// ----------------------------------------------------------------------------- settling

/** The statuses in which the money is back on the balance. */
const NOT_PAID: readonly TransferStatus[] = [
  'failed',
  'reversed',
  'abandoned',
  'blocked',
  'rejected',
  'otp',
]

export function bankOf(account: Account) {
  return {
    /** Ends a transfer, or changes how it ended: success may follow failure, and the reverse. */
    settle(reference: string, status: TransferStatus): void {
      const found = account.transfers.find((one) => one.reference === reference)
      if (!found) throw new Error(`Paystack has no transfer ${reference}`)
      settle(account, found, status)
    },
  }
}

function settle(account: Account, transfer: Transfer, status: TransferStatus): void {
  if (NOT_PAID.includes(status)) credit(account, transfer)
  else debit(account, transfer)
  setStatus(account, transfer, status)
  if (status !== 'success' && status !== 'failed' && status !== 'reversed') return
  account.kit.notices.notify(`transfer.${status}`, {
    event: `transfer.${status}`,
    data: {
      ...transferJson(account, transfer),
      integration: {
        id: INTEGRATION,
        is_live: domainOf(account) === 'live',
        business_name: 'Shop',
      },
    },
  })
}

function setStatus({ kit }: Account, transfer: Transfer, status: TransferStatus): void {
  transfer.status = status
  transfer.wasPaid ||= status === 'success'
  transfer.updatedAt = kit.clock.now()
}

function debit({ kit }: Account, transfer: Transfer): void {
  if (transfer.isDebited) return
  transfer.isDebited = true
  const entry = entryOf(transfer)
  kit.books.enter({ ...entry, kind: 'payout', amount_minor: -transfer.amount })
  kit.books.enter({ ...entry, kind: 'fee', amount_minor: -transfer.fee })
}

function credit({ kit }: Account, transfer: Transfer): void {
  if (!transfer.isDebited) return
  transfer.isDebited = false
  const amount_minor = transfer.amount + transfer.fee
  kit.books.enter({ ...entryOf(transfer), kind: 'reversal', amount_minor })
}

const entryOf = ({ id, reference, currency }: Transfer) => ({
  reference,
  providerId: `${id}`,
  currency,
})

// -------------------------------------------------------------------------------- shape

function initiatedJson(account: Account, transfer: Transfer) {
  const {
    recipient,
    session: _,
    fee_charged: __,
    fees_breakdown: ___,
    ...rest
  } = transferJson(account, transfer)
  return { ...rest, recipient: recipient.id, transfersessionid: [], transfertrials: [] }
}

function transferJson(account: Account, transfer: Transfer) {
  const { status, amount, reference, reason, currency } = transfer
  // Paystack can take a transfer back without ever having paid it.
  const isDone = transfer.wasPaid && (status === 'success' || status === 'reversed')
  return {
    amount,
    currency,
    domain: domainOf(account),
    failures: null,
    id: transfer.id,
    integration: INTEGRATION,
    reason,
    reference,
    source: 'balance',
    source_details: null,
    status,
    titan_code: null,
    transfer_code: transfer.code,
    request: transfer.id + 1,
    transferred_at: isDone ? isoOf(transfer.updatedAt) : null,
    createdAt: isoOf(transfer.createdAt),
    updatedAt: isoOf(transfer.updatedAt),
    recipient: recipientJson(account, transfer.recipient),
    session: isDone ? { provider: 'nip', id: `11000${transfer.id}` } : { provider: null, id: null },
    fee_charged: transfer.isDebited ? transfer.fee : 0,
    fees_breakdown: null,
    gateway_response: null,
  }
}
