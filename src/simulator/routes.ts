import { Type } from 'typebox'
import { advanceClock } from '../business/account/payment-settings.ts'
import { forgetKeysOf } from '../business/keys/authenticate.ts'
import { twoPhase } from '../db/idempotency.ts'
import { EventRecord } from '../developers/events/schemas.ts'
import { SampleEvent } from '../developers/webhooks/schemas.ts'
import { success } from '../http/errors.ts'
import { type Limiter, type Limiting, openLimiter, type RateLimit } from '../http/rate-limit.ts'
import { type Route, route } from '../http/route.ts'
import type { Caller } from '../lib/caller.ts'
import { parseAmount } from '../lib/money.ts'
import { Problem } from '../lib/problem.ts'
import { Amount, Envelope, Nullable, OneLine, Timestamp } from '../lib/schemas.ts'
import { SettlementRecord } from '../money/settlements/schemas.ts'
import { DISPUTE_OUTCOMES } from '../providers/simulator/disputes.ts'
import { PAYOUT_OUTCOMES, REFUND_OUTCOMES } from '../providers/simulator/orders.ts'
import {
  disputePayment,
  fundWallet,
  payIntoVirtualAccount,
  reportDispute,
  SIMULATED_CURRENCY,
  type SimulatorDeps,
  simulateCard,
  simulateDispute,
  simulatedDeposit,
  simulateEvent,
  simulateRefund,
  simulateSettlement,
  simulateTransfer,
  simulateUssd,
  simulateUtility,
} from './service.ts'

const Reference = Type.String({ minLength: 1, maxLength: 64 })

const PayerBody = Type.Object({
  reference: Reference,
  outcome: Type.Enum(['success', 'failed']),
})

const DepositBody = Type.Object({
  accountNumber: Type.String({
    pattern: '^[0-9]{10}$',
    'x-says': 'must be a 10-digit account number',
  }),
  amount: Amount(),
  keep: Type.Boolean({
    default: false,
    description:
      'If the payment is not accepted, the provider keeps it until you return or accept it, ' +
      'instead of sending it back.',
  }),
})

const TransferBody = Type.Object({
  reference: Reference,
  outcome: Type.Enum(PAYOUT_OUTCOMES),
})

const RefundBody = Type.Object({
  reference: Reference,
  outcome: Type.Enum(REFUND_OUTCOMES),
})

const DisputeBody = Type.Object({
  reference: Type.String({ minLength: 1, maxLength: 64, description: 'Of the payment.' }),
  amount: Type.Optional(Amount({ description: 'Default: the whole payment.' })),
  reason: OneLine(200, { default: 'I did not get what I paid for' }),
  dueInHours: Type.Integer({
    minimum: 1,
    maximum: 24 * 60,
    default: 48,
    description: 'Without a response by then, the dispute is lost.',
  }),
})

const DisputeOutcomeBody = Type.Object({
  reference: Type.String({ minLength: 1, maxLength: 64, description: 'Of the dispute.' }),
  outcome: Type.Enum(DISPUTE_OUTCOMES),
})

const UtilityBody = Type.Object({
  reference: Reference,
  outcome: Type.Enum(['success', 'failed']),
})

const WalletBody = Type.Object({ amount: Amount() })

/** Ten years is enough for any reminder, and is within the range of JavaScript dates. */
const ADVANCE_SECONDS_MAX = 10 * 366 * 24 * 3600

const ClockBody = Type.Object({
  advanceSeconds: Type.Integer({ minimum: 1, maximum: ADVANCE_SECONDS_MAX }),
})

const slice = {
  family: 'bare',
  errors: 'fields',
  method: 'POST',
  scope: 'simulator:write',
  // A live key gets a 404.
  alsoFails: [404],
} as const

/** Per business, because each simulated event goes to all endpoints of the business. */
const SIMULATED_EVENTS: RateLimit = { perSecond: 5, burst: 100 }

interface Clocked extends Limiting {
  /** Wakes every job that follows the test clock, after the clock has been moved. */
  nudgeClock(): void
}

/** The record's reference, and its own state as `status`. */
const Decided = Envelope(Type.Object({ reference: Type.String(), status: Type.String() }))

/** Operations that simulate outside events with a test key (docs/CONTRACT.md, Test mode). */
export const simulatorRoutes = (deps: SimulatorDeps & Clocked): Route[] => [
  ...payerRoutes(deps),
  ...bankRoutes(deps),
  ...ownRoutes(deps),
]

const payerRoutes = (deps: SimulatorDeps): Route[] => [
  route({
    ...slice,
    operation: 'simulate_ussd',
    summary: 'Approve or decline a USSD payment',
    path: '/api/simulator/ussd',
    body: PayerBody,
    response: Decided,
    handle: ({ repeatable, caller, body }) =>
      repeatable(async () =>
        success('USSD payment simulated.', await simulateUssd(deps, testMode(caller), body)),
      ),
  }),
  route({
    ...slice,
    operation: 'simulate_card',
    summary: 'Pay by card, or have the card declined',
    path: '/api/simulator/card',
    body: PayerBody,
    response: Decided,
    handle: ({ repeatable, caller, body }) =>
      repeatable(async () =>
        success('Card payment simulated.', await simulateCard(deps, testMode(caller), body)),
      ),
  }),
  route({
    ...slice,
    operation: 'simulate_deposit',
    summary: 'Pay into a virtual account or the funding account',
    path: '/api/simulator/deposit',
    body: DepositBody,
    response: Envelope(
      Type.Object({
        reference: Type.String(),
        status: Type.String(),
        accepted: Type.Boolean(),
        reason: Nullable(Type.String()),
        returnStatus: Nullable(Type.String({ description: 'As in the deposit’s record.' })),
      }),
    ),
    handle({ caller, claim, body: { accountNumber, amount, keep: isKept }, respond }) {
      const payer = testMode(caller)
      const amount_minor = parseAmount(amount, SIMULATED_CURRENCY)
      const payment = { accountNumber, amount_minor, isKept }
      return twoPhase(deps.db, claim, {
        begin: (tx) => payIntoVirtualAccount(tx, deps, payer, payment),
        async finish(id) {
          const deposit = await simulatedDeposit(deps, payer, id)
          return { answer: respond(success('Deposit simulated.', deposit)), isFinal: true }
        },
      })
    },
  }),
]

const bankRoutes = (deps: SimulatorDeps): Route[] => [
  route({
    ...slice,
    operation: 'simulate_transfer',
    summary: 'Simulate the bank’s decision on a transfer',
    path: '/api/simulator/transfer',
    body: TransferBody,
    response: Decided,
    handle: ({ repeatable, caller, body }) =>
      repeatable(async () =>
        success('Transfer simulated.', await simulateTransfer(deps, testMode(caller), body)),
      ),
  }),
  route({
    ...slice,
    operation: 'simulate_refund',
    summary: 'Simulate the bank’s decision on a refund',
    path: '/api/simulator/refund',
    body: RefundBody,
    response: Decided,
    handle: ({ repeatable, caller, body }) =>
      repeatable(async () =>
        success('Refund simulated.', await simulateRefund(deps, testMode(caller), body)),
      ),
  }),
  route({
    ...slice,
    operation: 'simulate_dispute',
    summary: 'Dispute a payment',
    path: '/api/simulator/dispute',
    body: DisputeBody,
    response: Decided,
    handle({ caller, claim, body, respond }) {
      const payer = testMode(caller)
      return twoPhase(deps.db, claim, {
        begin: (tx) => disputePayment(tx, deps, payer, body),
        async finish(id) {
          const dispute = await reportDispute(deps, payer, id)
          return { answer: respond(success('Payment disputed.', dispute)), isFinal: true }
        },
      })
    },
  }),
  route({
    ...slice,
    operation: 'simulate_dispute_outcome',
    summary: 'Simulate the bank’s decision on a dispute',
    path: '/api/simulator/dispute-outcome',
    body: DisputeOutcomeBody,
    response: Decided,
    handle: ({ repeatable, caller, body }) =>
      repeatable(async () =>
        success('Dispute decided.', await simulateDispute(deps, testMode(caller), body)),
      ),
  }),
  route({
    ...slice,
    operation: 'simulate_utility',
    summary: 'Simulate the biller’s decision on a Pending utility payment',
    path: '/api/simulator/utility',
    body: UtilityBody,
    response: Decided,
    handle: ({ repeatable, caller, body }) =>
      repeatable(async () =>
        success('Utility payment simulated.', await simulateUtility(deps, testMode(caller), body)),
      ),
  }),
  route({
    ...slice,
    operation: 'simulate_settlement',
    summary: 'Settle subaccounts now instead of at midnight',
    path: '/api/simulator/settlement',
    body: Type.Object({}),
    response: Envelope(
      Type.Object({
        reference: Type.String(),
        status: Type.String(),
        count: Type.Integer({
          description: 'At most 1,000 per request. Repeat the request for more.',
        }),
        settlements: Type.Array(SettlementRecord, { description: 'The first 100 settlements.' }),
      }),
    ),
    handle: ({ repeatable, caller }) =>
      repeatable(async () => success('Settled.', await simulateSettlement(deps, testMode(caller)))),
  }),
]

function ownRoutes(deps: SimulatorDeps & Clocked): Route[] {
  const takeEvent = openLimiter(deps, 'simulated events', SIMULATED_EVENTS)
  return [...moneyRoutes(deps), ...eventAndClockRoutes(deps, takeEvent)]
}

const moneyRoutes = (deps: SimulatorDeps & Clocked): Route[] => [
  route({
    ...slice,
    operation: 'simulate_wallet',
    summary: 'Top up the test wallet',
    path: '/api/simulator/wallet',
    body: WalletBody,
    response: Envelope(
      Type.Object({
        reference: Type.String(),
        status: Type.String(),
        amount: Type.Number(),
        amountMinor: Type.Integer(),
        currency: Type.String(),
      }),
    ),
    handle: ({ once, caller, body }) =>
      once(async (tx) => {
        const amount_minor = parseAmount(body.amount, SIMULATED_CURRENCY)
        return success('Wallet funded.', await fundWallet(tx, deps, testMode(caller), amount_minor))
      }),
  }),
]

const eventAndClockRoutes = (deps: SimulatorDeps & Clocked, takeEvent: Limiter): Route[] => [
  route({
    ...slice,
    operation: 'simulate_event',
    summary: 'Send a simulated event',
    path: '/api/simulator/events',
    body: SampleEvent,
    response: Envelope(Type.Object({ ...EventRecord.properties, status: Type.String() })),
    handle: ({ once, caller, body }) => {
      takeEvent(caller.businessId)
      return once(async (tx) => {
        const event = await simulateEvent(tx, deps, testMode(caller), body)
        return success('Event simulated.', { ...event, status: 'Successful' })
      })
    },
  }),
  route({
    ...slice,
    operation: 'simulate_clock',
    summary: 'Advance the test clock of this business',
    path: '/api/simulator/clock',
    body: ClockBody,
    response: Envelope(
      Type.Object({
        reference: Type.String(),
        status: Type.String(),
        now: Timestamp,
        offsetSeconds: Type.Integer(),
      }),
    ),
    handle: ({ once, caller, body }) =>
      once(async (tx) => {
        const { businessId } = testMode(caller)
        const { test_clock_offset_ms, reference } = await advanceClock(
          tx,
          businessId,
          body.advanceSeconds,
        )
        if (test_clock_offset_ms > ADVANCE_SECONDS_MAX * 1000) throw clockTooFar()
        tx.after(() => {
          forgetKeysOf(businessId)
          deps.nudgeClock()
        })
        return success('Test clock advanced.', {
          reference,
          status: 'Successful',
          now: new Date(deps.clock.now().getTime() + test_clock_offset_ms),
          offsetSeconds: test_clock_offset_ms / 1000,
        })
      }),
  }),
]

const clockTooFar = () =>
  new Problem('invalid', 'clock_too_far', 'The test clock can be at most ten years ahead.', {
    fields: { advanceSeconds: ['would move the test clock more than ten years ahead'] },
  })

function testMode(caller: Caller): Caller {
  if (!caller.live) return caller
  throw new Problem('invalid', 'test_mode_only', 'Simulations require a test key.')
}
