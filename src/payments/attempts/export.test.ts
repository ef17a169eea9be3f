import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'

const PATH = '/api/transaction-service/external/v1/transactions'
const EXPORT = `${PATH}/export`
const INVOICES = '/api/payment-service/external/v1/invoices'
const HEAD =
  'id,reference,status,channel,currency,amount,fees,feeBearer,netAmount,overpaidAmount,' +
  'refundedAmount,customerName,customerEmail,customerPhone,invoiceReference,splitPageId,' +
  'gatewayResponse,message,late,paidAt,expiresAt,createdAt'

const server = await startServer({ jobs: false })
const { db, clock } = server

async function shop() {
  const { keys, businessId } = await server.newBusiness()
  const { get, post } = server.as(keys.testSecret)
  /** A manual payment with a free-text note. */
  const paid = async (note: string, more: object = {}) => {
    const fields = { customerEmail: 'ada@example.com', amount: 1500.5, ...more }
    const { reference } = (await post(INVOICES, fields)).body.data
    await post(`${INVOICES}/${reference}/mark-paid`, { note })
    return (await get(`${PATH}?limit=1`)).body.data[0]
  }
  /** Inserts rows directly, because this many would take too long over HTTP. */
  const fill = (count: number) => db.run`
    insert into transactions
      (business_id, live, id, reference, purpose, purpose_id, status, channel, amount_minor,
       fee_minor, fee_bearer, payable_minor, currency, customer_name, provider, message,
       expires_at, event_sequence, created_at, updated_at)
    select ${businessId}, false, 1000000000 + n, 'TRX_' || n, 'test', n,
      (array['Failed', 'Abandoned'])[1 + n % 2], 'USSD', 10000, 250, 'business', 10000, 'NGN',
      'Ada', 'test', repeat('x', 1500), ${clock.now()}, 1,
      ${clock.now()}::timestamptz + n / 10 * interval '1 millisecond', ${clock.now()}
    from generate_series(1, ${count}::integer) n`
  const lines = async (query: Record<string, string> = {}) => {
    const { status, text } = await get(`${EXPORT}?${new URLSearchParams(query)}`)
    expect(status).toBe(200)
    const [head, ...rest] = text.trimEnd().split('\r\n')
    // The test client removes the UTF-8 byte order mark.
    expect(head).toBe(HEAD)
    return rest
  }
  const referencesOf = (rows: string[]) => rows.map((row) => row.split(',')[1])
  return { get, post, paid, fill, lines, referencesOf, keys }
}

describe('GET transactions/export', () => {
  test('200 returns a file that spreadsheets open correctly', async () => {
    const { get, paid, keys } = await shop()
    const made = await paid('Two\nlines, and a "quote"', {
      customerName: 'Ngọzi "Ada" Obi, ₦',
      customerPhone: '+234 803 000 0000',
    })
    const { status, headers, text } = await get(EXPORT)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).toMatch(
      /^attachment; filename="transactions-\d{4}-\d\d-\d\d\.csv"$/,
    )
    expect(text).toBe(
      `${HEAD}\r\n${made.id},${made.reference},Successful,OFFLINE,NGN,1500.50,0.00,business,` +
        `1500.50,0.00,0.00,"Ngọzi ""Ada"" Obi, ₦",ada@example.com,'+234 803 000 0000,` +
        `${made.invoiceReference},,,"Two\nlines, and a ""quote""",false,${made.paidAt},` +
        `${made.expiresAt},${made.createdAt}\r\n`,
    )
    const answer = await fetch(server.url + EXPORT, {
      headers: { authorization: `Bearer ${keys.testSecret}` },
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
  })

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '=cmd|"/c calc"!A1'])(
    '200 escapes the formula in %j',
    async (note) => {
      const { paid, lines } = await shop()
      await paid(note)
      const [row] = await lines()
      expect(row).toMatch(note.includes('"') ? /,"'=cmd\|""/ : `,'${note},`)
    },
  )

  test('200 writes a negative net amount as a number', async () => {
    const { fill, lines } = await shop()
    await fill(1)
    await db.run`update transactions set fee_minor = 10050 where reference = 'TRX_1'`
    expect((await lines())[0]).toContain(',100.00,100.50,business,-0.50,0.00,')
  })

  test('200 filters like the list', async () => {
    const { paid, lines, referencesOf } = await shop()
    const one = await paid('a', { customerName: 'Ada Obi' })
    const two = await paid('b', { customerName: 'Bola Ade' })
    const found = async (query: Record<string, string>) => referencesOf(await lines(query))
    expect(await found({})).toEqual([two.reference, one.reference])
    expect(await found({ search: 'OBI' })).toEqual([one.reference])
    expect(await found({ search: `${two.id}` })).toEqual([two.reference])
    expect(await found({ search: one.reference })).toEqual([one.reference])
    expect(await found({ reference: two.reference })).toEqual([two.reference])
    expect(await found({ status: 'successful', channel: 'offline' })).toHaveLength(2)
    expect(await found({ status: 'Failed' })).toEqual([])
    expect(await found({ channel: 'USSD' })).toEqual([])
    expect(await found({ endDate: '2020-01-01' })).toEqual([])
  })

  test('200 has every row of many pages exactly once', async () => {
    const { fill, lines, referencesOf } = await shop()
    await fill(3_500)
    const all = Array.from({ length: 3_500 }, (_, i) => `TRX_${3_500 - i}`)
    expect(referencesOf(await lines())).toEqual(all)
    const isOdd = (one: string) => Number(one.slice(4)) % 2 === 1
    expect(referencesOf(await lines({ status: 'Abandoned' }))).toEqual(all.filter(isOdd))
    expect(referencesOf(await lines({ channel: 'USSD' }))).toEqual(all)
    expect(referencesOf(await lines({ search: 'ada' }))).toEqual(all)
  })

  test('200 without transactions of another business or the other mode', async () => {
    const [one, other] = [await shop(), await shop()]
    await one.paid('mine')
    expect(await other.lines()).toEqual([])
    const live = await server.as(one.keys.liveSecret).get(EXPORT)
    expect([live.status, live.text]).toEqual([200, `${HEAD}\r\n`])
  })

  test.each([
    ['status=Overpaid', 'status'],
    ['channel=POST', 'channel'],
    ['startDate=2026-02-29', 'startDate'],
    ['endDate=x', 'endDate'],
    ['reference=', 'reference'],
    [`search=${'x'.repeat(101)}`, 'search'],
  ])('400 for %s, in JSON', async (query, field) => {
    const { get } = await shop()
    const { status, body } = await get(`${EXPORT}?${query}`)
    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
  })
})
