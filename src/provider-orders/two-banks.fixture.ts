import { startServer } from '../../test/harness.ts'
import type {
  About,
  Absence,
  Connector,
  NotNowCode,
  Outcome,
  RefusalCode,
} from '../providers/connector/types.ts'
import { connect, routesApply, setRoutes } from '../providers/providers.fixture.ts'

export const MINUTE = 60_000
const SERVICES = ['BANK_TRANSFER', 'USSD', 'PAYOUTS', 'UTILITY'] as const

type Name = 'paystack' | 'flutterwave'
type Operation = 'payOut' | 'lookUpPayout' | 'vend' | 'startUssd' | 'lookUpCharge' | RefundOperation
type RefundOperation = 'refund' | 'lookUpRefund'
type Answer = Outcome<never> | (() => Promise<Outcome<never>>)
type Answers = Partial<Record<`${Name} ${Operation}`, Answer>>

/** An order may appear for ten minutes after it was sent; a second one is refused. */
const LATE: Absence = { provenAfterMs: 10 * MINUTE, repeatIsSafe: true }

export const refused = (code: RefusalCode): Outcome<never> => ({
  kind: 'refused',
  code,
  message: code,
})
export const notNow = (code: NotNowCode = 'not_reached'): Outcome<never> => ({
  kind: 'notNow',
  code,
  message: code,
})
export const unknown: Outcome<never> = { kind: 'unknown', reason: 'timed_out' }
export const notFound = refused('unknown_order')

/**
 * Starts a server on which each business can have an account with Paystack and, with a lower
 * priority, one with Flutterwave. Both are simulators, except for the responses that a test sets.
 */
export async function openTwoBanks() {
  const answersOf = new Map<number, Answers>()
  const calls: { businessId: number; call: string }[] = []

  /** The simulator under another name, with the responses that a test has set for its business. */
  function bank(simulator: Connector, name: Name, more: Partial<Connector> = {}): Connector {
    const operations = Object.entries(simulator).map(([operation, run]) => {
      if (typeof run !== 'function') return [operation, run]
      const call = async (about: About, ...rest: unknown[]) => {
        const businessId = about.tenant?.businessId
        const key = `${name} ${operation}` as keyof Answers
        if (businessId) calls.push({ businessId, call: key })
        const answer = answersOf.get(businessId)?.[key]
        if (typeof answer === 'function') return answer()
        return answer ?? (run as (...args: unknown[]) => unknown)(about, ...rest)
      }
      return [operation, call]
    })
    return { ...(Object.fromEntries(operations) as unknown as Connector), ...more }
  }

  const server = await startServer({
    jobs: false,
    connectors(simulator) {
      const { cancelPayout: _, ...flutterwave } = bank(simulator, 'flutterwave')
      const absence = { ...simulator.absence, payout: LATE, refund: LATE, bill: LATE }
      return {
        simulator,
        paystack: bank(simulator, 'paystack', { startIsRepeatable: false, absence }),
        flutterwave,
      }
    },
  })
  const { db, clock, runJob } = server

  /** Gives a business its two accounts, and returns what a test needs to know about its orders. */
  async function withAccounts<Shop extends { businessId: number }>(
    shop: Shop,
    names: readonly Name[] = ['paystack', 'flutterwave'],
  ) {
    const { businessId } = shop
    const ids: number[] = []
    for (const provider of names) ids.push(await connect(server, businessId, { provider }))
    await setRoutes(
      server,
      businessId,
      SERVICES.flatMap((service) =>
        ids.map((connectionId, i) => ({ service, connectionId, priority: i + 1 })),
      ),
    )
    await routesApply()
    const nameOf = (id: number) => names[ids.indexOf(id)]
    const answer = (answers: Answers) => void answersOf.set(businessId, answers)
    const asked = () => calls.filter((one) => one.businessId === businessId).map(({ call }) => call)
    const orders = async (kind: string) => {
      const rows = await db.many<{ connection_id: number; state: string }>`
        select connection_id, state from provider_orders
        where business_id = ${businessId} and kind = ${kind} order by subject_id, attempt`
      return rows.map(({ connection_id, state }) => `${nameOf(connection_id)} ${state}`)
    }
    /** Why a person has to look at the last order. */
    const attention = async (kind = 'transfer') => {
      const row = await db.one<{ attention: string | null }>`
        select attention from provider_orders
        where business_id = ${businessId} and kind = ${kind}
        order by subject_id desc, attempt desc limit 1`
      return row.attention
    }
    const differences = () => db.many<Record<string, unknown>>`
      select attempt, field from provider_differences where business_id = ${businessId}`
    const bankActs = async () => {
      clock.advance(1_000)
      await runJob('simulator')
    }
    /** Changes the status of the first account. */
    const setStatus = async (status: string) => {
      await db.run`update provider_connections set status = ${status} where id = ${ids[0]!}`
      await routesApply()
    }
    const seen = { asked, orders, attention, differences }
    return { ...shop, ...seen, answer, bankActs, setStatus, connectionIds: ids }
  }
  return { server, withAccounts }
}
