import { afterAll, describe, expect, test } from 'vitest'
import { asOwner, startServer } from '../../../test/harness.ts'
import { memberOf } from '../../business/people/people.fixture.ts'
import { runAudit } from '../../ledger/audit.ts'
import { SCANNED_MAX } from '../../lib/paging.ts'
import { openShop } from '../settlements/settlements.fixture.ts'

const server = await startServer({ jobs: false })
const { db, clock } = server
const LEDGER = '/console/ledger'

afterAll(async () => expect(await runAudit(db)).toEqual([]))

interface Entry {
  reference: string
  kind: string
  amount: number
  direction: string | null
  balance: number | null
  from: { kind: string }
  to: { kind: string }
  cause: { type: string; reference: string | null }
  createdAt: string
}

/** Each test has its own business, with a finance member who looks at its books. */
async function shop() {
  const made = await openShop(server)
  const finance = await memberOf(server, 'finance', made.businessId)
  const send = async (amount: number) => {
    const to = { bankCode: '058', accountNumber: '0123456789' }
    const { status, body } = await made.post('/api/transaction-service/external/v1/transfers', {
      amount,
      ...to,
    })
    expect(status).toBe(201)
    return body.data.reference as string
  }
  /** Each movement has a different time. */
  const fund = async (amount: number) => {
    clock.advance(1_000)
    expect((await made.post('/api/simulator/wallet', { amount })).status).toBe(200)
  }
  const paidOut = async () => {
    await server.runJob('transfer-orders')
    clock.advance(1_000)
    await server.runJob('simulator')
  }
  const look = async (query = '') => {
    const { status, body } = await finance.get(`${LEDGER}?${query}`)
    expect([status, body.errors]).toEqual([200, undefined])
    return body as { data: Entry[]; meta: Record<string, unknown> }
  }
  const kinds = async (query: string) => (await look(query)).data.map(({ kind }) => kind)
  return { ...made, finance, send, fund, paidOut, look, kinds }
}

describe('GET /console/ledger', () => {
  test('200 filters by account, direction, kind, cause, reference and days', async () => {
    const { stall, pay, send, paidOut, fund, look, kinds } = await shop()
    await fund(50)
    const { code, page } = await stall()
    const { reference } = await pay(10_000, page)
    clock.advance(1_000)
    const transfer = await send(2_000)
    await paidOut()

    expect(await kinds('account=wallet_available')).toEqual([
      'hold',
      'fee',
      'charge',
      'funding',
      'opening',
    ])
    expect(await kinds('account=wallet_available&direction=out')).toEqual(['hold', 'fee'])
    expect(await kinds('account=wallet_available&direction=in&kind=charge')).toEqual(['charge'])
    expect(await kinds(`account=${code}`)).toEqual(['share'])
    expect(await kinds('account=held&direction=in')).toEqual(['hold'])
    expect(await kinds('account=provider_clearing.1&direction=out')).toEqual(['payout'])
    expect(await kinds('direction=out')).toEqual(['payout'])
    expect(await kinds('direction=in')).toHaveLength(4)
    expect((await kinds('kind=fee')).length).toBe(2)
    expect((await kinds('cause=transfer')).sort()).toEqual(['fee', 'hold', 'payout'])
    expect((await kinds(`reference=${reference}`)).sort()).toEqual(['charge', 'fee', 'share'])
    expect(await kinds(`reference=${transfer}&account=wallet_available`)).toEqual(['hold'])
    expect(await kinds('reference=TRX_nobody')).toEqual([])
    expect(await kinds('endDate=2020-01-01')).toEqual([])
    expect(await kinds('currency=USD')).toEqual([])
    const all = await look('limit=100')
    expect(all.data).toHaveLength(8)
    const times = all.data.map(({ createdAt }) => Date.parse(createdAt))
    expect(times).toEqual([...times].sort((a, b) => b - a))
    expect(all.data.every(({ balance, direction }) => balance === null && !direction)).toBe(true)
  })

  test('200 returns the balance of an account after each movement, and now', async () => {
    const { fund, send, look } = await shop()
    for (const amount of [1, 2, 3]) await fund(amount)
    clock.advance(1_000)
    await send(1_000)
    const first = await look('account=wallet_available&limit=2')
    const next = await look(`account=wallet_available&limit=9&cursor=${first.meta.next}`)
    const told = [...first.data, ...next.data].map((one) => [one.direction, one.balance])
    expect(told).toEqual([
      ['out', 998_996],
      ['in', 1_000_006],
      ['in', 1_000_003],
      ['in', 1_000_001],
      ['in', 1_000_000],
    ])
    expect(first.meta.account).toEqual({
      kind: 'wallet_available',
      subaccount: null,
      connection: null,
      currency: 'NGN',
      balance: 998_996,
      balanceMinor: 99_899_600,
    })
    const provider = await look('account=provider_clearing.1&limit=1')
    expect(provider.data[0]).toMatchObject({ direction: 'in', balance: 1_000_006 })
    const connection = { id: 1, name: 'Simulator' }
    expect(provider.meta.account).toMatchObject({ subaccount: null, connection })
    expect(provider.data[0]!.from).toEqual({
      kind: 'provider_clearing',
      subaccount: null,
      connection,
    })
    const never = await look('account=provider_fees.1')
    expect(never).toMatchObject({ data: [], meta: { account: { kind: 'provider_fees' } } })
    // Left-out movements would be missing from the sum.
    const some = await look('account=wallet_available&direction=in')
    expect(some.data.every(({ balance }) => balance === null)).toBe(true)
    const unused = await look('account=refunds')
    expect(unused).toMatchObject({ data: [], meta: { account: { balance: 0 } } })
  })

  test('200 continues from the same place after others were added', async () => {
    const { fund, look } = await shop()
    for (const amount of [1, 2, 3, 4]) await fund(amount)
    const first = await look('limit=2')
    for (const amount of [5, 6]) await fund(amount)
    const next = await look(`limit=2&cursor=${first.meta.next}`)
    expect([first, next].flatMap(({ data }) => data.map(({ amount }) => amount))).toEqual([
      4, 3, 2, 1,
    ])
    const back = await look(`limit=2&cursor=${next.meta.previous}`)
    expect(back.data).toEqual(first.data)
    const newer = await look(`limit=2&cursor=${back.meta.previous}`)
    expect(newer.data.map(({ amount }) => amount)).toEqual([6, 5])
  })

  test('200 scans a limited range for rare movements, reports its end, and continues there', async () => {
    const { businessId, fund, look } = await shop()
    await fund(7)
    await fillWith(businessId, SCANNED_MAX + 5)
    const first = await look('kind=opening')
    expect(first.data).toEqual([])
    expect(first.meta).toMatchObject({ hasMore: true, lookedUntil: expect.any(String) })
    const next = await look(`kind=opening&cursor=${first.meta.next}`)
    expect(next.data).toMatchObject([{ kind: 'opening', amount: 1_000_000 }])
    expect(next.meta).toMatchObject({ next: null, lookedUntil: null })
    expect((await look('kind=opening&cause=business&direction=out')).data).toEqual([])
    await emptied(businessId)
  })

  test('403 without access to the wallet; nothing of other businesses or the other mode', async () => {
    const [one, other] = [await shop(), await shop()]
    await one.fund(5)
    const { data, meta } = await one.look('limit=1')
    const support = await memberOf(server, 'support', one.businessId)
    for (const path of ['', '/accounts', '/export', `/${data[0]!.reference}`]) {
      expect((await support.get(LEDGER + path)).status).toBe(403)
      expect((await server.get(LEDGER + path)).status).toBe(401)
    }
    expect((await other.finance.get(`${LEDGER}/${data[0]!.reference}`)).status).toBe(404)
    expect((await other.finance.get(`${LEDGER}?limit=1&cursor=${meta.next}`)).status).toBe(400)
    const { code } = await one.subaccount()
    expect((await other.finance.get(`${LEDGER}?account=${code}`)).status).toBe(404)
    expect(await other.kinds('')).toEqual(['opening'])
    one.finance.choose(one.businessId, 'live')
    expect((await one.look()).data).toEqual([])
    expect((await one.finance.get(`${LEDGER}/accounts`)).body.data.accounts).toEqual([])
  })

  test.each([
    ['direction=up', 'direction'],
    ['currency=naira', 'currency'],
    ['currency=ZZY', 'currency'],
    ['startDate=yesterday', 'startDate'],
    ['startDate=2026-02-02&endDate=2026-02-01', 'startDate'],
    ['limit=101', 'limit'],
    ['cursor=nonsense', 'cursor'],
    ['account=', 'account'],
  ])('400 for %s', async (query, field) => {
    const { finance } = await shop()
    const { status, body } = await finance.get(`${LEDGER}?${query}`)
    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
  })
})

/**
 * Inserts rows directly and removes them before the audit, because this many would take too long
 * over HTTP.
 */
const fillWith = (businessId: number, count: number) => db.run`
  insert into ledger_transfers
    (business_id, live, id, journal_id, debit_account_id, credit_account_id, amount_minor, currency,
     kind, created_at)
  select business_id, live, 4000000000 + n, journal_id, debit_account_id, credit_account_id, 1,
    currency, 'filled', created_at + n * interval '1 millisecond'
  from ledger_transfers, generate_series(1, ${count}::integer) n
  where business_id = ${businessId} and kind = 'funding'`

const emptied = (businessId: number) =>
  asOwner(server.name, (client) =>
    client.query(
      `delete from ledger_transfers where business_id = ${businessId} and kind = 'filled'`,
    ),
  )

describe('GET /console/ledger/{reference}', () => {
  test('200 returns everything posted together, balanced, and the steps of its cause', async () => {
    const { stall, pay, finance, look, send, paidOut } = await shop()
    const { code, page } = await stall({ business_name: 'Ada’s stall' })
    const { reference } = await pay(10_000, page)
    const [entry] = (await look('kind=share')).data
    const { status, body } = await finance.get(`${LEDGER}/${entry!.reference}`)
    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      kind: 'share',
      verb: 'settle',
      amount: 5_000,
      to: { kind: 'subaccount', subaccount: { code, name: 'Ada’s stall' } },
      cause: { type: 'transaction', reference },
      steps: [{ verb: 'settle', isThis: true }],
      total: (await look(`reference=${reference}`)).data.reduce((sum, one) => sum + one.amount, 0),
    })
    const sums = body.data.sums as {
      account: { kind: string }
      debitMinor: number
      creditMinor: number
    }[]
    const total = (side: 'debitMinor' | 'creditMinor') =>
      sums.reduce((sum, one) => sum + one[side], 0)
    expect(total('debitMinor')).toBe(total('creditMinor'))
    expect(total('debitMinor')).toBe(
      body.data.moves.reduce(
        (sum: number, one: { amountMinor: number }) => sum + one.amountMinor,
        0,
      ),
    )
    expect(sums.map(({ account }) => account.kind)).toEqual([
      'provider_clearing',
      'wallet_available',
      'subaccount',
      'fees',
    ])

    clock.advance(1_000)
    await send(500)
    await paidOut()
    const [held] = (await look('kind=hold')).data
    const whole = (await finance.get(`${LEDGER}/${held!.reference}`)).body.data
    const [hold, post] = whole.steps
    expect([hold, post]).toMatchObject([
      { verb: 'hold', isThis: true, reference: held!.reference },
      { verb: 'post', isThis: false },
    ])
    const after = (await finance.get(`${LEDGER}/${post.reference}`)).body.data
    expect(after).toMatchObject({ verb: 'post', cause: { type: 'transfer' }, sealed: null })
    await server.runJob('ledger-seal')
    const sealed = (await finance.get(`${LEDGER}/${held!.reference}`)).body.data.sealed
    expect(sealed).toMatchObject({ number: expect.any(Number), at: expect.any(String) })
  })

  test.each(['LED_0', 'LED_x', 'nothing', 'LED_99999999999999999'])('404 for %s', async (name) => {
    const { finance } = await shop()
    expect((await finance.get(`${LEDGER}/${name}`)).status).toBe(404)
  })
})

describe('GET /console/ledger/accounts', () => {
  test('200 returns the balance of each account; all debits equal all credits', async () => {
    const { stall, pay, finance, send } = await shop()
    const { code, page } = await stall({ business_name: 'Zik' })
    await pay(10_000, page)
    await send(2_000)
    const { data } = (await finance.get(`${LEDGER}/accounts`)).body
    const balances: Record<string, number> = Object.fromEntries(
      data.accounts.map((one: { kind: string; balance: number }) => [one.kind, one.balance]),
    )
    expect(balances).toMatchObject({ held: 2_010, subaccount: 5_000, provider_clearing: 1_010_000 })
    const { provider_clearing: outside = 0, ...inside } = balances
    expect(Object.values(inside).reduce((sum, one) => sum + one, 0)).toBe(outside)
    expect(data.subaccounts).toEqual([
      {
        kind: 'subaccount',
        subaccount: { code, name: 'Zik' },
        connection: null,
        currency: 'NGN',
        balance: 5_000,
        balanceMinor: 500_000,
      },
    ])
  })
})

describe('GET /console/ledger/export', () => {
  test('200 has every row of many pages exactly once, with the filters of the list', async () => {
    const { businessId, fund, finance, send } = await shop()
    await fund(9)
    clock.advance(1_000)
    const transfer = await send(100)
    const lines = async (query = '') => {
      const { status, text, headers } = await finance.get(`${LEDGER}/export?${query}`)
      expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
      const [head, ...rest] = text.trimEnd().split('\r\n')
      expect(head).toBe(
        'reference,createdAt,kind,from,fromSubaccount,to,toSubaccount,direction,currency,amount,' +
          'causeType,causeReference,fromConnection,toConnection',
      )
      return rest
    }
    expect(await lines('account=wallet_available&direction=out')).toEqual([
      expect.stringMatching(
        new RegExp(
          `^LED_\\d+,.*Z,hold,wallet_available,,held,,out,NGN,110.00,transfer,${transfer},,$`,
        ),
      ),
    ])
    await fillWith(businessId, SCANNED_MAX + 1_500)
    const all = await lines()
    expect(new Set(all.map((line) => line.split(',')[0])).size).toBe(SCANNED_MAX + 1_503)
    expect(all).toHaveLength(SCANNED_MAX + 1_503)
    expect(await lines('kind=opening')).toHaveLength(1)
    expect((await finance.get(`${LEDGER}/export?direction=up`)).status).toBe(400)
    await emptied(businessId)
  })
})
