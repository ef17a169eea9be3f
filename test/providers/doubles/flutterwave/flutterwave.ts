import { createHmac } from 'node:crypto'
import type { DoubleRequest, Kit, Provider } from '../double.ts'
import {
  type Account,
  type Bill,
  listAnswer,
  type PaymentType,
  type RefundStatus,
  refuse,
  type Settings,
  type TransferStatus,
} from './account.ts'
import { billersOf, billOperations, unknownBill } from './bills.ts'
import { chargebackOperations, disputesOf } from './chargebacks.ts'
import { chargeOperations, payerOf, unknownTransaction } from './charges.ts'
import { payerPages } from './pages.ts'
import { refundOperations, refundsOf } from './refunds.ts'
import { ownerOf, reportOperations } from './reports.ts'
import { bankOf, transferOperations } from './transfers.ts'

/** Up to 3 times, if the owner has switched it on. */
const RETRIES_MS = Array(3).fill(30 * 60_000)

/**
 * Flutterwave's API v3, with one business's account. It knows Flutterwave's documentation and its
 * description, and nothing of our connector.
 */
export function flutterwave(kit: Kit, given: Partial<Settings> = {}) {
  const settings: Settings = {
    secretKey: 'FLWSECK-double1-X',
    secretHash: 'a-secret-hash',
    signs: false,
    retriesNotices: false,
    addresses: null,
    needsApproval: false,
    feesPaidBy: 'business',
    transfers: 'by_hand',
    bills: 'by_hand',
    findsBillsBy: 'any_reference',
    billsShow: 'reference',
    filtersTransfers: true,
    refusesUsedReferences: true,
    ...given,
  }
  const account: Account = {
    kit,
    settings,
    customers: [],
    checkouts: [],
    virtualAccounts: [],
    transactions: [],
    transfers: [],
    batchRefusals: [],
    refunds: [],
    chargebacks: [],
    deductions: [],
    settlements: [],
    bills: [],
  }
  const payer = payerOf(account)
  const bank = bankOf(account)
  const refunds = refundsOf(account)
  const disputes = disputesOf(account)
  const billers = billersOf(account)
  const owner = ownerOf(account)
  const showPage = payerPages(account, payer)

  return {
    payer,
    bank,
    refunds,
    disputes,
    billers,
    owner,
    /** The key that calls must have now. */
    secretKey: () => settings.secretKey,
    /** The text that notices come with now. */
    secretHash: () => settings.secretHash,
    description: 'flutterwave',
    operations: {
      ...billOperations(account),
      ...chargebackOperations(account),
      ...chargeOperations(account),
      ...refundOperations(account),
      ...reportOperations(account),
      ...transferOperations(account),
    },
    admit: (request) => admit(settings, request),
    refusal: (status, message) => refuse(status, message).body,
    // Its gateway answers, and not the API.
    noRoute: { status: 404, body: { message: 'no Route matched with those values' } },
    notFound: (request) => {
      const { path } = request
      if (path.startsWith('/transactions/')) return unknownTransaction()
      if (path.startsWith('/bills/')) return unknownBill()
      if (/^\/(transfers|transactions|refunds|chargebacks)$/.test(path)) {
        return listAnswer('Nothing fetched', [], request, () => null)
      }
      return refuse(404, path.startsWith('/refunds') ? 'Refund not found' : 'Transfer not found')
    },
    sign: (body: string, key = settings.secretHash): Record<string, string> => ({
      'verif-hash': key,
      ...(settings.signs && {
        'flutterwave-signature': createHmac('sha256', key).update(body).digest('base64'),
      }),
    }),
    get proves() {
      return settings.signs ? 'body' : 'sender'
    },
    get retriesMs() {
      return settings.retriesNotices ? RETRIES_MS : []
    },
    referenceOf: ({ body, params, query }) =>
      body?.reference ??
      body?.tx_ref ??
      body?.comments ??
      params.reference ??
      query.reference ??
      query.tx_ref ??
      null,
    pages: showPage,
    acts: {
      transferTo: ({ account: number, amount_minor }) =>
        payer.transferTo(number!, BigInt(amount_minor!)),
      dial: ({ code, approves }) => payer.dial(code!, approves !== 'false'),
      payHosted: ({ url, approves, times, type }) =>
        payer.payHosted(url!, approves !== 'false', Number(times ?? 1), type as PaymentType),
      settle: ({ reference, status }) => bank.settle(reference!, status as TransferStatus),
      approve: ({ reference, approves }) => bank.approve(reference!, approves !== 'false'),
      settleRefund: ({ id, status }) => refunds.settle(id!, status as RefundStatus),
      settleBill: ({ reference, status }) => billers.settle(reference!, status as Bill['status']),
      openDispute: ({ reference, amount_minor, dueMs }) =>
        disputes.open(reference!, BigInt(amount_minor!), Number(dueMs)),
      decideDispute: ({ id, outcome }) => disputes.decide(id!, outcome as 'won' | 'lost'),
      settleToBank: () => owner.settleToBank(),
      settleToWallet: () => owner.settleToWallet(),
      topUp: ({ amount_minor }) => owner.topUp(BigInt(amount_minor!)),
      rotateKey: () => owner.rotateKey(),
      rotateHash: () => owner.rotateHash(),
      allowAddress: ({ address }) => owner.allowAddress(address ?? null),
      set: (changed) => owner.set(changed as Parameters<typeof owner.set>[0]),
    },
  } satisfies Provider & Record<string, unknown>
}

/** What only listed addresses may do. */
const NEEDS_ADDRESS = new Set([
  'POST /transfers',
  'POST /bulk-transfers',
  'POST /transfers/{id}/retries',
  'POST /billers/{biller_code}/items/{item_code}/payment',
])

function admit(settings: Settings, { operation, headers, remoteAddress }: DoubleRequest) {
  const { authorization } = headers
  if (!authorization) return refuse(401, 'Authorization required')
  // A key of the other world is as wrong as any other.
  if (authorization !== `Bearer ${settings.secretKey}`) {
    return refuse(401, 'Invalid authorization key')
  }
  const { addresses } = settings
  if (!addresses || !NEEDS_ADDRESS.has(operation) || addresses.includes(remoteAddress)) {
    return undefined
  }
  // Both are a 400, not a 403, and the second does not say what is wrong.
  const isListEmpty = addresses.length === 0
  return refuse(
    400,
    isListEmpty
      ? 'Please enable IP Whitelisting to access this service'
      : 'This request cannot be processed',
  )
}
