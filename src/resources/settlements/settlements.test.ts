import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { createKey } from '../keys/service.ts'
import { openShop, SETTLEMENTS } from './testing.ts'

const server = await startServer({ sweepers: false })
const { db, ids, clock } = server

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

const shop = () => openShop(server)

describe('settling on demand', () => {
  test('200 pays out what a subaccount has, tells of it, and lists what it was', async () => {
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

  test('200 settles each subaccount by itself, and leaves out those without a bank', async () => {
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

  test('200 pays one that was deactivated what it has', async () => {
    const { stall, pay, post, settle, bank, one } = await shop()
    const { code, page } = await stall()
    await pay(1_000, page)
    await post(`/api/transaction-service/v1/subaccounts/${code}/deactivate`)
    const [made] = await settle()
    await bank()
    expect((await one(made.reference)).status).toBe('Paid')
  })

  test('200 shows the first hundred, and counts all', async () => {
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

describe('what the bank says', () => {
  test.each([
    ['0000000002', 'Failed', 'No such account at this bank'],
    ['0000000004', 'Failed', 'The bank does not accept it'],
    ['0000000003', 'Pending', 'Held up for a check'],
    ['0000000006', 'Pending', null],
  ])('200 for an account %s leaves it %s', async (account_number, status, failureReason) => {
    const { stall, pay, settle, bank, one, balance, told } = await shop()
    const { id, page } = await stall({ account_number })
    await pay(1_000, page)
    const [made] = await settle()
    await bank()
    expect(await one(made.reference)).toMatchObject({ status, failureReason })
    expect(await balance(id)).toBe(status === 'Failed' ? 50_000n : 0n)
    expect(await told()).toEqual([])
  })

  test('200 what could not be paid is open again, and goes into the next', async () => {
    const { stall, pay, put, settle, bank, one, balance } = await shop()
    const { id, code, page } = await stall({ account_number: '0000000002' })
    const first = await pay(1_000, page)
    const [failed] = await settle()
    await bank()
    expect(await one(failed.reference)).toMatchObject({ status: 'Failed', count: 1, lines: [] })

    const second = await pay(100, page)
    const account = { bank: 58, account_number: '0000000001' }
    expect((await put(`/api/transaction-service/v1/subaccounts/${code}`, account)).status).toBe(200)
    const [next] = await settle()
    expect(next).toMatchObject({ amount: 550, count: 2, accountNumber: '0000000001' })
    await bank()
    const paid = await one(next.reference)
    expect(paid.status).toBe('Paid')
    expect(paid.lines.map((line: { transactionId: number }) => line.transactionId)).toEqual([
      first.id,
      second.id,
    ])
    expect(await balance(id)).toBe(0n)
  })

  test('200 one that is held up is asked about, and paid when the bank lets it go', async () => {
    const { stall, pay, settle, bank, one, simulate } = await shop()
    const { page } = await stall({ account_number: '0000000003' })
    await pay(1_000, page)
    const [made] = await settle()
    await bank()
    clock.advance(11 * 60_000)
    await server.sweep('settlement-payouts')
    expect((await one(made.reference)).status).toBe('Pending')
    const { body } = await simulate(made.reference, 'success')
    expect(body.data).toEqual({ reference: made.reference, status: 'Paid' })
    expect(await one(made.reference)).toMatchObject({ status: 'Paid', failureReason: null })
  })

  test('200 what was sent back before it was heard of is open again', async () => {
    const { stall, pay, settle, one, balance } = await shop()
    const { id, page } = await stall({ account_number: '0000000007' })
    await pay(1_000, page)
    const [made] = await settle()
    await server.sweep('settlement-payouts')
    await db.run`
      update simulator_orders set status = 'Returned', message = 'Sent back', due_at = null
      where reference = ${made.reference}`
    clock.advance(2 * 60_000)
    await server.sweep('settlement-payouts')
    expect(await one(made.reference)).toMatchObject({
      status: 'Failed',
      failureReason: 'Sent back',
    })
    expect(await balance(id)).toBe(50_000n)
  })

  test('200 …07 is Paid and sent back: it stays so, says so, and is once in the log', async () => {
    const { stall, pay, settle, bank, one, list } = await shop()
    const { page } = await stall({ account_number: '0000000007' })
    await pay(1_000, page)
    const [made] = await settle()
    await bank()
    expect(await one(made.reference)).toMatchObject({ status: 'Paid', failureReason: null })
    // The notice comes more than once.
    for (let notice = 0; notice < 3; notice++) {
      await bank()
      clock.advance(24 * 3_600_000)
      await db.run`
        update simulator_orders set notify = true where reference = ${made.reference}`
    }
    const [, date] = /^The bank sent it back on (\S+); put it right with the subaccount$/.exec(
      (await one(made.reference)).failureReason,
    )!
    expect(date).toMatch(/^\d{4}-\d\d-\d\d$/)
    const [listed] = await list()
    expect(listed).toMatchObject({ status: 'Paid', failureReason: expect.stringContaining(date!) })
    const said = server.logLines.filter(
      (line) => line.includes(made.reference) && line.includes('the bank says otherwise'),
    )
    expect(said).toHaveLength(1)
  })

  test('409 the bank cannot send back by hand what is Paid; nothing changes', async () => {
    const { stall, pay, settle, bank, one, simulate } = await shop()
    const { page } = await stall()
    await pay(1_000, page)
    const [made] = await settle()
    await bank()
    const { status, body } = await simulate(made.reference, 'returned')
    expect([status, body.errorCode]).toEqual([409, 'settlement_state'])
    expect(await one(made.reference)).toMatchObject({ status: 'Paid', failureReason: null })
  })

  test('200 the bank decides by hand of one that a sweep has claimed, and not ordered', async () => {
    const { stall, pay, settle, simulate } = await shop()
    const { page } = await stall()
    await pay(1_000, page)
    const [made] = await settle()
    const now = clock.now()
    await db.run`
      update settlements set sent_at = ${now}, look_up_at = ${new Date(now.getTime() + 60_000)}
      where reference = ${made.reference}`
    expect((await simulate(made.reference, 'failed')).body.data?.status).toBe('Failed')
  })

  test('409 the bank cannot pay by hand what has failed; 404 for none', async () => {
    const { stall, pay, settle, simulate } = await shop()
    const { page } = await stall()
    await pay(1_000, page)
    const [made] = await settle()
    expect((await simulate(made.reference, 'failed')).body.data.status).toBe('Failed')
    const { status, body } = await simulate(made.reference, 'success')
    expect([status, body.errorCode]).toEqual([409, 'settlement_state'])
    const nobody = await simulate('STL_0', 'success')
    expect([nobody.status, nobody.body.errorCode]).toEqual([404, 'settlement_not_found'])
    const { body: foreign } = await (await shop()).simulate(made.reference, 'success')
    expect(foreign.errorCode).toBe('settlement_not_found')
  })

  test('200 an order whose answer was lost is asked about, and never ordered twice', async () => {
    const { stall, pay, settle, one } = await shop()
    const { page } = await stall()
    // .03: nothing is heard at first, and it is paid late.
    await pay(1_000.06, page)
    const [made] = await settle()
    await server.sweep('settlement-payouts')
    expect((await one(made.reference)).status).toBe('Pending')
    clock.advance(2 * 60_000)
    await server.sweep('simulator')
    await server.sweep('settlement-payouts')
    expect((await one(made.reference)).status).toBe('Paid')
    const { n } = await db.one<{ n: number }>`
      select count(*) as n from simulator_orders where reference = ${made.reference}`
    expect(n).toBe(1)
  })

  test('200 one that was claimed and never arrived is ordered under its reference', async () => {
    const { stall, pay, settle, one } = await shop()
    const { page } = await stall()
    await pay(1_000, page)
    const [made] = await settle()
    const now = clock.now()
    await db.run`update settlements set sent_at = ${now}, look_up_at = ${now}
      where reference = ${made.reference}`
    await server.sweep('settlement-payouts')
    clock.advance(1_000)
    await server.sweep('simulator')
    expect((await one(made.reference)).status).toBe('Paid')
  })
})

describe('refunds', () => {
  test('200 of what waits for settlement make it less, in a line of its own', async () => {
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

  test('200 of all of it leave nothing to settle', async () => {
    const { stall, pay, settle, refund, balance } = await shop()
    const { id, page } = await stall()
    const payment = await pay(1_000, page)
    await refund(payment.id, 1_000)
    expect([await settle(), await balance(id)]).toEqual([[], 0n])
  })

  test('200 that failed are paid with the next', async () => {
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

describe('GET settlements', () => {
  test('200 filters, sorts and pages', async () => {
    const { stall, pay, settle, bank, list, get } = await shop()
    const [one, other] = [await stall(), await stall({ account_number: '0000000002' })]
    const made: { reference: string; subaccount: number }[] = []
    for (const { page } of [one, other, one]) {
      await pay(1_000, page)
      made.push(...(await settle()))
      await bank()
    }
    // The one that failed was settled again with the last.
    expect(made.map(({ subaccount }) => subaccount)).toEqual([one.id, other.id, one.id, other.id])
    const refs = async (query: string) =>
      (await list(query)).map(({ reference }: { reference: string }) => reference)
    const [a, b, c, d] = made.map(({ reference }) => reference)
    expect(new Set(await refs(''))).toEqual(new Set([a, b, c, d]))
    expect((await refs('sort=asc')).slice(0, 2)).toEqual([a, b])
    expect(await refs('status=paid')).toEqual([c, a])
    expect(await refs('status=PENDING')).toEqual([])
    expect(await refs(`subaccount=${other.code}`)).toEqual([d, b])
    expect(await refs(`subaccount=${other.id}&sort=ASC&status=failed`)).toEqual([b, d])
    expect(await refs('startDate=2999-01-01')).toEqual([])
    expect((await refs('endDate=2999-01-01')).length).toBe(4)
    const { body } = await get(`${SETTLEMENTS}?limit=3&page=2`)
    expect([body.data.length, body.meta]).toEqual([
      1,
      {
        total: 4,
        totalIsExact: true,
        page: 2,
        limit: 3,
        pageCount: 2,
        hasNext: false,
        hasPrevious: true,
      },
    ])
    expect(body.data[0].lines).toBeUndefined()
    const plain = await get('/api/transaction-service/v1/settlements')
    expect(plain.body.data.length).toBe(4)
  })

  test.each([
    ['page=0', 'page'],
    ['page=x', 'page'],
    ['limit=101', 'limit'],
    ['sort=up', 'sort'],
    ['status=Done', 'status'],
    ['startDate=2026-02-30', 'startDate'],
    ['startDate=2026-02-02&endDate=2026-02-01', 'startDate'],
    ['subaccount=', 'subaccount'],
    ['status=Paid&status=Paid', 'status'],
  ])('400 for %s', async (query, field) => {
    const { status, body } = await server.get(`${SETTLEMENTS}?${query}`)
    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
  })

  test('404 for a subaccount that is none of the business', async () => {
    const { code } = await (await shop()).subaccount()
    const { status, body } = await server.get(`${SETTLEMENTS}?subaccount=${code}`)
    expect([status, body.errorCode]).toEqual([404, 'subaccount_not_found'])
  })
})

describe('GET settlements/{reference}', () => {
  test('200 pages through its lines', async () => {
    const { stall, pay, settle, get } = await shop()
    const { page } = await stall()
    const payments = []
    for (let i = 0; i < 5; i++) payments.push(await pay(100 + i, page))
    const [made] = await settle()
    const { body } = await get(`${SETTLEMENTS}/${made.reference}?limit=2&page=2`)
    const { lines, linesMeta } = body.data
    expect(lines.map((line: { transactionId: number }) => line.transactionId)).toEqual([
      payments[2]!.id,
      payments[3]!.id,
    ])
    expect(linesMeta).toMatchObject({ total: 5, page: 2, pageCount: 3, hasNext: true })
    const { status } = await get(`${SETTLEMENTS}/${made.reference}?limit=101`)
    expect(status).toBe(400)
  })

  test('404 for another business, the other mode, and what never was', async () => {
    const { stall, pay, settle, keys } = await shop()
    const { page } = await stall()
    await pay(1_000, page)
    const [{ reference }] = await settle()
    for (const key of [keys.liveSecret, server.business.keys.testSecret]) {
      const caller = server.as(key)
      for (const path of [reference, `${reference}/export`, 'STL_0', 'STL_0/export']) {
        const { status, body } = await caller.get(`${SETTLEMENTS}/${path}`)
        expect([status, body.errorCode]).toEqual([404, 'settlement_not_found'])
      }
      expect((await caller.get(SETTLEMENTS)).body.data).toEqual([])
    }
  })
})
