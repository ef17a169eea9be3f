import { expect } from 'vitest'
import type {
  Call,
  HttpConnector,
  PayoutOrder,
} from '../../src/providers/connector/http-connector.ts'
import type { About, Outcome } from '../../src/providers/connector/types.ts'
import { moveSimulatedOrder, type SimulatedOutcome } from '../../src/providers/simulator/orders.ts'
import { openSimulator } from '../../src/providers/simulator/simulator.ts'
import { startServer } from '../harness.ts'
import { describeConnector } from './conformance.ts'
import { describeJourney } from './journey.ts'
import { CAPABILITIES, type Subject } from './rig.ts'

const server = await startServer({ jobs: false })
const { db, clock } = server
const tenant = { businessId: server.business.businessId, live: false }
const simulator = openSimulator({ db, clock, simulatorDelayMs: 60_000, nudge: () => {} })

const aboutOf = ({ now }: Call): About => ({
  tenant,
  now,
  order: { kind: 'test', subjectId: 1, attempt: 1 },
})
const mapped = <T, U>(outcome: Outcome<T>, to: (value: T) => U): Outcome<U> =>
  outcome.kind === 'done' ? { ...outcome, value: to(outcome.value) } : outcome
const payoutOf = ({ to, ...order }: PayoutOrder) => ({
  ...order,
  bankCode: to.bank.code,
  accountNumber: to.accountNumber,
  accountName: to.accountName,
})

/** The simulator with the type of the other connectors. */
const connector: HttpConnector = {
  provider: 'simulator',
  title: 'The simulator',
  currencies: ['NGN'],
  credentials: [],
  baseUrls: {},
  amounts: {},
  facts: [],
  depositAmounts: 'any',
  pageSources: [],
  deadlinesMs: { resolve: 0, open: 0, order: 0, lookUp: 0, list: 0 },
  limits: { perSecond: 0, ordersPerSecond: 0, atOnce: 0 },
  absence: simulator.absence,
  startIsRepeatable: simulator.startIsRepeatable,
  probe: async () => ({ kind: 'refused', code: 'unsupported', message: '' }),
  collections: {
    openVirtualAccount: async (call, order) =>
      mapped(await simulator.openVirtualAccount(aboutOf(call), order), (account) => ({
        ...account,
        expiresAt: null,
      })),
    startUssd: (call, order) => simulator.startUssd(aboutOf(call), order),
    lookUpCharge: async (call, sent) =>
      mapped(await simulator.lookUpCharge(aboutOf(call), sent), (state) => ({
        payments: [],
        ...state,
      })),
  },
  payouts: {
    payOut: (call, order) => simulator.payOut(aboutOf(call), payoutOf(order)),
    lookUpPayout: (call, sent) => simulator.lookUpPayout(aboutOf(call), sent),
    cancelPayout: (call, sent) => simulator.cancelPayout!(aboutOf(call), sent),
  },
  refunds: {
    refund: async (call, order) =>
      mapped(await simulator.refund(aboutOf(call), order), notDeducted),
    lookUpRefund: async (call, sent) =>
      mapped(await simulator.lookUpRefund(aboutOf(call), sent), notDeducted),
  },
}

function notDeducted<State>(state: State) {
  return { ...state, deducted_minor: null }
}

const absent = () => {
  throw new Error('The simulator does not have this.')
}

async function move(reference: string, outcome: string): Promise<void> {
  const isMoved = await moveSimulatedOrder(db, tenant, reference, outcome as SimulatedOutcome)
  expect(isMoved).toBe(true)
}

const subject: Subject = {
  connector,
  double: null,
  lacks: CAPABILITIES.filter((one) => one !== 'withdrawal'),
  now: clock.now,
  advance: async (ms) => clock.advance(ms),
  credentials: () => ({}),
  wrongCredentials: {},
  otherEnvironment: {},
  requests: {},
  account: {
    bank: { code: '057', id: null, name: 'Zenith Bank' },
    accountNumber: '0123456789',
    accountName: 'ADA OBI',
  },
  unknownAccount: null,
  ussdBanks: { with: '058', without: '057' },
  words: {
    payout: {
      success: 'Successful',
      failed: 'Failed',
      blocked: 'Blocked',
      rejected: 'Rejected',
    },
    journey: [
      ['success', 'Successful'],
      ['returned', 'Returned'],
    ],
    refund: { failed: 'Failed', needs_attention: 'NeedsAttention', success: 'Successful' },
  },
  feeField: '',
  executed: async (reference) => {
    const row = await db.one<{ times: number }>`
      select count(*)::int as times from simulator_orders where reference = ${reference}`
    return row.times
  },
  transferTo: absent,
  dial: (_, reference, approves = true) => move(reference, approves ? 'approved' : 'declined'),
  payHosted: absent,
  settlePayout: move,
  settleRefund: (reference, _, word) => move(reference, word),
  topUp: () => {},
  allowAddress: absent,
  settleToBank: absent,
  openDispute: absent,
  decideDispute: absent,
  rotateNoticeSecret: absent,
}

describeConnector(subject)
describeJourney({ server, subject, makeAvailable: () => {} })
