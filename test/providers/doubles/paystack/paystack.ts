import { createHmac } from 'node:crypto'
import type { DoubleRequest, Kit, Provider } from '../double.ts'
import {
  type Account,
  plainRefusal,
  refuse,
  type Settings,
  type TransferStatus,
} from './account.ts'
import { accountOperations } from './accounts.ts'
import { chargeOperations, payerOf, unknownTransaction } from './charges.ts'
import { disputeOperations, disputesOf, uploadPage } from './disputes.ts'
import { payerPages } from './pages.ts'
import { refundOperations, refundsOf } from './refunds.ts'
import { ownerOf, reportOperations } from './reports.ts'
import { bankOf, transferOperations } from './transfers.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** In the live world: every 3 minutes for the first 4, then every hour for 72 hours. */
const LIVE_RETRIES_MS = [...Array(4).fill(3 * MINUTE_MS), ...Array(72).fill(HOUR_MS)]
/** In the test world: every hour for 10 hours. */
const TEST_RETRIES_MS = Array(10).fill(HOUR_MS)

/**
 * Paystack, with one business's account. It knows Paystack's documentation and description, and
 * nothing of our connector.
 */
export function paystack(kit: Kit, given: Partial<Settings> = {}) {
  const settings: Settings = {
    secretKey: 'sk_live_double1',
    hasOtp: false,
    isStarter: false,
    address: null,
    ussdTypes: ['737'],
    transfers: 'by_hand',
    countsPages: true,
    filtersSettlements: true,
    ...given,
  }
  const account: Account = {
    kit,
    settings,
    customers: [],
    dedicated: [],
    recipients: [],
    transactions: [],
    transfers: [],
    refunds: [],
    disputes: [],
    settlements: [],
  }
  const uploads = new Set<string>()
  const payer = payerOf(account)
  const bank = bankOf(account)
  const refunds = refundsOf(account)
  const disputes = disputesOf(account)
  const owner = ownerOf(account)
  const showPage = payerPages(account, payer)

  return {
    payer,
    bank,
    refunds,
    disputes,
    owner,
    /** The key that calls must have now. */
    secretKey: () => settings.secretKey,
    description: 'paystack',
    operations: {
      ...accountOperations(account),
      ...chargeOperations(account),
      ...disputeOperations(account, uploads),
      ...refundOperations(account),
      ...reportOperations(account),
      ...transferOperations(account),
    },
    admit: (request) => admit(settings, request),
    refusal: (status, message) =>
      refuse(status, message, 'unknown', 'Try again later', status < 500 ? undefined : 'api_error')
        .body,
    notFound: ({ path }) =>
      path.startsWith('/transaction/verify/')
        ? unknownTransaction()
        : plainRefusal(404, `${path.startsWith('/refund') ? 'Refund' : 'Transfer'} not found`),
    sign: (body: string, key = settings.secretKey) => ({
      'x-paystack-signature': createHmac('sha512', key).update(body).digest('hex'),
    }),
    proves: 'body',
    get retriesMs() {
      return settings.secretKey.startsWith('sk_live_') ? LIVE_RETRIES_MS : TEST_RETRIES_MS
    },
    referenceOf: ({ body, params }) =>
      body?.reference ?? params.reference ?? body?.merchant_note ?? null,
    pages: (method, url, form) => uploadPage(method, url, uploads) ?? showPage(method, url, form),
    acts: {
      transferTo: ({ account: number, amount_minor }) =>
        payer.transferTo(number!, BigInt(amount_minor!)),
      dial: ({ code, approves }) => payer.dial(code!, approves !== 'false'),
      payHosted: ({ url, approves }) => payer.payHosted(url!, approves !== 'false'),
      settle: ({ reference, status }) => bank.settle(reference!, status as TransferStatus),
      settleRefund: ({ id, status }) =>
        refunds.settle(id!, status as Parameters<typeof refunds.settle>[1]),
      openDispute: ({ reference, amount_minor, dueMs }) =>
        disputes.open(reference!, BigInt(amount_minor!), Number(dueMs)),
      decideDispute: ({ id, outcome }) => disputes.decide(id!, outcome as 'won' | 'lost'),
      settleToBank: () => owner.settleToBank(),
      topUp: ({ amount_minor }) => owner.topUp(BigInt(amount_minor!)),
      rotateKey: () => owner.rotateKey(),
      allowAddress: ({ address }) => owner.allowAddress(address ?? null),
      setOtp: ({ isOn }) => owner.setOtp(isOn === 'true'),
      setStarter: ({ isOn }) => owner.setStarter(isOn === 'true'),
    },
  } satisfies Provider & Record<string, unknown>
}

function admit(settings: Settings, { headers, remoteAddress }: DoubleRequest) {
  const { authorization } = headers
  if (!authorization) return plainRefusal(401, 'No Authorization Header was found')
  // A key of the other world is as wrong as any other.
  if (authorization !== `Bearer ${settings.secretKey}`) {
    return refuse(401, 'Invalid key', 'invalid_Key', 'Ensure that you provide the correct key')
  }
  if (settings.address !== null && settings.address !== remoteAddress) {
    return plainRefusal(403, 'Your IP address is not allowed to make this call')
  }
  return undefined
}
