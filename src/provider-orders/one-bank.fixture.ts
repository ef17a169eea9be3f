import { startServer } from '../../test/harness.ts'
import { transferOrders } from '../money/transfers/provider-order.ts'
import { openShop } from '../money/transfers/transfers.fixture.ts'
import { sentReferenceOf } from '../providers/connector/references.ts'
import type {
  Absence,
  NotNowCode,
  Outcome,
  PayoutState,
  Provider,
  RefusalCode,
  UnknownReason,
} from '../providers/connector/types.ts'
import { openProviders } from '../providers/providers.ts'
import { openSimulator } from '../providers/simulator/simulator.ts'
import { simulatorNoticeHandler } from './notices.ts'
import { orderJob } from './orders.ts'

/* Tests the protocol with transfers; all kinds of order go through the same code. */

export const MINUTE = 60_000

export const done = (
  status: PayoutState['status'],
  { refs, ...more }: Partial<PayoutState> & { refs?: object } = {},
): Outcome<PayoutState> => ({
  kind: 'done',
  value: { status, message: status, ...more },
  ...(refs && { refs }),
})
export const refused = (code: RefusalCode): Outcome<PayoutState> => ({
  kind: 'refused',
  code,
  message: code,
})
export const notNow = (code: NotNowCode, retryAfterMs?: number): Outcome<PayoutState> => ({
  kind: 'notNow',
  code,
  message: 'Too many',
  ...(retryAfterMs !== undefined && { retryAfterMs }),
})
export const unknown = (reason: UnknownReason = 'timed_out'): Outcome<PayoutState> => ({
  kind: 'unknown',
  reason,
})
export const notFound = refused('unknown_order')

/** Like Paystack: the order may appear for ten minutes, but a second one is refused. */
export const LATE: Absence = { provenAfterMs: 10 * MINUTE, repeatIsSafe: true }
/** Like Flutterwave. */
export const NEVER: Absence = { provenAfterMs: null, repeatIsSafe: false }
export const UNSAFE: Absence = { provenAfterMs: 10 * MINUTE, repeatIsSafe: false }

export const FINAL = [
  'unknown_account',
  'unknown_bank',
  'unknown_customer',
  'unknown_package',
  'declined',
  'amount_out_of_range',
  'not_refundable',
] as const
export const UNCLEAR = ['bad_request', 'unknown_order', 'unsupported'] as const
export const PROVEN = [
  'not_reached',
  'insufficient_provider_balance',
  'feature_off',
  'limit_reached',
  'address_not_allowed',
] as const
export const UNPROVEN = ['rate_limited', 'credentials_refused', 'provider_down'] as const

export const isPending = (answer: Outcome<PayoutState>): [Outcome<PayoutState>, string] => [
  answer,
  'Pending',
]

type Answers = Partial<Record<'send' | 'look up', Outcome<PayoutState>>>

/** Starts a server, each of whose shops has a bank that gives the responses of a test. */
export async function openOneBank() {
  const server = await startServer({ jobs: false })
  const { db, ids, clock } = server
  const simulator = openSimulator({ db, clock, simulatorDelayMs: 20, nudge: () => {} })

  /** Opens a shop with one transfer, and a bank that replaces the simulator. */
  async function shopWithTransfer(absence?: Absence) {
    const shop = await openShop(server)
    const reference = await shop.send()
    const sent = sentReferenceOf(reference, 1)
    const calls: string[] = []
    /** The state before each lookup, as the connector receives it. */
    const known: unknown[] = []
    const logged: object[] = []
    const note = (fields: object) => void logged.push(fields)
    const log = { info: note, warn: note, error: note }
    const kind = transferOrders(server)
    let ranAt = clock.now()
    const depsWith = (answers: Answers) => {
      const answer = (call: 'send' | 'look up', to: string) => {
        calls.push(`${call} ${to.replace(sent, 'R')}`)
        const outcome = answers[call]
        if (!outcome) throw new Error('The line is down')
        return Promise.resolve(outcome)
      }
      const bank: Partial<Provider> = {
        payOut: (_, order) => answer('send', order.reference),
        lookUpPayout: (_, order) => {
          known.push(order.state)
          return answer('look up', order.reference)
        },
        ...(absence && { absence: { ...simulator.absence, payout: absence } }),
      }
      return {
        db,
        ids,
        log,
        providers: openProviders(db, { simulator: { ...simulator, ...bank } }),
      }
    }
    /** Runs the job for this business only, with a bank that gives these responses. */
    const run = (answers: Answers, afterMs = 0) => {
      clock.advance(afterMs)
      ranAt = clock.now()
      return orderJob(depsWith(answers), kind).run(db, ranAt, shop.businessId)
    }
    const notice = async (answers: Answers, about = sent) => {
      const tenant = { businessId: shop.businessId, live: false }
      await simulatorNoticeHandler(depsWith(answers), { transfer: kind })(
        { tenant, reference: about },
        clock.now(),
      )
    }
    const status = async () => (await shop.transfer(reference)).status
    const order = () => db.one<Record<string, unknown> & { next_at: Date | null }>`
    select tries, last_outcome, last_code, last_message, state, provider_id, provider_session,
      sent_at, next_at, ended_at, attention, fee_minor, not_now_count
    from provider_orders where reference = ${reference}`
    /** How long after the last run the order is due again, in whole seconds. */
    const waitMs = async () =>
      Math.round(((await order()).next_at!.getTime() - ranAt.getTime()) / 1_000) * 1_000
    const differences = () => db.many<Record<string, unknown>>`
    select field, ours_minor, theirs_minor, evidence from provider_differences
    where business_id = ${shop.businessId}`
    const seen = { calls, known, logged, status, order, waitMs, differences }
    return { ...shop, ...seen, reference, run, notice }
  }

  return { server, simulator, shopWithTransfer }
}
