import { afterEach, describe, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { simulatorNoticeHandler } from '../../provider-orders/notices.ts'
import { sentReferenceOf } from '../../providers/connector/references.ts'
import { openProviders } from '../../providers/providers.ts'
import { openSimulator } from '../../providers/simulator/simulator.ts'
import { refundOrders } from './provider-order.ts'
import { openShop } from './refunds.fixture.ts'
import { REFUND_STATES, type RefundState, refundMachine } from './schemas.ts'

const server = await startServer({ jobs: false })
const { db, clock } = server

afterEach(async () => expect(await findings(server)).toEqual([]))

const { businessId, paid, refund, simulate, one, wallet } = await openShop(server)

/** Creates a refund of ₦60 in this state. */
async function refundIn(state: RefundState): Promise<string> {
  const { id } = await paid(100)
  const { reference } = (await refund({ transactionId: id, amount: 60 })).body.data
  if (state === 'Processing') await server.runJob('refund-orders')
  if (state === 'Processed') await simulate(reference, 'success')
  if (state === 'Failed') await simulate(reference, 'failed')
  if (state === 'NeedsAttention') await simulate(reference, 'needs_attention')
  expect(await one(reference)).toMatchObject({ status: state })
  return reference
}

/** The provider's states, the move that each causes, and its event. */
const ANSWERS = {
  Pending: { move: 'send', event: undefined },
  Successful: { move: 'succeed', event: 'refund.processed' },
  Failed: { move: 'fail', event: 'refund.failed' },
  NeedsAttention: { move: 'need_attention', event: 'refund.needs_attention' },
} as const

const sent = (reference: string) => sentReferenceOf(reference, 1)
const eventsOf = async (reference: string) =>
  (
    await db.many<{ type: string }>`
      select e.type from events e
      join refunds r on (r.business_id, r.id) = (e.business_id, e.object_id)
      where r.reference = ${reference} order by e.sequence`
  ).map(({ type }) => type)

describe.each(REFUND_STATES)('a refund that is %s', (state) => {
  test.each(Object.keys(ANSWERS) as (keyof typeof ANSWERS)[])(
    '201 moves only as allowed when the bank reports %s, however often',
    async (answer) => {
      const reference = await refundIn(state)
      const [before, events] = [await wallet(), await eventsOf(reference)]
      const { move, event } = ANSWERS[answer]
      const { from, to, ledger } = refundMachine.moves[move]
      // A refund that was not ordered yet is not looked up.
      const isMoved = state !== 'Pending' && (from as readonly string[]).includes(state)

      await db.run`
        insert into simulator_orders (business_id, live, reference, kind, amount_minor, currency,
          status, message, notify, created_at)
        select business_id, live, ${sent(reference)}, 'REFUND', amount_minor, currency, ${answer}, 'Said',
          true, ${clock.now()} from refunds where reference = ${reference}
        on conflict (business_id, live, reference)
          do update set status = ${answer}, message = 'Said', notify = true, due_at = null`
      for (let again = 0; again < 3; again++) {
        await db.run`update simulator_orders set notify = true where reference = ${sent(reference)}`
        await server.runJob('simulator')
      }

      expect((await one(reference)).status).toBe(isMoved ? to : state)
      expect(await eventsOf(reference)).toEqual([...events, ...(isMoved && event ? [event] : [])])
      const verb = isMoved ? ledger : 'none'
      expect(await wallet()).toEqual({
        available: before.available + (verb === 'void' ? 60 : 0),
        held: before.held - (verb === 'none' ? 0 : 60),
      })
      const entries = (await one(reference)).timeline as unknown[]
      expect(JSON.stringify(entries).match(/"Said"/g)?.length ?? 0).toBe(isMoved ? 1 : 0)
    },
  )
})

describe('the response to an earlier look-up', () => {
  /** Starts a look-up, and handles its response once the test releases it. */
  async function askSlowly(reference: string) {
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    let hasRead = () => {}
    const read = new Promise<void>((resolve) => {
      hasRead = resolve
    })
    const simulator = openSimulator({ db, clock, simulatorDelayMs: 0, nudge: () => {} })
    const providers = openProviders(db, {
      simulator: {
        ...simulator,
        async lookUpRefund(...asked) {
          const outcome = await simulator.lookUpRefund(...asked)
          hasRead()
          await gate
          return outcome
        },
      },
    })
    const kind = refundOrders({ ids: server.ids, nudge: () => {}, payables: {} })
    const notice = { tenant: { businessId, live: false }, reference: sent(reference) }
    const handle = simulatorNoticeHandler({ db, ids: server.ids, providers }, { refund: kind })
    const acted = handle(notice, clock.now())
    await read
    return async () => {
      release()
      await acted
    }
  }
  const say = async (reference: string, status: string) => {
    await db.run`update simulator_orders set status = ${status}, notify = true, due_at = null
      where reference = ${sent(reference)}`
    await server.runJob('simulator')
  }

  test('201 that it needed attention is not reported again after a person acted', async () => {
    const reference = await refundIn('Processing')
    await db.run`update simulator_orders set status = 'NeedsAttention', due_at = null
      where reference = ${sent(reference)}`
    const act = await askSlowly(reference)
    await say(reference, 'NeedsAttention')
    await say(reference, 'Pending')
    await act()
    expect((await one(reference)).status).toBe('Processing')
    expect(await eventsOf(reference)).toEqual(['refund.pending', 'refund.needs_attention'])
  })

  test('201 that it was Processing does not hide that it needs attention again', async () => {
    const reference = await refundIn('NeedsAttention')
    await db.run`update simulator_orders set status = 'Pending'
      where reference = ${sent(reference)}`
    const act = await askSlowly(reference)
    await say(reference, 'Pending')
    await say(reference, 'NeedsAttention')
    await act()
    expect((await one(reference)).status).toBe('NeedsAttention')
    expect(await eventsOf(reference)).toHaveLength(3)
  })

  test('201 that it failed does not change a Processed refund', async () => {
    const reference = await refundIn('Processing')
    await db.run`update simulator_orders set status = 'Failed'
      where reference = ${sent(reference)}`
    const act = await askSlowly(reference)
    await say(reference, 'Successful')
    await act()
    expect((await one(reference)).status).toBe('Processed')
  })
})

describe('a move that is not in the table', () => {
  const moves = Object.keys(refundMachine.moves) as (keyof typeof refundMachine.moves)[]
  const illegal = REFUND_STATES.flatMap((state) =>
    moves
      .filter((move) => !(refundMachine.moves[move].from as readonly string[]).includes(state))
      .map((move) => [move, state] as const),
  )
  test.each(illegal)('409 rejects %s if it is %s', (move, state) => {
    const { kind, code, message } = refundMachine.refused(move, state)
    expect([kind, code]).toEqual(['conflict', 'refund_state'])
    expect(message).toMatch(new RegExp(`^This refund is (already )?${state}\\.`))
  })

  test.each([
    ['Processed', 'success'],
    ['Processed', 'failed'],
    ['Processed', 'needs_attention'],
    ['Failed', 'success'],
    ['Failed', 'failed'],
    ['Failed', 'needs_attention'],
    ['NeedsAttention', 'needs_attention'],
  ] as const)(
    '409 in the simulator, if a refund that is %s should become a %s',
    async (state, outcome) => {
      const reference = await refundIn(state)
      const { status, body } = await simulate(reference, outcome)
      expect([status, body.errorCode]).toEqual([409, 'refund_state'])
      expect((await one(reference)).status).toBe(state)
    },
  )

  test('409 for Processed and Failed, which are final', () => {
    expect(REFUND_STATES.filter(refundMachine.isFinal)).toEqual(['Processed', 'Failed'])
  })
})
