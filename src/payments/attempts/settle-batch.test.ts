import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { FAR_MS, rounds } from '../../../test/concurrency.ts'
import { findings } from '../../../test/corruption/findings.ts'
import { startProxy } from '../../../test/db-proxy.ts'
import { asOwner, callerWith, startSecond, startServer } from '../../../test/harness.ts'
import { openDatabase } from '../../db/database.ts'
import { isLockTimeout } from '../../db/failures.ts'
import { openIds } from '../../db/ids.ts'
import { runDue } from '../../jobs/jobs.ts'
import { makeSplitPage } from './attempts.fixture.ts'
import { openSettleBatch } from './settle.ts'

const USSD = '/api/transaction-service/external/v1/transaction-with-ussd'
const SIMULATE = '/api/simulator/ussd'

const server = await startServer({ jobs: false })
const { db, ids, clock, connection } = server

interface Begun {
  transactionId: number
  reference: string
  amountMinor: number
}

/** A business with a split page, and payments started on it. */
async function market(shares = [33, 33, 17]) {
  const { keys, businessId } = await server.newBusiness()
  const { post } = server.as(keys.testSecret)
  const tenant = { businessId, live: false }
  const { id: pageId } = await makeSplitPage(post, shares)

  const begin = async (amount: number): Promise<Begun> => {
    const { status, body } = await post(USSD, { channel: 'USSD', amount, pageId })
    expect([status, body.message]).toEqual([200, undefined])
    return body.data
  }
  const settlementOf = ({ transactionId, amountMinor }: Begun) => ({
    tenant,
    transactionId,
    attempt: 1,
    received_minor: BigInt(amountMinor),
    through: { connectionId: 1 },
    message: 'Approved',
    now: clock.now(),
  })
  /** The total of the accounts of a kind. */
  const balance = async (kind: string) =>
    (
      await db.one<{ balance_minor: bigint }>`
        select coalesce(sum(credits_minor - debits_minor), 0)::bigint as balance_minor
        from ledger_accounts where business_id = ${businessId} and not live and kind = ${kind}`
    ).balance_minor
  const rows = () => db.many<{ status: string; late: boolean; told: string[]; numbers: number[] }>`
    select status, late, array_agg(type order by sequence) as told,
      array_agg(sequence::int order by sequence) as numbers
    from transactions t join events e on (e.business_id, e.live, e.object_id, e.object_type)
      = (t.business_id, t.live, t.id, 'transaction')
    where t.business_id = ${businessId} group by t.id, status, late order by t.id`
  return { businessId, keys, post, begin, settlementOf, balance, rows }
}

const isSound = async () => expect(await findings(server)).toEqual([])
const range = (length: number) => Array.from({ length }, (_, i) => i)
const sum = (parts: bigint[]) => parts.reduce((all, part) => all + part, 0n)

describe('many concurrent payments into one wallet', () => {
  test('200 settle each once, to the last kobo', async () => {
    const { businessId, begin, post, balance, rows } = await market()
    const before = await balance('wallet_available')
    const begun: Begun[] = []
    for (const i of range(200)) begun.push(await begin(100.05 + i))
    const replies = await Promise.all(
      begun.map(({ reference }) => post(SIMULATE, { reference, outcome: 'success' })),
    )
    expect(new Set(replies.map(({ body }) => body.data?.status))).toEqual(new Set(['Successful']))

    const amounts = begun.map(({ amountMinor }) => BigInt(amountMinor))
    const shared = sum(amounts.map((amount) => (amount * 83n) / 100n))
    // All below ₦2,500: 1.5 %, rounded half up.
    const fees = sum(amounts.map((amount) => (amount * 150n + 5_000n) / 10_000n))
    expect(await balance('subaccount')).toBe(shared)
    expect(await balance('fees')).toBe(fees)
    expect(await balance('wallet_available')).toBe(before + sum(amounts) - shared - fees)

    const told = ['transaction.pending', 'transaction.successful']
    const one = { status: 'Successful', late: false, told, numbers: [1, 2] }
    expect(await rows()).toEqual(range(200).map(() => one))
    const funded = await db.many<{ sequence: number }>`
      select sequence from events
      where business_id = ${businessId} and not live and type = 'wallet.funded' order by sequence`
    const first = funded[0]!.sequence
    expect(funded.map(({ sequence }) => sequence)).toEqual(range(200).map((i) => first + i))
    await isSound()
  })

  test('settle once when a payment is in a batch several times', async () => {
    const { begin, settlementOf, balance, rows } = await market()
    const before = await balance('wallet_available')
    const batch = openSettleBatch({ db, ids })
    const [first, second] = [await begin(1_000), await begin(2_000)]
    const settled = await Promise.all(
      [first, second, first, second, first].map(settlementOf).map(batch.add),
    )
    expect(settled.map((row) => row?.id)).toEqual([
      first.transactionId,
      second.transactionId,
      undefined,
      undefined,
      undefined,
    ])
    expect(await batch.add(settlementOf(first))).toBeUndefined()
    // 170 and 340, minus fees of 15 and 30.
    expect(await balance('wallet_available')).toBe(before + 510_00n - 45_00n)
    expect((await rows()).map(({ numbers }) => numbers)).toEqual([
      [1, 2],
      [1, 2],
    ])
    await isSound()
  })

  test('200 while another transaction holds the wallet of another business', async () => {
    const [held, other] = [await market(), await market()]
    const begun: Begun[] = []
    for (const _ of range(40)) begun.push(await other.begin(1_000))
    const waiting = await held.begin(1_000)
    const pay = ({ post }: typeof held, { reference }: Begun) =>
      post(SIMULATE, { reference, outcome: 'success' })
    const paid = await asOwner(server.name, async (client) => {
      await client.query('begin')
      await client.query(
        `select from ledger_accounts where business_id = ${held.businessId} for update`,
      )
      const before = begun.slice(0, 20).map((one) => pay(other, one))
      const last = pay(held, waiting)
      const after = begun.slice(20).map((one) => pay(other, one))
      const replies = await Promise.all([...before, ...after])
      await client.query('rollback')
      await last
      return replies
    })
    expect(paid.map(({ status, body }) => [status, body.data?.status])).toEqual(
      begun.map(() => [200, 'Successful']),
    )
    await isSound()
  })

  test('settle once when two processes settle the same payments in different orders', async () => {
    const { begin, settlementOf } = await market()
    const begun: Begun[] = []
    for (const i of range(60)) begun.push(await begin(500 + i))
    const second = openDatabase({ connection, connectionsMax: 4 })
    const one = openSettleBatch({ db: second, ids })
    const other = openSettleBatch({ db: second, ids: openIds(second) })
    // On a slow machine, a batch can wait for the wallet so long that it gives up without effect.
    const settle = async (batch: typeof one, settlement: ReturnType<typeof settlementOf>) => {
      for (;;) {
        try {
          return await batch.add(settlement)
        } catch (error) {
          if (!isLockTimeout(error)) throw error
        }
      }
    }
    const wanted = begun.map(settlementOf)
    const settled = await Promise.all([
      ...wanted.map((settlement) => settle(one, settlement)),
      ...wanted.toReversed().map((settlement) => settle(other, settlement)),
    ])
    await second.close()
    const rows = settled.filter((row) => row !== undefined)
    expect(rows).toHaveLength(60)
    expect(new Set(rows.map(({ id }) => id)).size).toBe(60)
    await isSound()
  })

  test('skip a payment with another amount, and settle the others', async () => {
    const { begin, settlementOf, rows } = await market()
    const batch = openSettleBatch({ db, ids })
    const [first, second] = [await begin(1_000), await begin(2_000)]
    const settled = await Promise.all([
      batch.add({ ...settlementOf(first), received_minor: 999_99n }),
      batch.add(settlementOf(second)),
    ])
    expect(settled.map((row) => row?.id)).toEqual([undefined, second.transactionId])
    expect((await rows()).map(({ status }) => status)).toEqual(['Pending', 'Successful'])
  })

  test('can be of several businesses, each with its own books', async () => {
    const [one, two] = [await market([50]), await market([20, 10])]
    const batch = openSettleBatch({ db, ids })
    await Promise.all([
      batch.add(one.settlementOf(await one.begin(1_000))),
      batch.add(two.settlementOf(await two.begin(3_000))),
      batch.add(one.settlementOf(await one.begin(1_000))),
    ])
    expect(await one.balance('subaccount')).toBe(1_000_00n)
    expect(await two.balance('subaccount')).toBe(900_00n)
    await isSound()
  })
})

describe('a concurrent payment and expiry', () => {
  const LATE = ['transaction.pending', 'transaction.abandoned', 'transaction.successful']

  /**
   * The payment is in time, or after the expiry and marked late. Of a refusal and an expiry, only
   * one sends an event.
   */
  async function expectOneWinner({ rows, balance }: Awaited<ReturnType<typeof market>>) {
    const paid = (await rows()).map(({ status, late, told, numbers }) => {
      expect(numbers).toEqual(told.map((_, i) => i + 1))
      if (status === 'Successful') {
        expect(told).toEqual(late ? LATE : ['transaction.pending', 'transaction.successful'])
        return 83_03n
      }
      expect(told).toEqual(['transaction.pending', `transaction.${status.toLowerCase()}`])
      expect(['Failed', 'Abandoned']).toContain(status)
      return 0n
    })
    expect(await balance('subaccount')).toBe(sum(paid))
    await isSound()
    return paid.filter((minor) => minor > 0n).length
  }

  const expireNow = (businessId: number) =>
    db.run`update transactions set expires_at = ${clock.now()} where business_id = ${businessId}
      and status = 'Pending'`

  test('200 has one winner each time', async () => {
    const shop = await market()
    for (const round of range(rounds(48))) {
      const { reference } = await shop.begin(100.04)
      await expireNow(shop.businessId)
      const outcome = round % 2 ? 'failed' : 'success'
      const [{ status }] = await Promise.all([
        shop.post(SIMULATE, { reference, outcome }),
        sleep(round % 10).then(() => server.runJob('transaction-expiry')),
      ])
      expect(status).toBe(200)
    }
    expect(await expectOneWinner(shop)).toBe(rounds(48) / 2)
  })

  test('200 has one winner each time, even far from the database', async () => {
    const line = await startProxy(server.connection)
    const far = await startSecond(server, { connection: line.connection, connectionsMax: 30 })
    const shop = await market()
    const { post } = callerWith(far.url, shop.keys.testSecret)
    const begun: Begun[] = []
    for (const _ of range(20)) begun.push(await shop.begin(100.04))
    await expireNow(shop.businessId)
    line.slow(FAR_MS)
    const job = far.app.jobs.find(({ name }) => name === 'transaction-expiry')!
    const [replies] = await Promise.all([
      Promise.all(
        begun.map(({ reference }, i) =>
          post(SIMULATE, { reference, outcome: i % 4 === 3 ? 'failed' : 'success' }),
        ),
      ),
      runDue(far.db, clock.now(), job.run),
    ])
    line.slow(0)
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await expectOneWinner(shop)).toBe(15)
  }, 60_000)
})
