import type { Answer, DoubleRequest } from '../double.ts'
import {
  type Account,
  amountOf,
  available,
  fromThousandths,
  isoOf,
  isTest,
  isWithin,
  listAnswer,
  nairaOf,
  ok,
  refuse,
  type Transfer,
  type TransferStatus,
} from './account.ts'
import { bankByCode, holderOf } from './banks.ts'

export function transferOperations(account: Account) {
  const find = (id: string | undefined) => account.transfers.find((one) => `${one.id}` === id)
  return {
    'POST /transfers': (request: DoubleRequest) => orderOne(account, request),
    'POST /bulk-transfers': (request: DoubleRequest) => orderMany(account, request),
    'POST /transfers/{id}/retries': ({ params }: DoubleRequest) => {
      const found = find(params.id)
      if (!found) return refuse(404, 'Transfer not found')
      return retry(account, found)
    },
    'GET /transfers/fee': ({ query }: DoubleRequest) => {
      if (query.currency !== 'NGN') return refuse(400, `${query.currency} is not supported`)
      const fee = fromThousandths(feeOf(BigInt(Math.round(Number(query.amount) * 100))))
      return ok('Transfer fee fetched', [{ currency: 'NGN', fee_type: 'value', fee }])
    },
    'GET /transfers/{id}': ({ params }: DoubleRequest) => {
      const found = find(params.id)
      return found ? ok('Transfer fetched', transferJson(found)) : refuse(404, 'Transfer not found')
    },
    'GET /transfers': (request: DoubleRequest) => {
      const { reference, batch_id, status } = request.query
      const isFiltered = account.settings.filtersTransfers
      const rows = account.transfers
        .filter((one) => isWithin(one.createdAt, request))
        .filter((one) => !status || one.status === status.toUpperCase())
        .filter((one) => !isFiltered || !reference || one.reference === reference)
        .filter((one) => !isFiltered || !batch_id || `${one.batchId}` === batch_id)
      return listAnswer('Transfers fetched', rows, request, transferJson, true)
    },
  }
}

// ----------------------------------------------------------------------------- ordering

interface Ordered {
  account_bank: string
  account_number: string
  amount: bigint
  currency: string
  reference?: string
  narration?: string
  beneficiary_name?: string
  meta?: unknown
}

function orderOne(account: Account, request: DoubleRequest): Answer {
  const { body } = request
  const wrong = wrongOrder(account, request)
  if (wrong) return wrong
  if (!holderOf(body.account_bank, body.account_number, isTest(account))) {
    return refuse(400, 'Account resolve failed')
  }
  const transfer = add(account, { ...body, amount: amountOf(request)! }, null)
  // The answer always says NEW. What happens next is told later.
  const answer = ok('Transfer Queued Successfully', transferJson(transfer))
  accept(account, transfer)
  return answer
}

/**
 * A batch is taken as a whole. What is wrong with an account is told by its transfer. A refusal
 * that a test has asked for says nothing about what was taken.
 */
function orderMany(account: Account, request: DoubleRequest): Answer {
  const { kit } = account
  const rows: (Omit<Ordered, 'account_bank' | 'amount'> & { bank_code: string })[] =
    request.body.bulk_data
  const paths = rows.map((_, i) => ['bulk_data', `${i}`])
  const wrong = rows.map((row, i) => wrongOrder(account, request, row, ...paths[i]!)).find(Boolean)
  if (wrong) return wrong
  const references = rows.map(({ reference }) => reference)
  if (new Set(references).size < rows.length) return usedReference()
  const id = kit.nextId()
  const refusal = account.batchRefusals.shift()
  for (const [i, row] of rows.slice(0, refusal?.taken).entries()) {
    const amount = amountOf(request, ...paths[i]!)!
    accept(account, add(account, { ...row, account_bank: row.bank_code, amount }, id))
  }
  if (refusal) return refuse(refusal.status, refusal.message)
  const created_at = isoOf(kit.clock.now())
  return ok('Bulk transfer queued', { id, created_at, approver: 'N/A' })
}

function wrongOrder(
  account: Account,
  request: DoubleRequest,
  { reference, currency }: { reference?: string; currency: string } = request.body,
  ...path: string[]
): Answer | undefined {
  if (amountOf(request, ...path) === undefined) {
    return refuse(400, 'amount must be a positive amount in naira')
  }
  if (currency !== 'NGN') return refuse(400, `${currency} is not supported`)
  if (!account.settings.refusesUsedReferences) return undefined
  const isUsed = account.transfers.some((one) => one.reference === reference)
  return isUsed ? usedReference() : undefined
}

/** The documentation says that it refuses, but not in which words. */
const usedReference = () => refuse(400, 'Transfer with this reference already exists')

/** A retry is another transfer, with another reference. */
function retry(account: Account, failed: Transfer): Answer {
  if (failed.status !== 'FAILED') return refuse(400, 'Only failed transfers can be retried')
  const base = failed.reference.replace(/_RETRY_\d+$/, '')
  const tries = account.transfers.filter((one) => one.reference.startsWith(`${base}_RETRY_`))
  const { id: _, ...same } = failed
  const transfer: Transfer = {
    ...same,
    id: account.kit.nextId(),
    reference: `${base}_RETRY_${tries.length + 1}`,
    status: 'NEW',
    message: '',
    isDebited: false,
    isExecuted: false,
    createdAt: account.kit.clock.now(),
  }
  account.transfers.push(transfer)
  const answer = ok('Transfer retry attempt queued.', transferJson(transfer))
  accept(account, transfer)
  return answer
}

function add(account: Account, ordered: Ordered, batchId: number | null): Transfer {
  const { kit, settings, transfers } = account
  const { account_bank: bankCode, account_number: accountNumber, amount, currency } = ordered
  const id = kit.nextId()
  const transfer: Transfer = {
    id,
    reference: ordered.reference ?? `TRF-${id}`,
    batchId,
    accountNumber,
    bankCode,
    bankName: bankByCode(bankCode)?.name.toUpperCase() ?? 'N/A',
    name: holderOf(bankCode, accountNumber, isTest(account)) ?? ordered.beneficiary_name ?? 'N/A',
    amount,
    currency,
    narration: ordered.narration ?? null,
    meta: ordered.meta ?? null,
    status: 'NEW',
    message: '',
    isDebited: false,
    isExecuted: false,
    createdAt: kit.clock.now(),
    isApproved: !settings.needsApproval,
    needsApproval: settings.needsApproval,
  }
  transfers.push(transfer)
  return transfer
}

/** ₦10 to ₦5,000, ₦25 to ₦50,000, ₦50 above, and VAT of 7.5 %; in thousandths of a naira. */
function feeOf(kobo: bigint): bigint {
  const fee = kobo <= 500_000n ? 10_000n : kobo <= 5_000_000n ? 25_000n : 50_000n
  return fee + (fee * 75n) / 1_000n
}

/** What leaves the balance has whole kobo. */
const feeInKobo = (kobo: bigint) => (feeOf(kobo) + 5n) / 10n

/** How transfers of the test world end, by the end of their reference. Others end never. */
const TEST_ENDINGS = [
  { pattern: /_PMCK_ST_FDU_1$/, status: 'FAILED', afterMs: 60_000 },
  { pattern: /_PMCK_ST_F$/, status: 'FAILED', afterMs: 0 },
  { pattern: /_PMCKDU_1$/, status: 'SUCCESSFUL', afterMs: 60_000 },
  { pattern: /_PMCK$/, status: 'SUCCESSFUL', afterMs: 0 },
] as const

/** Takes the money, and sends it on as the settings or the reference say. */
function accept(account: Account, transfer: Transfer): void {
  const { kit, settings } = account
  const { reference } = transfer
  if (!transfer.isApproved) return
  const failure = failureOf(account, transfer)
  if (failure) {
    settle(account, transfer, 'FAILED', `DISBURSE FAILED: ${failure}`)
    return
  }
  debit(account, transfer)
  transfer.status = 'PENDING'
  const endLater = (status: TransferStatus, afterMs: number) =>
    kit.clock.after(afterMs, () => {
      if (transfer.status === 'PENDING') settle(account, transfer, status)
    })
  if (isTest(account)) {
    const ending = TEST_ENDINGS.find(({ pattern }) => pattern.test(reference))
    if (ending?.afterMs === 0) settle(account, transfer, ending.status)
    else if (ending) endLater(ending.status, ending.afterMs)
  } else if (settings.transfers !== 'by_hand') endLater('SUCCESSFUL', settings.transfers.afterMs)
}

/** Why a transfer fails as soon as it is tried. Too little money is no refusal. */
function failureOf(
  account: Account,
  { bankCode, accountNumber, amount }: Transfer,
): string | undefined {
  if (!holderOf(bankCode, accountNumber, isTest(account))) return 'Account resolve failed'
  const isEnough = available(account) >= amount + feeInKobo(amount)
  return isEnough ? undefined : 'Insufficient funds in customer wallet'
}

// ----------------------------------------------------------------------------- settling

export function bankOf(account: Account) {
  const find = (reference: string) => {
    const found = account.transfers.find((one) => one.reference === reference)
    if (!found) throw new Error(`Flutterwave has no transfer ${reference}`)
    return found
  }
  return {
    /**
     * Ends a transfer, or changes how it ended: success may follow failure. Failure after success
     * is how a returned transfer looks.
     */
    settle: (reference: string, status: TransferStatus, message?: string): void =>
      settle(account, find(reference), status, message),
    /** Lets the next batch be refused, although its first transfers are taken; all by default. */
    refuseBatch(
      status: number,
      { message = 'This request cannot be processed', taken = Number.POSITIVE_INFINITY } = {},
    ): void {
      account.batchRefusals.push({ status, message, taken })
    },
    /** What a person does on the dashboard with a transfer that needs approval. */
    approve(reference: string, approves = true): void {
      const found = find(reference)
      if (found.isApproved || found.status !== 'NEW') return
      found.isApproved = approves
      if (approves) accept(account, found)
      else settle(account, found, 'FAILED', 'Transfer was not approved')
    },
  }
}

const MESSAGES: Readonly<Record<TransferStatus, string>> = {
  NEW: '',
  PENDING: '',
  SUCCESSFUL: 'Transaction was successful',
  FAILED: 'DISBURSE FAILED: Transfer failed. Please contact support',
}

function settle(
  account: Account,
  transfer: Transfer,
  status: TransferStatus,
  message = MESSAGES[status],
): void {
  if (status === 'FAILED') credit(account, transfer)
  else debit(account, transfer)
  Object.assign(transfer, { status, message })
  if (status !== 'SUCCESSFUL' && status !== 'FAILED') return
  const { full_name: fullname, ...data } = transferJson(transfer)
  account.kit.notices.notify('transfer.completed', {
    event: 'transfer.completed',
    'event.type': 'Transfer',
    data: { ...data, fullname },
  })
}

function debit({ kit }: Account, transfer: Transfer): void {
  if (transfer.isDebited) return
  transfer.isDebited = true
  // Success after failure is the same transfer.
  if (!transfer.isExecuted) kit.books.execute(transfer.reference)
  transfer.isExecuted = true
  const entry = entryOf(transfer)
  kit.books.enter({ ...entry, kind: 'payout', amount_minor: -transfer.amount })
  kit.books.enter({ ...entry, kind: 'fee', amount_minor: -feeInKobo(transfer.amount) })
}

function credit({ kit }: Account, transfer: Transfer): void {
  if (!transfer.isDebited) return
  transfer.isDebited = false
  const amount_minor = transfer.amount + feeInKobo(transfer.amount)
  kit.books.enter({ ...entryOf(transfer), kind: 'reversal', amount_minor })
}

const entryOf = ({ id, reference, currency }: Transfer) => ({
  reference,
  providerId: `${id}`,
  currency,
})

function transferJson(transfer: Transfer) {
  const { id, amount, currency, status, reference, createdAt } = transfer
  return {
    id,
    account_number: transfer.accountNumber,
    bank_code: transfer.bankCode,
    full_name: transfer.name,
    created_at: isoOf(createdAt),
    currency,
    debit_currency: currency,
    amount: nairaOf(amount),
    fee: fromThousandths(feeOf(amount)),
    status,
    reference,
    meta: transfer.meta,
    narration: transfer.narration,
    approver: null,
    complete_message: transfer.message,
    requires_approval: transfer.needsApproval ? 1 : 0,
    is_approved: transfer.isApproved ? 1 : 0,
    bank_name: transfer.bankName,
  }
}
