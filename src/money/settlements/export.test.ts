import { get as request } from 'node:http'
import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { openShop, SETTLEMENTS } from './settlements.fixture.ts'

const server = await startServer({ jobs: false })
const { db, clock } = server

afterAll(() => server.close())

const shop = () => openShop(server)

const HEAD =
  'settlement,subaccountCode,business_name,kind,transactionId,transactionReference,' +
  'refundReference,currency,amount,createdAt'

type Shop = Awaited<ReturnType<typeof shop>>

/** Inserts a settlement with many lines of one payment, which would take too long over HTTP. */
async function large({ stall, pay, settle, businessId }: Shop, count: number) {
  const { id, page } = await stall()
  const payment = await pay(1_000, page)
  const [{ reference, id: settlementId }] = await settle()
  await db.run`
    insert into subaccount_entries
      (business_id, live, id, subaccount_id, kind, transaction_id, amount_minor, currency,
       settlement_id, created_at)
    select ${businessId}, false, 1000000000 + ${settlementId}::bigint * 1000000 + n, ${id}, 'share',
      ${payment.id}, n, 'NGN', ${settlementId}, ${clock.now()}
    from generate_series(2, ${count}::integer) n`
  // As the job `plans` does when a table has grown.
  db.replan()
  await db.run`
    update settlements set entry_count = ${count} where id = ${settlementId}`
  return { reference: reference as string, settlementId: settlementId as number }
}

describe('GET settlements/{reference}/export', () => {
  test('200 gives each line, with numbers as numbers and no formula', async () => {
    const { stall, pay, refund, settle, get, one } = await shop()
    const { code, page } = await stall({ business_name: '=HYPERLINK("x"),\u20a6' })
    const payment = await pay(1_000, page)
    await pay(700.5, page)
    const { body } = await refund(payment.id, 400)
    const [made] = await settle()
    const { status, headers, text } = await get(`${SETTLEMENTS}/${made.reference}/export`)

    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="settlement-${made.reference}.csv"`,
    )
    const [head, ...rows] = text.trimEnd().split('\r\n')
    expect(head!.replace('\ufeff', '')).toBe(HEAD)
    const { lines } = await one(made.reference)
    expect(rows.length).toBe(3)
    const begin = `${made.reference},${code},"'=HYPERLINK(""x""),\u20a6",`
    for (const [i, line] of lines.entries()) {
      const { kind, transactionId, transactionReference, refundReference } = line
      expect(rows[i]).toBe(
        `${begin}${kind},${transactionId},${transactionReference},${refundReference ?? ''},NGN,` +
          `${line.amount.toFixed(2)},${line.createdAt}`,
      )
    }
    const given = rows.find((row) => row.includes(body.data.reference))
    expect(given).toMatch(/,NGN,-\d+\.\d\d,/)
  })

  test('200 has every line of many pages exactly once', async () => {
    const mine = await shop()
    const { reference } = await large(mine, 2_345)
    const { text } = await mine.get(`${SETTLEMENTS}/${reference}/export`)
    const amounts = text.trimEnd().split('\r\n').slice(1)
    expect(amounts.length).toBe(2_345)
    expect(new Set(amounts).size).toBe(2_345)
  })

  test('200 for a Failed settlement has only the header', async () => {
    const { stall, pay, settle, simulate, get } = await shop()
    const { page } = await stall()
    await pay(1_000, page)
    const [made] = await settle()
    await simulate(made.reference, 'failed')
    const { text } = await get(`${SETTLEMENTS}/${made.reference}/export`)
    expect(text).toBe(`${HEAD}\r\n`)
  })

  test('200 breaks off if lines disappear before they are read', async () => {
    const mine = await shop()
    const { reference, settlementId } = await large(mine, 1_500)
    await db.run`
      update subaccount_entries set settlement_id = null
      where settlement_id = ${settlementId} and amount_minor > 1400`
    await expect(mine.get(`${SETTLEMENTS}/${reference}/export`)).rejects.toThrow()
  })

  test('200 holds no connection for a reader that stops', async () => {
    const mine = await shop()
    const { reference } = await large(mine, 50_000)
    const headers = { authorization: `Bearer ${mine.keys.testSecret}` }
    const url = `${server.url}${SETTLEMENTS}/${reference}/export`
    const answer = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      request(url, { headers, agent: false }, resolve).on('error', reject)
    })
    await new Promise((resolve) => answer.once('data', resolve))
    answer.pause()
    const busy = () => db.one`
      select count(*) as n from pg_stat_activity
      where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`
    await expect.poll(busy).toEqual({ n: 0 })
    const left = new Promise((resolve) => answer.once('close', resolve))
    answer.destroy()
    await left
    expect((await mine.get(SETTLEMENTS)).status).toBe(200)
  })

  test('405 for a POST, 401 without a key', async () => {
    const { post } = await shop()
    expect((await post(`${SETTLEMENTS}/STL_0/export`)).status).toBe(405)
    expect((await server.as('nope').get(`${SETTLEMENTS}/STL_0/export`)).status).toBe(401)
  })
})
