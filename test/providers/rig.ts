import { afterAll, expect, type TestAPI, test } from 'vitest'
import { newSentReference, valueIn } from '../../src/providers/connector/connector.fixture.ts'
import type {
  BankAccount,
  Call,
  ChargeOrder,
  HttpConnector,
  PayoutOrder,
  PayoutState,
  RefundOrder,
  RefundState,
} from '../../src/providers/connector/http-connector.ts'
import { openTransport } from '../../src/providers/connector/transport.ts'
import type { Outcome, ProviderRefs, SentOrder } from '../../src/providers/connector/types.ts'
import type { Double, Provider } from './doubles/double.ts'

/** What not every connector can do, or not every provider checks. It is why a case is skipped. */
export const CAPABILITIES = [
  /** It calls its provider over HTTP, with credentials. */
  'http',
  /** A lookup of a charge lists the payments. */
  'payments',
  'pages',
  'batches',
  'withdrawal',
  'refund retries',
  /** The provider tells its own id for an order. */
  'ids',
  /** Payouts wait while the balance at the provider is too low. */
  'balances',
  'accounts',
  'reports',
  'disputes',
  'notices',
] as const
export type Capability = (typeof CAPABILITIES)[number]

/** The operations of a connector, each of which has the same outcome after the same fault. */
export type OperationName =
  | 'payOut'
  | 'payOutMany'
  | 'refund'
  | 'openVirtualAccount'
  | 'startUssd'
  | 'openHostedPage'
  | 'lookUpPayout'
  | 'lookUpCharge'
  | 'lookUpRefund'
  | 'balances'
  | 'banks'
  | 'resolveAccount'
  | 'charges'
  | 'disputes'

/** A request, as a fault names it, and the fields without which its response says nothing. */
type Requests = Readonly<Partial<Record<OperationName, { on: string; fields: readonly string[] }>>>

/** A connector, and what a test can make its provider and its payers do. */
export interface Subject {
  connector: HttpConnector
  /** Null if the connector has no HTTP. */
  double: Double<Provider> | null
  lacks: readonly Capability[]
  now(): Date
  /** Moves the provider's time. */
  advance(ms: number): Promise<void>
  /** The values of the account's credentials. */
  credentials(): Readonly<Record<string, string>>
  /** Values of the same account that are not right. */
  wrongCredentials: Readonly<Record<string, string>>
  /** A key of the other environment. */
  otherEnvironment: Readonly<Record<string, string>>
  requests: Requests
  account: BankAccount
  /** An account that nobody has; null if payouts to it are refused later. */
  unknownAccount: BankAccount | null
  /** Our codes of a bank with USSD codes, and of one without. */
  ussdBanks: { with: string; without: string }
  /** The provider's words, and what they mean. */
  words: {
    payout: Readonly<Record<string, PayoutState['status']>>
    refund: Readonly<Record<string, RefundState['status']>>
    /** Changes of one payout, one after the other. */
    journey: readonly (readonly [word: string, status: PayoutState['status']])[]
  }
  /** The field of a charge's fee, which may come later. */
  feeField: string
  /** How often an order was executed. */
  executed(reference: string): Promise<number>
  transferTo(accountNumber: string, amount_minor: bigint): 'kept' | 'returned'
  dial(ussdCode: string, reference: string, approves?: boolean): void | Promise<void>
  payHosted(url: string, approves?: boolean, times?: number): string | undefined
  settlePayout(reference: string, word: string): void | Promise<void>
  settleRefund(reference: string, id: string, word: string): void | Promise<void>
  topUp(amount_minor: bigint): void
  allowAddress(address: string | null): void
  settleToBank(): void
  openDispute(reference: string, amount_minor: bigint, dueMs: number): string
  decideDispute(id: string, outcome: 'won' | 'lost'): void
  /** Replaces the secret with which notifications are signed. */
  rotateNoticeSecret(): void
}

export type Rig = ReturnType<typeof openRig>

/** Enough for every test. */
const BALANCE_MINOR = 100_000_000_000_000n
const MINUTE_MS = 60_000

export const refsOf = (outcome: Outcome<unknown>): ProviderRefs =>
  outcome.kind === 'done' ? (outcome.refs ?? {}) : {}

/** Returns orders and calls for a connector, and cases that need one of its capabilities. */
export function openRig(subject: Subject) {
  const { connector, double, executed, lacks } = subject
  const transport = openTransport({ allows: () => true, pauseMs: 1 })
  afterAll(() => transport.close())
  subject.topUp(BALANCE_MINOR)

  function call({ deadlineMs = 10_000, values = subject.credentials() } = {}): Call {
    const baseUrl = double?.baseUrl ?? ''
    return {
      tenant: { businessId: 1, live: double !== null },
      connection: {
        id: 2,
        provider: connector.provider,
        businessId: 1,
        live: double !== null,
        environment: 'production',
        status: 'Active',
        name: connector.title,
        baseUrl,
        settings: {
          services: [],
          ussdBanks: [],
          feesPaidBy: 'business',
          automaticSettlement: null,
        },
      },
      credentials: {
        current: (name) => values[name] ?? '',
        accepted: (name) => [values[name] ?? ''],
      },
      now: subject.now(),
      http: transport.client({ baseUrl, deadlineMs }),
    }
  }

  const later = (ms: number) => new Date(subject.now().getTime() + ms)

  const charge = (amount_minor = 500_000n): ChargeOrder => ({
    reference: newSentReference('TXN'),
    amount_minor,
    currency: 'NGN',
    payer: { email: 'ada@example.com', name: 'Ada Obi', phone: '08012345678' },
    description: 'A book',
    expiresAt: later(30 * MINUTE_MS),
  })

  /** The provider's recipient of the account, so that a payout is one request. */
  let recipient: string | null = null
  const payout = (amount_minor = 500_000n, changes: Partial<PayoutOrder> = {}): PayoutOrder => ({
    reference: newSentReference('TRF'),
    amount_minor,
    currency: 'NGN',
    to: subject.account,
    recipient,
    narration: 'Wages',
    ...changes,
  })

  const sentOf = (
    {
      reference,
      amount_minor,
      currency,
    }: Pick<SentOrder, 'reference' | 'amount_minor' | 'currency'>,
    refs: ProviderRefs = {},
  ): SentOrder => ({ reference, amount_minor, currency, refs, sentAt: subject.now() })

  const openAccount = (order = charge(), by = call()) =>
    connector.collections!.openVirtualAccount!(by, { ...order, accountName: 'A shop' })
  const openPage = (order = charge(), by = call()) =>
    connector.collections!.openHostedPage!(by, {
      ...order,
      returnUrl: 'https://shop.example/i/token/returned',
    })
  const startUssd = (
    order = charge(),
    bankCode: string | null = subject.ussdBanks.with,
    by = call(),
  ) => connector.collections!.startUssd!(by, { ...order, bankCode })
  const lookUpCharge = (order: ChargeOrder, refs: ProviderRefs = {}, by = call()) =>
    connector.collections!.lookUpCharge(by, sentOf(order, refs))

  const payOut = (order = payout(), by = call()) => connector.payouts!.payOut(by, order)
  const lookUpPayout = (order: PayoutOrder, refs: ProviderRefs = {}, by = call()) =>
    connector.payouts!.lookUpPayout(by, sentOf(order, refs))

  /** Starts a charge, and pays it. Returns what was sent, with the provider's id. */
  async function paidCharge(amount_minor = 500_000n): Promise<SentOrder> {
    const order = charge(amount_minor)
    const started = await startUssd(order)
    await subject.dial(valueIn(started)[0]!.ussdCode, order.reference)
    const found = await lookUpCharge(order, refsOf(started))
    expect(valueIn(found).status).toBe('Successful')
    return sentOf(order, refsOf(found))
  }

  const refundOf = (paid: SentOrder, amount_minor = 100_000n): RefundOrder => ({
    reference: newSentReference('RFD'),
    charge: paid,
    paymentId: null,
    amount_minor,
    currency: 'NGN',
    reason: null,
  })
  const refund = (order: RefundOrder, by = call()) => connector.refunds!.refund(by, order)
  const lookUpRefund = (order: RefundOrder, refs: ProviderRefs = {}, by = call()) =>
    connector.refunds!.lookUpRefund(by, { ...sentOf(order, refs), charge: order.charge })

  /** What the provider has kept of an order's money. */
  const feeOf = (reference: string): bigint | null => {
    const fees = double?.books.entries.filter(
      (entry) => entry.kind === 'fee' && entry.reference === reference,
    )
    return fees ? fees.reduce((sum, { amount_minor }) => sum - amount_minor, 0n) : null
  }

  return {
    subject,
    connector,
    double,
    call,
    later,
    executed,
    feeOf,
    sentOf,
    charge,
    openAccount,
    openPage,
    startUssd,
    lookUpCharge,
    paidCharge,
    payout,
    payOut,
    lookUpPayout,
    refundOf,
    refund,
    lookUpRefund,
    has: (capability: Capability) => !lacks.includes(capability),
    /** A case for connectors with a capability. */
    needs: (capability: Capability): TestAPI =>
      test.skipIf(lacks.includes(capability)) as unknown as TestAPI,
    /** Pays out once, so that later payouts have a recipient. */
    async warmUp(): Promise<void> {
      recipient = valueIn(await payOut(payout(5_000n))).recipient ?? null
    },
  }
}
