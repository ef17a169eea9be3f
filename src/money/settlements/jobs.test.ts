import { afterAll, describe, expect, test } from 'vitest'
import { asOwner, startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { addMs } from '../../lib/clock.ts'
import { openShop, SUBACCOUNTS } from './settlements.fixture.ts'

const DAY = 86_400
const PROFILE = '/api/user-service/external/v1/profile'

const server = await startServer({ jobs: false })
const { db, clock } = server

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

const shop = () => openShop(server)

/** Runs everything that is due, like the jobs of a running server. */
async function night() {
  await server.runJob('settlements')
  await server.runJob('settlement-orders')
  clock.advance(1_000)
  await server.runJob('simulator')
}

const settleAt = async (id: number) =>
  (await db.one<{ settle_at: Date | null }>`select settle_at from subaccounts where id = ${id}`)
    .settle_at

describe('the daily settlement of a subaccount', () => {
  test('200 settles after midnight by the test clock, and no earlier', async () => {
    const { stall, pay, advance, list, balance, told } = await shop()
    const { id, page } = await stall()
    expect(await settleAt(id)).toBeNull()
    await pay(1_000, page)
    await night()
    expect(await list()).toEqual([])

    await advance(DAY)
    await night()
    const [made, ...others] = await list()
    expect([made.status, made.amount, others]).toEqual(['Paid', 500, []])
    expect([await balance(id), (await told()).length]).toEqual([0n, 1])

    await advance(DAY)
    await night()
    expect((await list()).length).toBe(1)
  })

  test('200 settles when a pause of payouts ends, although that is after midnight', async () => {
    const { stall, pay, get, advance, list } = await shop()
    const { id, code, page } = await stall()
    await pay(1_000, page)
    const midnight = (await settleAt(id))!
    const end = addMs(midnight, 10 * 3_600_000)
    await db.run`update subaccounts set payouts_paused_until = ${end} where id = ${id}`
    const next = async () =>
      (await get(`${SUBACCOUNTS}/${code}/balance`)).body.data.nextSettlementAt
    const promised = await next()
    expect(Date.parse(promised)).toBe(end.getTime())
    await advance(Math.ceil((midnight.getTime() - clock.now().getTime()) / 1000))
    await night()
    expect([await list(), await next()]).toEqual([[], promised])
    await advance(10 * 3_600)
    await night()
    expect(await list()).toMatchObject([{ status: 'Paid', amount: 500 }])
  })

  test('200 leaves entries since midnight to the next settlement', async () => {
    const { stall, pay, advance, list, balance } = await shop()
    const { id, page } = await stall()
    await pay(1_000, page)
    await advance(DAY)
    await pay(400, page)
    await night()
    expect((await list()).map(({ amount }: { amount: number }) => amount)).toEqual([500])
    expect(await balance(id)).toBe(20_000n)

    await advance(DAY)
    await night()
    expect((await list()).map(({ amount }: { amount: number }) => amount)).toEqual([200, 500])
  })

  test('200 subtracts today’s refunds from yesterday’s settlement', async () => {
    const { stall, pay, refund, advance, list } = await shop()
    const { page } = await stall()
    const payment = await pay(1_000, page)
    await pay(600, page)
    await advance(DAY)
    expect((await refund(payment.id, 1_000)).status).toBe(201)
    await night()
    expect((await list()).map(({ amount }: { amount: number }) => amount)).toEqual([300])
  })

  test('200 starts at midnight in the time zone of the business', async () => {
    const { stall, pay, put, list } = await shop()
    await put(`${PROFILE}/settings`, { timeZone: 'Pacific/Kiritimati' })
    const { id, page } = await stall()
    await pay(1_000, page)
    const at = (await settleAt(id))!
    const there = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Pacific/Kiritimati',
      timeStyle: 'medium',
    })
    expect(there.format(at)).toBe('00:00:00')
    expect(at > clock.now()).toBe(true)

    const job = server.app.jobs.find(({ name }) => name === 'settlements')!
    await job.run(db, new Date(at.getTime() - 1))
    expect(await list()).toEqual([])
    await job.run(db, at)
    const [made] = await list()
    expect(made.createdAt).toBe(at.toISOString())
    expect((await settleAt(id))!.getTime() - at.getTime()).toBe(DAY * 1000)
  })

  test('200 with nothing to pay, or no bank, only moves the due time', async () => {
    const { stall, pay, refund, advance, list, balance } = await shop()
    const [refunded, bankless] = [await stall(), await stall({ bank: undefined })]
    const payment = await pay(1_000, refunded.page)
    await refund(payment.id, 1_000)
    await pay(1_000, bankless.page)
    await advance(DAY)
    const before = await settleAt(refunded.id)
    await night()
    expect(await list()).toEqual([])
    expect(await balance(bankless.id)).toBe(50_000n)
    for (const { id } of [refunded, bankless]) expect(await settleAt(id)).not.toEqual(before)
  })

  test('200 pays a failed amount the next day', async () => {
    const { stall, pay, put, advance, list, balance } = await shop()
    const { id, code, page } = await stall({ account_number: '0000000002' })
    await pay(1_000, page)
    await advance(DAY)
    await night()
    expect(await balance(id)).toBe(50_000n)
    await put(`/api/transaction-service/v1/subaccounts/${code}`, { account_number: '0000000001' })
    await advance(DAY)
    await night()
    const all = await list()
    expect(all.map(({ status }: { status: string }) => status)).toEqual(['Paid', 'Failed'])
    expect(all.map(({ amount }: { amount: number }) => amount)).toEqual([500, 500])
    expect(await balance(id)).toBe(0n)
  })

  test('200 for one business is not affected by the test clock of another', async () => {
    const [ahead, behind] = [await shop(), await shop()]
    for (const { stall, pay } of [ahead, behind]) await pay(1_000, (await stall()).page)
    await ahead.advance(DAY)
    await night()
    expect([(await ahead.list()).length, (await behind.list()).length]).toEqual([1, 0])
  })
})

describe('a subaccount that cannot be settled', () => {
  test('200 does not block the others, and is retried a minute later', async () => {
    const { stall, pay, advance, list } = await shop()
    const [broken, sound] = [await stall(), await stall()]
    for (const { page } of [broken, sound]) await pay(1_000, page)
    const account = `business_id = (select business_id from subaccounts where id = ${broken.id})
      and kind = 'subaccount' and subject_id = ${broken.id}`
    const owe = (minor: number) =>
      asOwner(server.name, (client) =>
        client.query(`update ledger_accounts set debits_minor = ${minor} where ${account}`),
      )
    await advance(DAY)
    await owe(1)
    await expect(server.runJob('settlements')).rejects.toThrow('Insufficient balance')
    const made = await list()
    expect(made.map(({ subaccount }: { subaccount: number }) => subaccount)).toEqual([sound.id])
    expect(await server.runJob('settlements')).toBe(0)

    await owe(0)
    await advance(61)
    await server.runJob('settlements')
    expect((await list()).length).toBe(2)
  })
})
