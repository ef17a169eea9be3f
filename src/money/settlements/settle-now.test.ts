import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { createKey } from '../../business/keys/service.ts'
import { runAudit } from '../../ledger/audit.ts'
import { openShop, SETTLEMENTS } from './settlements.fixture.ts'

const server = await startServer({ jobs: false })
const { db, ids, clock } = server

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

const shop = () => openShop(server)

describe('settling on demand', () => {
  test('200 pays out a subaccount’s balance, sends the event, and lists the lines', async () => {
    const { stall, pay, settle, bank, one, balance, told } = await shop()
    const { id, code, page } = await stall({ business_name: 'Ada’s stall' })
    const [first, second] = [await pay(1_000.5, page), await pay(2_000, page)]
    expect(await balance(id)).toBe(150_025n)

    const [made, ...others] = await settle()
    expect(others).toEqual([])
    const record = {
      id: expect.any(Number),
      reference: expect.stringMatching(/^STL_[0-9A-Za-z]{20}$/),
      status: 'Pending',
      subaccount: id,
      subaccountCode: code,
      business_name: 'Ada’s stall',
      amount: 1500.25,
      amountMinor: 150_025,
      currency: 'NGN',
      count: 2,
      bankCode: '058',
      bankName: 'Guaranty Trust Bank',
      accountNumber: '0123456701',
      accountName: expect.any(String),
      failureReason: null,
      timeline: [{ status: 'Pending', at: made.createdAt, message: null }],
      paidAt: null,
      returnedAt: null,
      createdAt: expect.any(String),
    }
    expect(made).toEqual(record)
    expect([await balance(id), await told()]).toEqual([0n, []])

    await bank()
    const paid = await one(made.reference)
    const { lines, linesMeta, ...shown } = paid
    expect(shown).toEqual({
      ...made,
      status: 'Paid',
      paidAt: expect.any(String),
      timeline: [...made.timeline, { status: 'Paid', at: paid.paidAt, message: 'Paid' }],
    })
    expect(lines).toEqual([
      {
        kind: 'share',
        transactionId: first.id,
        transactionReference: first.reference,
        refundReference: null,
        amount: 500.25,
        amountMinor: 50_025,
        createdAt: expect.any(String),
      },
      expect.objectContaining({ transactionId: second.id, amountMinor: 100_000 }),
    ])
    expect(linesMeta).toMatchObject({ total: 2, page: 1, limit: 100, hasNext: false })
    expect(await told()).toEqual([
      expect.objectContaining({ type: 'settlement.paid', sequence: 1, data: shown }),
    ])
    expect(await settle()).toEqual([])
  })

  test('200 settles each subaccount separately, and skips those without a bank', async () => {
    const { subaccount, splitPage, pay, settle, balance } = await shop()
    const [rich, poor, bankless] = [
      await subaccount(),
      await subaccount(),
      await subaccount({ bank: undefined }),
    ]
    const page = await splitPage([
      { code: rich.code, percent: 50 },
      { code: poor.code, percent: 30 },
      { code: bankless.code, percent: 10 },
    ])
    await pay(1_000, page)
    const made = await settle()
    expect(made.map(({ subaccount, amount }) => [subaccount, amount])).toEqual([
      [rich.id, 500],
      [poor.id, 300],
    ])
    expect(await balance(bankless.id)).toBe(10_000n)
  })

  test('200 pays a deactivated subaccount its balance', async () => {
    const { stall, pay, post, settle, bank, one } = await shop()
    const { code, page } = await stall()
    await pay(1_000, page)
    await post(`/api/transaction-service/v1/subaccounts/${code}/deactivate`)
    const [made] = await settle()
    await bank()
    expect((await one(made.reference)).status).toBe('Paid')
  })

  test('200 returns the first hundred settlements, and counts all', async () => {
    const { subaccount, splitPage, pay, post, list } = await shop()
    const many = []
    for (let i = 0; i < 101; i++) {
      const account_number = `02000000${String(i % 100).padStart(2, '0')}`
      many.push(await subaccount({ account_number, bank: i < 100 ? 58 : 44 }))
    }
    for (const half of [many.slice(0, 100), many.slice(100)]) {
      await pay(1_000, await splitPage(half.map(({ code }) => ({ code, percent: 1 }))))
    }
    const { body } = await post('/api/simulator/settlement')
    expect([body.data.count, body.data.settlements.length]).toEqual([101, 100])
    expect((await list('limit=100&page=2')).length).toBe(1)
  })

  test('400 for a live key, 403 without the scope, 401 without a key', async () => {
    const { keys, businessId } = await shop()
    const { status, body } = await server.as(keys.liveSecret).post('/api/simulator/settlement')
    expect([status, body.errorCode]).toEqual([400, 'test_mode_only'])
    const tenant = { businessId, live: false }
    const { key } = await db.transaction((tx) =>
      createKey(tx, ids, tenant, { scopes: ['settlements:read'] }, clock.now()),
    )
    const reader = server.as(key)
    expect((await reader.post('/api/simulator/settlement')).status).toBe(403)
    expect((await reader.get(SETTLEMENTS)).status).toBe(200)
    expect((await server.as('nope').post('/api/simulator/settlement')).status).toBe(401)
  })
})

describe('refunds', () => {
  test('200 for a refund of an open payment reduces the settlement in a separate line', async () => {
    const { stall, pay, settle, refund, one } = await shop()
    const { page } = await stall()
    const { id, reference } = await pay(1_000, page)
    await pay(500, page)
    const { body } = await refund(id, 400)
    const [made] = await settle()
    const { lines } = await one(made.reference)
    expect(lines.map((line: { kind: string }) => line.kind).sort()).toEqual([
      'refund',
      'share',
      'share',
    ])
    const given = lines.find((line: { kind: string }) => line.kind === 'refund')
    expect(given).toMatchObject({
      transactionId: id,
      transactionReference: reference,
      refundReference: body.data.reference,
    })
    expect(given.amountMinor).toBeLessThan(0)
    expect(made.amountMinor).toBe(75_000 + given.amountMinor)
  })

  test('200 for a refund of the whole payment leaves nothing to settle', async () => {
    const { stall, pay, settle, refund, balance } = await shop()
    const { id, page } = await stall()
    const payment = await pay(1_000, page)
    await refund(payment.id, 1_000)
    expect([await settle(), await balance(id)]).toEqual([[], 0n])
  })

  test('200 for a failed refund, whose amount is in the next settlement', async () => {
    const { stall, pay, post, settle, refund, one } = await shop()
    const { page } = await stall()
    const payment = await pay(1_000, page)
    const { body } = await refund(payment.id, 1_000)
    await post('/api/simulator/refund', { reference: body.data.reference, outcome: 'failed' })
    const [made] = await settle()
    const { lines, amount } = await one(made.reference)
    expect(amount).toBe(500)
    expect(lines.map((line: { kind: string }) => line.kind).sort()).toEqual([
      'refund',
      'refund_failed',
      'share',
    ])
  })
})
