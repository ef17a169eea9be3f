import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { openShop } from './transfers.fixture.ts'

const BASE = '/api/transaction-service/external/v1'
const TRANSFERS = `${BASE}/transfers`
const EXPORT = `${TRANSFERS}/export`
const HEAD =
  'id,reference,transferReference,status,currency,amount,fee,bankCode,bankName,accountNumber,' +
  'accountName,narration,failureReason,createdBy,approvedBy,attempt,createdAt,completedAt,reversedAt,' +
  'origin'
const DAY_MS = 86_400_000

const server = await startServer({ jobs: false })
const { db, clock } = server

async function shop() {
  const opened = await openShop(server)
  const { businessId, keys } = opened
  const { get } = server.as(keys.testSecret)
  const list = async (query = '', path = TRANSFERS) => {
    const { status, body, text } = await get(`${path}?${query}`)
    expect(status, text).toBe(200)
    return body as { data: { reference: string }[]; meta: Record<string, unknown> }
  }
  const found = async (query = '') => (await list(query)).data.map(({ reference }) => reference)
  const lines = async (query = '') => {
    const { status, text } = await get(`${EXPORT}?${query}`)
    expect(status, text).toBe(200)
    // The test client removes the UTF-8 byte order mark.
    const [head, ...rows] = text.trimEnd().split('\r\n')
    expect(head).toBe(HEAD)
    return rows
  }
  const exported = async (query = '') => (await lines(query)).map((row) => row.split(',')[1])
  /** Inserts rows directly, because this many would take too long over HTTP. */
  const fill = (count: number) => db.run`
    insert into transfers
      (business_id, live, id, reference, transfer_reference, status, amount_minor, fee_minor,
       currency, bank_code, bank_name, account_number_plain, provider, created_at, updated_at)
    select ${businessId}, false, 1000000000 + n, 'TRF_' || n, 'TRF_' || n,
      (array['Failed', 'Rejected'])[1 + n % 2], 100, 0, 'NGN',
      (array['058', '044', '011'])[1 + n % 3], 'Bank', lpad((n % 1000)::text, 10, '0'), 'test',
      ${clock.now()}::timestamptz + n / 10 * interval '1 millisecond', ${clock.now()}
    from generate_series(1, ${count}::integer) n`
  return { ...opened, get, list, found, lines, exported, fill }
}

describe('GET transfers', () => {
  test('200 returns the same list under every path, without a business or a page', async () => {
    const { send, list, businessId } = await shop()
    const sent = [await send(), await send(), await send()].toReversed()
    const all = await list()
    expect(all.data.map(({ reference }) => reference)).toEqual(sent)
    expect(all.meta).toMatchObject({ total: 3, page: 1, limit: 20, hasNext: false })
    for (const path of ['/transfers', TRANSFERS.replace('/external', '')]) {
      expect((await list('', path)).data).toEqual(all.data)
    }
    const ofBusiness = `businessId=${businessId}&page=1&limit=20`
    expect(await list(ofBusiness)).toEqual(all)
    expect(await list(ofBusiness, `${BASE}/transfer/get-transfer-list`)).toEqual(all)
    expect((await list('page=2&limit=2')).data).toEqual(all.data.slice(2))
    expect((await list('sort=asc')).data).toEqual(all.data.toReversed())
  })

  test('200 filters by bank, under any of its names, by account and by reference', async () => {
    const { send, decide, found } = await shop()
    const access = { bankCode: '044', accountNumber: '0000000001' }
    const one = await send({ transferReference: 'PAY-0001' })
    const two = await send({ ...access, accountName: 'Somebody Else' })
    const three = await send({ ...access, accountNumber: '0000000002' })
    expect((await decide(two, 'reject')).status).toBe(200)
    const cases: [string, string[]][] = [
      ['bankCode=058', [one]],
      ['bank=44', [three, two]],
      ['bank_code=000014', [three, two]],
      ['bankCode=044&status=rejected', [two]],
      ['bankCode=058&status=Rejected', []],
      ['bankCode=044&sort=ASC', [two, three]],
      ['bankCode=044&search=somebody', []],
      ['bankCode=044&search=0000000001', [two]],
      ['accountNumber=0000000002', [three]],
      ['account_number=0000000001&status=Rejected', [two]],
      ['accountNumber=0000000001&bankCode=058', []],
      ['accountNumber=0000000003', []],
      ['transferReference=PAY-0001', [one]],
      ['reference=PAY-0001&bankCode=058', [one]],
      [`reference=${one}`, [one]],
      [`reference=${one}&accountNumber=0000000001`, []],
    ]
    for (const [query, expected] of cases) {
      expect([query, await found(query)]).toEqual([query, expected])
    }
    expect(await (await shop()).found('bankCode=044')).toEqual([])
  })

  test('200 filters by days', async () => {
    const { send, found } = await shop()
    const first = await send()
    clock.advance(3 * DAY_MS)
    const second = await send({ bankCode: '044' })
    const between = new Date(clock.now().getTime() - DAY_MS).toISOString()
    expect(await found(`startDate=${between}`)).toEqual([second])
    expect(await found(`endDate=${between}`)).toEqual([first])
    expect(await found(`endDate=${between}&bankCode=044`)).toEqual([])
  })

  test('200 counts up to 10,000 and pages through a bank or an account in order', async () => {
    const { fill, found, list } = await shop()
    await fill(31_000)
    await db.run`analyze transfers`
    const { meta } = await list('bankCode=044')
    expect(meta).toMatchObject({ total: 10_000, totalIsExact: false, hasNext: true })
    expect(await found('bankCode=044&limit=3')).toEqual(['TRF_31000', 'TRF_30997', 'TRF_30994'])
    const rejected = await list('bankCode=044&status=Rejected&limit=2&page=2')
    expect(rejected.data.map(({ reference }) => reference)).toEqual(['TRF_30985', 'TRF_30979'])
    expect(rejected.meta).toMatchObject({ total: 5_167, totalIsExact: true })
    const ofAccount = await list('accountNumber=0000000007&limit=2')
    expect(ofAccount.data.map(({ reference }) => reference)).toEqual(['TRF_30007', 'TRF_29007'])
    expect(ofAccount.meta).toMatchObject({ total: 31 })
  })

  test.each([
    ['bankCode=999999', 'bankCode'],
    ['bank=nowhere', 'bank'],
    ['bankCode=058&bank=044', 'bank'],
    ['accountNumber=12345', 'accountNumber'],
    ['accountNumber=0000000001&account_number=0000000002', 'account_number'],
    ['reference=', 'reference'],
    ['sort=up', 'sort'],
    ['startDate=2026-02-02&endDate=2026-02-01', 'startDate'],
    ['status=Paid', 'status'],
    ['businessId=1', 'businessId'],
    ['page=0', 'page'],
    ['recipient=ada', 'recipient'],
  ])('400 for %s names %s, in the export too', async (query, field) => {
    const { get } = await shop()
    for (const path of [TRANSFERS, EXPORT]) {
      const { status, body } = await get(`${path}?${query}`)
      expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
    }
  })
})

describe('GET transfers/export', () => {
  test('200 returns a file that spreadsheets open correctly', async () => {
    const { get, send, decide, transfer, keys } = await shop()
    const more = { transferReference: 'PAY-0002', accountName: 'Somebody Else', narration: '=1+1' }
    const reference = await send({ amount: 1_500.5, ...more })
    await decide(reference, 'reject')
    const made = await transfer(reference)
    const { headers, text } = await get(EXPORT)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).toMatch(
      /^attachment; filename="transfers-\d{4}-\d\d-\d\d\.csv"$/,
    )
    expect(text).toBe(
      `${HEAD}\r\n${made.id},${reference},PAY-0002,Rejected,NGN,1500.50,10.00,058,` +
        `${made.bankName},0123456785,${made.accountName},'=1+1,${made.failureReason},` +
        `${made.createdBy.name},,1,${made.createdAt},${made.completedAt},,transfer\r\n`,
    )
    const live = await server.as(keys.liveSecret).get(EXPORT)
    expect([live.status, live.text]).toEqual([200, `${HEAD}\r\n`])
  })

  test('200 has every row of many pages exactly once, filtered like the list', async () => {
    const { fill, exported } = await shop()
    await fill(3_500)
    const all = Array.from({ length: 3_500 }, (_, i) => `TRF_${3_500 - i}`)
    const those = (isOne: (n: number) => boolean) =>
      all.filter((one) => isOne(Number(one.slice(4))))
    expect(await exported()).toEqual(all)
    expect(await exported('sort=ASC')).toEqual(all.toReversed())
    expect(await exported('bankCode=044')).toEqual(those((n) => n % 3 === 1))
    expect(await exported('bankCode=044&status=Rejected')).toEqual(those((n) => n % 6 === 1))
    expect(await exported('accountNumber=0000000007')).toEqual(those((n) => n % 1000 === 7))
  })

  test('400 for a new transfer with the reference `export`', async () => {
    const { post } = await shop()
    const account = { bankCode: '058', accountNumber: '0123456785' }
    const { status, body } = await post(TRANSFERS, { amount: 1, ...account, reference: 'export' })
    expect([status, Object.keys(body.errors)]).toEqual([400, ['reference']])
  })
})
