import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { sentReferenceOf } from '../../providers/connector/references.ts'
import { openShop, SUBACCOUNTS } from './settlements.fixture.ts'

const server = await startServer({ jobs: false })
const { db, clock } = server

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

const shop = () => openShop(server)

describe('what the bank says', () => {
  test.each([
    ['0000000002', 'Failed', 'No such account at this bank'],
    ['0000000004', 'Failed', 'The bank does not accept it'],
    ['0000000003', 'Pending', 'Held for review'],
    ['0000000006', 'Pending', null],
  ])(
    '200 for an account %s makes the settlement %s',
    async (account_number, status, failureReason) => {
      const { stall, pay, settle, bank, one, balance, told } = await shop()
      const { id, page } = await stall({ account_number })
      await pay(1_000, page)
      const [made] = await settle()
      await bank()
      expect(await one(made.reference)).toMatchObject({ status, failureReason })
      expect(await balance(id)).toBe(status === 'Failed' ? 50_000n : 0n)
      expect(await told()).toEqual([])
    },
  )

  test('200 for a failed payout, whose amount goes into the next settlement', async () => {
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
    const ids = paid.lines.map((line: { transactionId: number }) => line.transactionId)
    expect(new Set(ids)).toEqual(new Set([first.id, second.id]))
    expect(await balance(id)).toBe(0n)
  })

  test('200 for a held-up payout, which is looked up, and paid when the bank releases it', async () => {
    const { stall, pay, settle, bank, one, simulate } = await shop()
    const { page } = await stall({ account_number: '0000000003' })
    await pay(1_000, page)
    const [made] = await settle()
    await bank()
    clock.advance(11 * 60_000)
    await server.runJob('settlement-orders')
    expect((await one(made.reference)).status).toBe('Pending')
    const { body } = await simulate(made.reference, 'success')
    expect(body.data).toEqual({ reference: made.reference, status: 'Paid' })
    expect(await one(made.reference)).toMatchObject({ status: 'Paid', failureReason: null })
  })

  test('200 for a payout returned before its first look-up, whose amount is open again', async () => {
    const { stall, pay, settle, one, balance, told } = await shop()
    const { id, page } = await stall({ account_number: '0000000007' })
    await pay(1_000, page)
    const [made] = await settle()
    await server.runJob('settlement-orders')
    await db.run`
      update simulator_orders set status = 'Returned', message = 'Sent back', due_at = null
      where reference = ${sentReferenceOf(made.reference, 1)}`
    clock.advance(2 * 60_000)
    await server.runJob('settlement-orders')
    const returned = await one(made.reference)
    expect(returned).toMatchObject({ status: 'Failed', failureReason: 'Sent back' })
    const states = returned.timeline.map(({ status }: { status: string }) => status)
    expect(states).toEqual(['Pending', 'Paid', 'Failed'])
    expect((await told()).map(({ type }) => type)).toEqual([
      'settlement.returned',
      'settlement.paid',
    ])
    expect(await balance(id)).toBe(50_000n)
  })

  test('200 …07 is Paid, then returned: its amount is open again, once', async () => {
    const { stall, pay, settle, bank, one, list, told, balance, get } = await shop()
    const { id, code, page } = await stall({ account_number: '0000000007' })
    await pay(1_000, page)
    const [made] = await settle()
    await bank()
    expect(await one(made.reference)).toMatchObject({ status: 'Paid', returnedAt: null })
    expect(await balance(id)).toBe(0n)
    // The notification arrives several times.
    for (let notice = 0; notice < 3; notice++) {
      await bank()
      clock.advance(3_600_000)
      await db.run`
        update simulator_orders set notify = true
        where reference = ${sentReferenceOf(made.reference, 1)}`
    }
    const { paidAt, returnedAt, ...returned } = await one(made.reference)
    expect(returned).toMatchObject({ status: 'Failed', failureReason: 'Returned by the bank' })
    expect(returned.lines).toEqual([])
    expect(Date.parse(returnedAt)).toBeGreaterThan(Date.parse(paidAt))
    expect(await balance(id)).toBe(50_000n)
    const { body } = await get(`${SUBACCOUNTS}/${code}/balance`)
    expect(body.data).toMatchObject({ owed: 500, pending: 0, paidOut: 0 })
    const events = await told()
    expect(events.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['settlement.returned', 2],
      ['settlement.paid', 1],
    ])
    expect(events[0]!.data).toMatchObject({ status: 'Failed', returnedAt })
    const [again] = await settle()
    expect(again).toMatchObject({ amount: 500, count: 1, status: 'Pending' })
    expect(await list('status=Failed')).toMatchObject([{ reference: made.reference, returnedAt }])
    const differences = await db.many`
      select d.id from provider_differences d
      join provider_orders o using (business_id, live, subject_id)
      where o.reference = ${made.reference}`
    expect(differences).toEqual([])
  })

  test('200 for returning a Paid settlement in the simulator; 409 for a Failed one', async () => {
    const { stall, pay, settle, bank, one, simulate } = await shop()
    const { page } = await stall()
    await pay(1_000, page)
    const [made] = await settle()
    await bank()
    const { body } = await simulate(made.reference, 'returned')
    expect(body.data).toEqual({ reference: made.reference, status: 'Failed' })
    const again = await simulate(made.reference, 'returned')
    expect([again.status, again.body.errorCode]).toEqual([409, 'settlement_state'])
    expect((await one(made.reference)).status).toBe('Failed')
  })

  test('200 that it failed after it was Paid: a person has to look at it', async () => {
    const { stall, pay, settle, bank, one } = await shop()
    const { page } = await stall()
    await pay(1_000, page)
    const [made] = await settle()
    await bank()
    for (let notice = 0; notice < 2; notice++) {
      await db.run`
        update simulator_orders set status = 'Failed', notify = true
        where reference = ${sentReferenceOf(made.reference, 1)}`
      await bank()
    }
    const { status, failureReason } = await one(made.reference)
    expect(status).toBe('Paid')
    expect(failureReason).toMatch(
      /^The bank reported that it failed on \d{4}-\d\d-\d\d; resolve this with the subaccount$/,
    )
    expect(
      await db.many`select d.field, d.evidence -> 'provider' ->> 'status' as theirs, o.attention
        from provider_differences d join provider_orders o using (business_id, live, subject_id)
        where o.reference = ${made.reference}`,
    ).toEqual([{ field: 'status', theirs: 'Failed', attention: 'contradiction' }])
  })

  test('200 for deciding a settlement that a job has claimed but not ordered', async () => {
    const { stall, pay, settle, simulate } = await shop()
    const { page } = await stall()
    await pay(1_000, page)
    const [made] = await settle()
    const now = clock.now()
    await db.run`
      update provider_orders set sent_at = ${now}, next_at = ${new Date(now.getTime() + 60_000)}
      where reference = ${made.reference}`
    expect((await simulate(made.reference, 'failed')).body.data?.status).toBe('Failed')
  })

  test('409 for paying a Failed settlement in the simulator; 404 for an unknown one', async () => {
    const { stall, pay, settle, simulate } = await shop()
    const { page } = await stall()
    await pay(1_000, page)
    const [made] = await settle()
    expect((await simulate(made.reference, 'failed')).body.data.status).toBe('Failed')
    const { status, body } = await simulate(made.reference, 'success')
    expect([status, body.errorCode]).toEqual([409, 'settlement_state'])
    const nobody = await simulate('STL_0', 'success')
    expect([nobody.status, nobody.body.errorCode]).toEqual([404, 'transfer_not_found'])
    const { body: foreign } = await (await shop()).simulate(made.reference, 'success')
    expect(foreign.errorCode).toBe('transfer_not_found')
  })

  test('200 for an order whose response was lost: it is looked up, and never ordered twice', async () => {
    const { stall, pay, settle, one } = await shop()
    const { page } = await stall()
    // .03: no response at first, and paid late.
    await pay(1_000.06, page)
    const [made] = await settle()
    await server.runJob('settlement-orders')
    expect((await one(made.reference)).status).toBe('Pending')
    clock.advance(2 * 60_000)
    await server.runJob('simulator')
    await server.runJob('settlement-orders')
    expect((await one(made.reference)).status).toBe('Paid')
    const { n } = await db.one<{ n: number }>`
      select count(*) as n from simulator_orders
      where reference = ${sentReferenceOf(made.reference, 1)}`
    expect(n).toBe(1)
  })

  test('200 for an order that was claimed but never arrived: it is ordered under its reference', async () => {
    const { stall, pay, settle, one } = await shop()
    const { page } = await stall()
    await pay(1_000, page)
    const [made] = await settle()
    const now = clock.now()
    await db.run`update provider_orders set sent_at = ${now}, next_at = ${now}
      where reference = ${made.reference}`
    await server.runJob('settlement-orders')
    clock.advance(1_000)
    await server.runJob('simulator')
    expect((await one(made.reference)).status).toBe('Paid')
  })
})
