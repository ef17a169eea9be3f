import { afterEach, expect, test } from 'vitest'
import { rounds, statusesOf, times, untilDone } from '../../../test/concurrency.ts'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { orderJob } from '../../provider-orders/orders.ts'
import type { Outcome, PayoutState } from '../../providers/connector/types.ts'
import { openProviders } from '../../providers/providers.ts'
import { openSimulator } from '../../providers/simulator/simulator.ts'
import { transferOrders } from './provider-order.ts'
import { nothing, openBank, openShop } from './transfers.fixture.ts'

const server = await startServer({ jobs: false })
const { db, ids, clock } = server
const { bankDay, ordersOf } = openBank(server)

afterEach(async () => expect(await findings(server)).toEqual([]))

const shop = () => openShop(server)
const NAME_DIFFERS = { accountNumber: '0000000005' }

/** Sends what is due to a bank that gives one response to everything. */
async function sendTo(answer: Outcome<PayoutState>): Promise<void> {
  const simulator = openSimulator({ db, clock, simulatorDelayMs: 0, nudge: () => {} })
  const providers = openProviders(db, { simulator: { ...simulator, payOut: async () => answer } })
  const job = orderJob({ db, ids, providers, log: { warn() {} } as never }, transferOrders(server))
  await job.run(db, clock.now())
}

test('200 cancels a Pending transfer that was not sent; it never is', async () => {
  const { send, decide, transfer, wallet, eventTypes } = await shop()
  const reference = await send()
  expect(await transfer(reference)).toMatchObject({ status: 'Pending', canCancel: true })
  const { status, body } = await decide(reference, 'cancel')
  expect([status, body.data]).toMatchObject([
    200,
    {
      status: 'Rejected',
      failureReason: 'Cancelled before it was sent',
      canCancel: false,
      completedAt: expect.any(String),
    },
  ])
  expect(await wallet()).toEqual(nothing)
  await bankDay()
  expect(await ordersOf(reference)).toEqual([])
  expect(await eventTypes()).toEqual(['transfer.pending', 'transfer.rejected'])
  const again = await decide(reference, 'cancel')
  expect([again.status, again.body.errorCode]).toEqual([409, 'transfer_state'])
})

test('200 cancels a transfer that waits for approval, with its own reference', async () => {
  const { send, decide, wallet, eventTypes } = await shop()
  await send({ ...NAME_DIFFERS, transferReference: 'wages-may' })
  expect((await decide('wages-may', 'cancel')).body.data.status).toBe('Rejected')
  expect(await wallet()).toEqual(nothing)
  expect(await eventTypes()).toEqual(['transfer.unverified', 'transfer.rejected'])
  expect((await decide('wages-may', 'approve')).status).toBe(409)
})

test('409 once a provider may have it, whatever the provider has said', async () => {
  const { send, decide, transfer, wallet } = await shop()
  for (const accountNumber of ['0000000006', '0000000003']) {
    const reference = await send({ accountNumber })
    await bankDay()
    expect((await transfer(reference)).canCancel).toBe(false)
    const { status, body } = await decide(reference, 'cancel')
    const code = accountNumber === '0000000006' ? 'transfer_sent' : 'transfer_state'
    expect([status, body.errorCode]).toEqual([409, code])
  }
  // The blocked one is retried: until the bank has withdrawn the first order, it can still pay it.
  const blocked = await send({ accountNumber: '0000000003' })
  await bankDay()
  expect((await decide(blocked, 'retry')).body.data).toMatchObject({
    status: 'Pending',
    attempt: 2,
    canCancel: false,
  })
  expect((await decide(blocked, 'cancel')).body.errorCode).toBe('transfer_sent')
  const paid = await send()
  await bankDay()
  expect((await decide(paid, 'cancel')).body.errorCode).toBe('transfer_state')
  // The retried one is paid meanwhile.
  expect((await wallet()).held).toBe(2 * 1_010)
})

test('200 after the provider could not take it; 409 after its response was lost', async () => {
  const { send, decide, transfer } = await shop()
  const refused = await send()
  const short = { code: 'insufficient_provider_balance', message: 'Too little' } as const
  await sendTo({ kind: 'notNow', ...short })
  expect(await transfer(refused)).toMatchObject({ status: 'Pending', canCancel: true })
  expect((await decide(refused, 'cancel')).status).toBe(200)

  const lost = await send()
  await sendTo({ kind: 'unknown', reason: 'timed_out' })
  expect((await decide(lost, 'cancel')).body.errorCode).toBe('transfer_sent')
})

test('404 for another business’s transfer', async () => {
  const { send } = await shop()
  const reference = await send()
  const { status, body } = await (await shop()).decide(reference, 'cancel')
  expect([status, body.errorCode]).toEqual([404, 'transfer_not_found'])
})

test('200 for one of 20 cancellations, while it is being sent: cancelled or paid, never both', async () => {
  const { send, decide, transfer, wallet } = await shop()
  let cancelled = 0
  for (let round = 0; round < rounds(10); round++) {
    const reference = await send()
    const cancel = () => times(20, () => untilDone(() => decide(reference, 'cancel')))
    const order = () => server.runJob('transfer-orders')
    const early = round % 2 ? order() : undefined
    const [replies] = await Promise.all([cancel(), early ?? order()])
    const wins = statusesOf(replies)[200] ?? 0
    expect(wins).toBeLessThanOrEqual(1)
    expect(await ordersOf(reference)).toHaveLength(1 - wins)
    await bankDay()
    expect((await transfer(reference)).status).toBe(wins === 1 ? 'Rejected' : 'Successful')
    cancelled += wins
  }
  const paid = (rounds(10) - cancelled) * 1_010
  expect(await wallet()).toEqual({ available: 1_000_000 - paid, held: 0 })
})

test('200 for either approve or cancel; both together end it', async () => {
  const { send, decide, transfer, wallet } = await shop()
  for (let round = 0; round < rounds(10); round++) {
    const reference = await send(NAME_DIFFERS)
    const verbs = round % 2 ? ['approve', 'cancel'] : ['cancel', 'approve']
    await Promise.all(verbs.map((verb) => untilDone(() => decide(reference, verb))))
    expect((await transfer(reference)).status).toBe('Rejected')
    await bankDay()
    expect(await ordersOf(reference)).toEqual([])
  }
  expect(await wallet()).toEqual(nothing)
})
