import { afterEach, describe, expect } from 'vitest'
import { shown, valueIn } from '../../../src/providers/connector/connector.fixture.ts'
import type { Call } from '../../../src/providers/connector/http-connector.ts'
import type { Outcome } from '../../../src/providers/connector/types.ts'
import type { FaultRule } from '../doubles/faults.ts'
import { type OperationName, type Rig, refsOf } from '../rig.ts'

/** A call that is ready to be made, under a fault. */
interface Prepared {
  run(by: Call): Promise<Outcome<unknown>>
  /** For orders of money: how often they were executed, and what a lookup of them says. */
  orders?: readonly { executed(): Promise<number>; lookUp(): Promise<Outcome<unknown>> }[]
}

/** What happens, what an order's outcome then is, whether it was executed, and a read's outcome. */
const FAULTS: readonly [Omit<FaultRule, 'on'>, order: string, executed: 0 | 1, read: string][] = [
  [{ kind: 'reset_after_read' }, 'unknown disconnected', 0, 'unknown disconnected'],
  [{ kind: 'reset_after_effect' }, 'unknown disconnected', 1, 'unknown disconnected'],
  [{ kind: 'cut_body' }, 'unknown disconnected', 1, 'unknown disconnected'],
  [{ kind: 'hang_before_effect' }, 'unknown timed_out', 0, 'unknown timed_out'],
  [{ kind: 'hang_after_effect' }, 'unknown timed_out', 1, 'unknown timed_out'],
  [{ kind: 'status', status: 500 }, 'unknown server_error', 0, 'notNow provider_down'],
  [{ kind: 'status_after_effect', status: 502 }, 'unknown server_error', 1, 'notNow provider_down'],
  [{ kind: 'status', status: 401 }, 'notNow credentials_refused', 0, 'notNow credentials_refused'],
  [{ kind: 'status', status: 403 }, 'notNow credentials_refused', 0, 'notNow credentials_refused'],
  // A gateway can say this after the order was executed, so one lookup follows before it is sent.
  [
    { kind: 'status_after_effect', status: 429, retryAfter: 7 },
    ...(['notNow rate_limited', 1, 'notNow rate_limited'] as const),
  ],
  [{ kind: 'status', status: 404 }, 'refused bad_request', 0, 'unknown inconclusive'],
  [{ kind: 'html' }, 'unknown unreadable', 1, 'unknown unreadable'],
  [{ kind: 'huge' }, 'unknown unreadable', 1, 'unknown unreadable'],
  [{ kind: 'redirect' }, 'unknown unreadable', 1, 'unknown unreadable'],
]

const ORDERS: ReadonlySet<OperationName> = new Set<OperationName>([
  ...(['payOut', 'payOutMany', 'refund', 'openVirtualAccount', 'startUssd'] as const),
  'openHostedPage',
])

const HANG_MS = 700

export function describeFaults(rig: Rig): void {
  const { connector, subject, call, payout, needs } = rig
  const double = rig.double!
  const names = Object.keys(subject.requests) as OperationName[]

  /** One of each, which lookups and refunds are about. */
  const subjects = once(async () => {
    const from = subject.now()
    const [order, paid] = [payout(), await rig.paidCharge()]
    await rig.payOut(order)
    const refunded = rig.refundOf(paid, 1_000n)
    const refs = refsOf(await rig.refund(refunded))
    subject.openDispute((await rig.paidCharge()).reference, 1_000n, 3_600_000)
    return { order, paid, refunded, refs, range: { from, until: rig.later(1) } }
  })

  const prepare: Record<OperationName, () => Promise<Prepared>> = {
    async payOut() {
      const order = payout()
      return { run: (by) => rig.payOut(order, by), orders: [followed(order)] }
    },
    async payOutMany() {
      const orders = [payout(5_000n), payout(6_000n)]
      return {
        run: (by) => connector.payouts!.payOutMany!(by, orders),
        orders: orders.map(followed),
      }
    },
    async refund() {
      const order = rig.refundOf((await subjects()).paid, 1_000n)
      return {
        run: (by) => rig.refund(order, by),
        orders: [
          {
            executed: () => rig.executed(order.reference),
            lookUp: () => rig.lookUpRefund(order),
          },
        ],
      }
    },
    openVirtualAccount: async () => ({ run: (by) => rig.openAccount(rig.charge(), by) }),
    startUssd: async () => ({ run: (by) => rig.startUssd(rig.charge(), undefined, by) }),
    openHostedPage: async () => ({ run: (by) => rig.openPage(rig.charge(), by) }),
    async lookUpPayout() {
      const { order } = await subjects()
      return { run: (by) => rig.lookUpPayout(order, {}, by) }
    },
    async lookUpCharge() {
      const { reference } = (await subjects()).paid
      return { run: (by) => rig.lookUpCharge({ ...rig.charge(), reference }, {}, by) }
    },
    async lookUpRefund() {
      const { refunded, refs } = await subjects()
      return { run: (by) => rig.lookUpRefund(refunded, refs, by) }
    },
    balances: async () => ({ run: (by) => connector.balances!.balances(by) }),
    banks: async () => ({ run: (by) => connector.accounts!.banks(by) }),
    resolveAccount: async () => ({
      run: (by) => connector.accounts!.resolveAccount(by, subject.account),
    }),
    async charges() {
      const { range } = await subjects()
      return { run: (by) => connector.reports!.entries(by, 'charge', range, null) }
    },
    async disputes() {
      const { range } = await subjects()
      return { run: (by) => connector.disputes!.list(by, range, null) }
    },
  }

  const followed = (order: ReturnType<typeof payout>) => ({
    executed: () => rig.executed(order.reference),
    lookUp: () => rig.lookUpPayout(order),
  })

  /** Prepares all operations, makes them all at once under a fault, and returns what each says. */
  async function under(rule: FaultRule, deadlineMs?: number) {
    const all = await Promise.all(names.map((name) => prepare[name]()))
    const lift = double.fault(rule)
    const outcomes = await Promise.all(
      all.map(({ run }) => run(call(deadlineMs === undefined ? {} : { deadlineMs }))),
    )
    await lift()
    const said = Object.fromEntries(names.map((name, i) => [name, shown(outcomes[i]!)]))
    return { said, outcomes, orders: all.flatMap(({ orders = [] }) => orders) }
  }
  const expected = (order: string, read: string) =>
    Object.fromEntries(names.map((name) => [name, ORDERS.has(name) ? order : read]))

  describe('after a fault', () => {
    afterEach(() => double?.clearFaults())

    needs('http').each(FAULTS)(
      'is known what can be known: %j',
      async (rule, order, times, read) => {
        const isSlow = rule.kind.startsWith('hang')
        const { said, orders } = await under({ ...rule, on: '*' }, isSlow ? HANG_MS : undefined)
        expect(said).toEqual(expected(order, read))
        for (const one of orders) {
          expect(await one.executed()).toBe(times)
          expect(shown(await one.lookUp())).toBe(times === 1 ? 'done' : 'refused unknown_order')
        }
      },
    )

    needs('http')('that kept a request from being sent, nothing was sent', async () => {
      const { said, orders } = await under({ on: '*', kind: 'refuse' })
      expect(said).toEqual(expected('notNow not_reached', 'notNow not_reached'))
      for (const one of orders) expect(await one.executed()).toBe(0)
    })

    needs('http')('it is known when to try again', async () => {
      const { outcomes } = await under({ on: '*', kind: 'status', status: 429, retryAfter: 7 })
      expect(outcomes).toMatchObject(outcomes.map(() => ({ kind: 'notNow', retryAfterMs: 7_000 })))
    })

    needs('http').each(Object.entries(subject.requests))(
      '%s without a field cannot be read',
      async (name, { on, fields }) => {
        const unread: string[] = []
        for (const field of fields) {
          const { run } = await prepare[name as OperationName]()
          const lift = double.fault({ on, kind: 'missing_field', field })
          const outcome = await run(call())
          await lift()
          if (shown(outcome) === 'unknown unreadable') unread.push(field)
        }
        expect(unread).toEqual(fields)
      },
    )

    needs('batches')('a batch leaves orders open that its response does not have', async () => {
      const orders = [payout(), payout()]
      const { on } = subject.requests.payOutMany!
      double.fault({ on, kind: 'missing_field', field: 'data.reference' })
      const outcomes = valueIn(await connector.payouts!.payOutMany!(call(), orders))
      expect(outcomes.map(({ kind }) => kind)).not.toContain('refused')
      for (const one of outcomes) {
        if (one.kind === 'done') expect(one.value.status).toBe('Pending')
      }
    })
  })
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}
