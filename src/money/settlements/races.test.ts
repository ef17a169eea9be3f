import { afterAll, describe, expect, test } from 'vitest'
import { untilDone } from '../../../test/concurrency.ts'
import {
  asOwner,
  callerWith,
  type Reply,
  sessionsWaiting,
  startSecond,
  startServer,
} from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runDue } from '../../jobs/jobs.ts'
import { runAudit } from '../../ledger/audit.ts'
import { openShop } from './settlements.fixture.ts'

const server = await startServer({ jobs: false })
const second = await startSecond(server)
const { db, clock } = server

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

const shop = () => openShop(server)

/** For requests that wait for a lock: however slow this machine is, they do not time out. */
const patient = await startSecond(server, { lockMs: 8_000 })
const patientShop = () => openShop({ ...server, as: (key) => callerWith(patient.url, key) })

const runBoth = (name: string) =>
  Promise.all(
    [server, second].flatMap(({ app, db }) => {
      const { run } = app.jobs.find((one) => one.name === name)!
      return [1, 2, 3].map(() => runDue(db, clock.now(), run))
    }),
  )

test('200 two concurrent runs settle each subaccount once', async () => {
  const { stall, pay, advance, list, balance, told } = await shop()
  const stalls = []
  for (let i = 0; i < 20; i++) {
    const one = await stall()
    await pay(1_000, one.page)
    stalls.push(one.id)
  }
  await advance(86_400)
  await runBoth('settlements')
  const made = await list('limit=100')
  const settled = made.map(({ subaccount }: { subaccount: number }) => subaccount)
  expect(settled.toSorted()).toEqual(stalls.toSorted())
  await runBoth('settlement-orders')
  clock.advance(1_000)
  await runBoth('simulator')
  await runBoth('settlement-orders')
  const ended = await list('limit=100')
  expect(new Set(ended.map(({ status }: { status: string }) => status))).toEqual(new Set(['Paid']))
  for (const id of stalls) expect(await balance(id)).toBe(0n)
  expect((await told()).length).toBe(20)
})

test('200 twenty concurrent requests create one settlement of a subaccount', async () => {
  const { stall, pay, post, list } = await shop()
  const { page } = await stall()
  await pay(1_000, page)
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => untilDone(() => post('/api/simulator/settlement'))),
  )
  expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(200))
  expect(replies.map(({ body }) => body.data.count).filter((count) => count > 0)).toEqual([1])
  expect((await list()).length).toBe(1)
})

describe('a concurrent settlement and refund', () => {
  test('200 in 20 rounds: one of the two sees what the other left', async () => {
    const { stall, pay, settle, refund, balance, list } = await shop()
    for (let round = 0; round < 20; round++) {
      const { id, code, page } = await stall()
      const payment = await pay(1_000, page)
      const back = () => refund(payment.id, 400)
      const [refunded] =
        round % 2 === 0
          ? await Promise.all([back(), settle()])
          : (await Promise.all([settle(), back()])).toReversed()
      const [settled] = await list(`subaccount=${code}`)
      expectOneWon(settled, refunded as Reply)
      expect(await balance(id)).toBe(0n)
    }
  })

  test('201 for a refund that commits after the entries were taken, and is taken too', async () => {
    const { settled, refunded, left } = await bothWaiting(['refund', 'settle'])
    expect([refunded.status, settled.count]).toEqual([201, 2])
    expectOneWon(settled, refunded)
    expect(left).toBe(0n)
  })

  test('400 if the settlement holds the amount first, and nothing is left to refund', async () => {
    const { settled, refunded, left } = await bothWaiting(['settle', 'refund'])
    expect([refunded.status, settled.count]).toEqual([400, 1])
    expectOneWon(settled, refunded)
    expect(left).toBe(0n)
  })

  function expectOneWon(settled: { amountMinor: number; count: number }, refunded: Reply) {
    if (refunded.status === 201) {
      expect([settled.amountMinor < 50_000, settled.count]).toEqual([true, 2])
    } else {
      expect([refunded.status, refunded.body.errorCode]).toEqual([400, 'insufficient_balance'])
      expect([settled.amountMinor, settled.count]).toEqual([50_000, 1])
    }
  }

  /** Both have done everything but move the balance, and then continue in this order. */
  async function bothWaiting(order: ('settle' | 'refund')[]) {
    const { stall, pay, settle, refund, balance, list } = await patientShop()
    const { id, code, page } = await stall()
    const payment = await pay(1_000, page)
    const begun: { settle?: Promise<unknown>; refund?: Promise<Reply> } = {}
    await asOwner(server.name, async (client) => {
      await client.query('begin')
      await client.query(
        `select from ledger_accounts where kind = 'subaccount' and subject_id = ${id} for update`,
      )
      for (const [i, what] of order.entries()) {
        if (what === 'settle') begun.settle = settle()
        else begun.refund = refund(payment.id, 400)
        await expect.poll(() => sessionsWaiting(server.name), { interval: 5 }).toBe(i + 1)
      }
      await client.query('commit')
    })
    const [refunded] = await Promise.all([begun.refund!, begun.settle])
    const [settled] = await list(`subaccount=${code}`)
    return { settled, refunded, left: await balance(id) }
  }
})

test('200 payments during a settlement are each in exactly one settlement', async () => {
  const { stall, pay, settle, list, one, balance } = await shop()
  const { id, page } = await stall()
  const payments = await Promise.all([
    ...Array.from({ length: 12 }, () => pay(1_000, page)),
    ...Array.from({ length: 4 }, () => settle().then(() => undefined)),
  ])
  await settle()
  const lines: number[] = []
  for (const { reference } of await list('limit=100')) {
    const settled = await one(reference)
    lines.push(...settled.lines.map((line: { transactionId: number }) => line.transactionId))
  }
  const paid = payments.filter((payment) => payment !== undefined)
  expect(lines.sort()).toEqual(paid.map((payment) => payment.id).sort())
  expect(await balance(id)).toBe(0n)
})

test('200 a payment does not wait for a slow settlement', async () => {
  const { stall, pay, settle, balance } = await patientShop()
  const { id, page } = await stall()
  await pay(1_000, page)
  const settling = await asOwner(server.name, async (client) => {
    await client.query('begin')
    await client.query(`select from subaccount_entries where subaccount_id = ${id} for update`)
    const begun = settle()
    const waiting = () => sessionsWaiting(server.name)
    await expect.poll(waiting, { interval: 5 }).toBe(1)
    await pay(400, page)
    expect(await waiting()).toBe(1)
    await client.query('commit')
    return { begun }
  })
  const [made] = await settling.begun
  expect([made.amount, await balance(id)]).toEqual([500, 20_000n])
})

test('200 concurrent news from the bank ends the settlement once', async () => {
  const { stall, pay, settle, simulate, told, one } = await shop()
  const { page } = await stall()
  await pay(1_000, page)
  const [made] = await settle()
  const replies = await Promise.all(
    ['success', 'failed', 'success', 'rejected', 'success', 'failed', 'success'].map((outcome) =>
      simulate(made.reference, outcome),
    ),
  )
  expect(replies.filter(({ status }) => status === 200).length).toBe(1)
  const { status } = await one(made.reference)
  expect(['Paid', 'Failed']).toContain(status)
  expect((await told()).length).toBe(status === 'Paid' ? 1 : 0)
})
