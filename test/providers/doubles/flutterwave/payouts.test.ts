import { beforeEach, describe, expect, test } from 'vitest'
import { send } from '../../../request.ts'
import { startAccount } from './account.fixture.ts'
import type { Settings } from './account.ts'

const { double, call, get, post, newReference, balance, arrived } = await startAccount()
const { provider, books } = double
const { bank, billers, owner } = provider
beforeEach(() => owner.topUp(10_000_000n))

const recipient = { account_bank: '058', account_number: '0123456789' }
const order = async (amount = 1_000, reference = newReference(), more: object = {}) => {
  const body = { ...recipient, amount, currency: 'NGN', reference, ...more }
  return { reference, answer: await post('/transfers', body) }
}
const look = async (reference: string) => (await get(`/transfers?reference=${reference}`)).body.data

describe('money out', () => {
  test('an account has a name', async () => {
    const resolve = (account_number: string) =>
      post('/accounts/resolve', { account_number, account_bank: '058' })
    expect((await resolve('0123456789')).body.data.account_name).toBe('ACCOUNT HOLDER 6789')
    expect((await resolve('9999456789')).status).toBe(400)
    const banks = (await get('/banks/NG')).body.data
    expect(banks[3]).toEqual({ id: 9, code: '058', name: 'GTBank Plc' })
    const fee = (await get('/transfers/fee?amount=12500&currency=NGN')).body.data
    expect(fee).toEqual([{ currency: 'NGN', fee_type: 'value', fee: 26.875 }])
  })

  test('a transfer is new, then paid, then returned as failed', async () => {
    const before = balance()
    const { reference, answer } = await order(12_500.1)
    expect(answer.body.data).toMatchObject({
      status: 'NEW',
      reference,
      amount: 12_500.1,
      fee: 26.875,
      complete_message: '',
      full_name: 'ACCOUNT HOLDER 6789',
      requires_approval: 0,
      is_approved: 1,
    })
    expect(await look(reference)).toMatchObject([{ status: 'PENDING' }])
    // The balance has whole kobo.
    expect(before - balance()).toBe(1_250_010n + 2_688n)
    bank.settle(reference, 'SUCCESSFUL')
    const { id } = answer.body.data
    expect((await get(`/transfers/${id}`)).body.data.status).toBe('SUCCESSFUL')
    bank.settle(reference, 'FAILED')
    expect(balance()).toBe(before)
    const events = (await arrived()).map((one) => [one.event, one['event.type'], one.data.status])
    expect(events).toEqual([
      ['transfer.completed', 'Transfer', 'SUCCESSFUL'],
      ['transfer.completed', 'Transfer', 'FAILED'],
    ])
    expect((await get('/transfers?status=failed')).body.data[0].reference).toBe(reference)
    expect((await get('/transfers/1')).status).toBe(404)
  })

  test('a transfer can fail, and be paid after that', async () => {
    const { reference } = await order()
    bank.settle(reference, 'FAILED')
    expect((await look(reference))[0].complete_message).toMatch(/^DISBURSE FAILED/)
    bank.settle(reference, 'SUCCESSFUL')
    expect((await look(reference))[0].status).toBe('SUCCESSFUL')
    expect(books.executed.get(reference)).toBe(1)
  })

  test('too little money in the wallet is no refusal: the transfer fails', async () => {
    const before = balance()
    const { reference, answer } = await order(Number(before) / 100)
    expect([answer.status, answer.body.data.status]).toEqual([200, 'NEW'])
    expect(await look(reference)).toMatchObject([
      {
        status: 'FAILED',
        complete_message: 'DISBURSE FAILED: Insufficient funds in customer wallet',
      },
    ])
    expect([balance(), books.executed.has(reference)]).toEqual([before, false])
    // Its reference is used.
    owner.topUp(10_000_000n)
    expect((await order(1_000, reference)).answer.status).toBe(400)
    expect(await arrived()).toMatchObject([{ data: { reference, status: 'FAILED' } }])
  })

  test('a used reference is refused, and nothing is paid twice', async () => {
    const { reference } = await order()
    const before = balance()
    const { answer } = await order(1_000, reference)
    expect([answer.status, answer.body.message]).toEqual([
      400,
      expect.stringMatching(/reference already exists/),
    ])
    expect(balance()).toBe(before)
    expect(
      (await order(1_000, newReference(), { account_number: '9999456789' })).answer.body,
    ).toEqual({ status: 'error', message: 'Account resolve failed', data: null })
  })

  test('a list that ignores its filters shows every transfer', async () => {
    const { reference } = await order()
    expect(await look('nothing')).toEqual([])
    owner.set({ filtersTransfers: false })
    const all = await look('nothing')
    owner.set({ filtersTransfers: true })
    expect(all.length).toBeGreaterThan(1)
    expect(all[0].reference).toBe(reference)
  })

  test('a retry is another transfer with another reference', async () => {
    const { reference, answer } = await order()
    const retry = () => post(`/transfers/${answer.body.data.id}/retries`, undefined)
    expect((await retry()).status).toBe(400)
    bank.settle(reference, 'FAILED')
    expect((await retry()).body.data).toMatchObject({
      reference: `${reference}_RETRY_1`,
      status: 'NEW',
    })
    expect(books.executed.get(`${reference}_RETRY_1`)).toBe(1)
  })

  test('a batch has one answer, and each of its transfers an end', async () => {
    const row = (account_number: string, reference = newReference()) => ({
      bank_code: '058',
      account_number,
      amount: 1_000,
      currency: 'NGN',
      reference,
    })
    const [first, second] = [row('0123456789'), row('9999456789')]
    const batch = (...bulk_data: object[]) => post('/bulk-transfers', { title: 'Pay', bulk_data })
    const { body } = await batch(first, second)
    expect(Object.keys(body.data)).toEqual(['id', 'created_at', 'approver'])
    const found = (await get(`/transfers?batch_id=${body.data.id}`)).body.data
    expect(found).toMatchObject([
      { reference: second.reference, status: 'FAILED' },
      { reference: first.reference, status: 'PENDING' },
    ])
    const third = row('0123456789')
    expect((await batch(third, first)).status).toBe(400)
    expect((await batch(third, third)).status).toBe(400)
    expect(await look(third.reference)).toEqual([])
  })

  test.each([
    ['all', 2],
    ['its first', 1],
    ['none', 0],
  ])('a batch can be refused although %s of its transfers were taken', async (_, taken) => {
    const rows = [newReference(), newReference()].map((reference) => {
      const account = { bank_code: '058', account_number: '0123456789' }
      return { ...account, amount: 1_000, currency: 'NGN', reference }
    })
    bank.refuseBatch(402, { message: 'Insufficient balance', taken })
    const refused = await post('/bulk-transfers', { title: 'Pay', bulk_data: rows })
    expect([refused.status, refused.body]).toEqual([
      402,
      { status: 'error', message: 'Insufficient balance', data: null },
    ])
    const executed = rows.map(({ reference }) => books.executed.get(reference) ?? 0)
    expect(executed).toEqual([1, 1].fill(0, taken))
    const next = { ...rows[0], reference: newReference() }
    expect((await post('/bulk-transfers', { title: 'Pay', bulk_data: [next] })).status).toBe(200)
  })

  test('a batch can be answered by a proxy, with any status', async () => {
    const reference = newReference()
    const row = { bank_code: '058', account_number: '0123456789', currency: 'NGN' }
    double.fault({ on: 'POST /bulk-transfers', kind: 'html', status: 404, times: 1 })
    const bulk_data = [{ ...row, amount: 1_000, reference }]
    const { status, text, headers } = await post('/bulk-transfers', { title: 'Pay', bulk_data })
    expect([status, headers.get('content-type'), text]).toEqual([
      404,
      'text/html',
      expect.stringMatching(/^<!doctype html>/),
    ])
    expect(books.executed.get(reference)).toBe(1)
  })

  test('a used reference can be paid again, which is reported', async () => {
    owner.set({ refusesUsedReferences: false })
    const { reference } = await order()
    expect((await order(1_000, reference)).answer.status).toBe(200)
    owner.set({ refusesUsedReferences: true })
    expect(await look(reference)).toHaveLength(2)
    expect(double.takeProblems()).toEqual([`${reference} was executed 2 times`])
  })

  test('a person may have to approve a transfer', async () => {
    owner.set({ needsApproval: true })
    const before = balance()
    const [first, second] = [await order(), await order()]
    owner.set({ needsApproval: false })
    expect(await look(first.reference)).toMatchObject([
      { status: 'NEW', requires_approval: 1, is_approved: 0 },
    ])
    expect(balance()).toBe(before)
    bank.approve(first.reference)
    bank.approve(first.reference)
    expect(await look(first.reference)).toMatchObject([{ status: 'PENDING', is_approved: 1 }])
    bank.approve(second.reference, false)
    expect(await look(second.reference)).toMatchObject([{ status: 'FAILED' }])
  })
})

describe('bills', () => {
  const buy = (path: string, body: object) =>
    post(`/billers/${path}/payment`, { country: 'NG', ...body })
  const airtime = (amount: number, reference: string) =>
    buy('BIL099/items/AT099', { customer_id: '08038291822', amount, reference })

  /** With its details. */
  const shown = async (of: string) => (await get(`/bills/${of}?verbose=1`)).body.data

  test('are found by category, biller and item', async () => {
    const categories = (await get('/top-bill-categories?country=NG')).body.data
    expect(categories[0]).toMatchObject({ code: 'AIRTIME', country_code: 'NG' })
    const found = (await get('/bills/UTILITYBILLS/billers?country=NG')).body.data
    expect(found).toMatchObject([{ biller_code: 'BIL113' }])
    const items = (await get('/billers/BIL113/items')).body.data
    expect(items[0]).toMatchObject({ item_code: 'UB159', amount: 0, is_resolvable: true })
    const validate = (customer: string) =>
      get(`/bill-items/UB159/validate?code=BIL113&customer=${customer}`)
    expect((await validate('45700000123')).body.data).toMatchObject({
      name: 'CUSTOMER 0123',
      minimum: 500,
      fee: 100,
    })
    expect((await validate('99990000123')).status).toBe(400)
    expect((await get('/bills/WATER/billers')).status).toBe(400)
  })

  test('say that they are successful while they are pending', async () => {
    const reference = newReference()
    const before = balance()
    const { message, data } = (await airtime(500, reference)).body
    expect([message, data.amount, data.network]).toEqual(['Bill payment successful', 500, 'MTN'])
    // The reference of the answer is not the one that was sent.
    expect(data.reference).not.toBe(reference)
    expect(await shown(reference)).toMatchObject({
      tx_ref: data.tx_ref,
      flw_ref: data.reference,
      amount: '500.00',
      customer_reference: reference,
      extra: null,
    })
    expect(before - balance()).toBe(50_000n)
    billers.settle(reference, 'successful')
    expect(await shown(data.tx_ref)).toMatchObject({ extra: null, commission: 12.5 })
    expect(before - balance()).toBe(50_000n - 1_250n)
    expect(await arrived()).toMatchObject([
      {
        event: 'singlebillpayment.status',
        'event.type': 'SingleBillPayment',
        data: { customer_reference: reference, tx_ref: data.tx_ref, status: 'success' },
      },
    ])
  })

  test('of electricity have a fee, and a token that comes later', async () => {
    const reference = newReference()
    const before = balance()
    const body = { customer_id: '45700000123', amount: 1_000, reference }
    const bought = await buy('BIL113/items/UB159', body)
    expect(bought.body.data).toMatchObject({ recharge_token: null, fee: 100 })
    expect(before - balance()).toBe(110_000n)
    billers.settle(reference, 'successful')
    const { data } = (await get(`/bills/${reference}/status`)).body
    expect(data.extra).toMatch(/^\d{20}$/)
    const again = newReference()
    owner.set({ bills: 'at_once' })
    const { body: atOnce } = await buy('BIL113/items/UB159', { ...body, reference: again })
    owner.set({ bills: 'by_hand' })
    expect(atOnce.data.recharge_token).toMatch(/^\d{20}$/)
  })

  test('show how they ended with a token, or without the business’s reference', async () => {
    const [topUp, meter] = [newReference(), newReference()]
    await airtime(500, topUp)
    await buy('BIL113/items/UB159', { customer_id: '45700000123', amount: 1_000, reference: meter })
    for (const reference of [topUp, meter]) billers.settle(reference, 'successful')
    expect(await shown(topUp)).not.toHaveProperty('status')
    expect(await shown(meter)).toMatchObject({ status: 'successful', customer_reference: meter })
    owner.set({ billsShow: 'status' })
    for (const reference of [topUp, meter]) {
      expect(await shown(reference)).toMatchObject({ status: 'successful' })
      expect(await shown(reference)).not.toHaveProperty('customer_reference')
      const { data } = (await get(`/bills/${reference}`)).body
      expect(data).toMatchObject({ customer_reference: reference })
      expect(data).not.toHaveProperty('status')
    }
    owner.set({ billsShow: 'both' })
    expect(await shown(topUp)).toMatchObject({ status: 'successful', customer_reference: topUp })
    owner.set({ billsShow: 'reference' })
  })

  test('can fail, and give the money back', async () => {
    const reference = newReference()
    const before = balance()
    await airtime(500, reference)
    billers.settle(reference, 'failed')
    expect(balance()).toBe(before)
    expect(await arrived()).toMatchObject([{ data: { status: 'fail' } }])
  })

  test('with a used reference are bought again', async () => {
    const reference = newReference()
    await airtime(500, reference)
    await airtime(500, reference)
    expect(double.takeProblems()).toEqual([`${reference} was executed 2 times`])
  })

  test('have fixed prices, limits, and need money in the wallet', async () => {
    const data = (amount: number) =>
      buy('BIL108/items/MD108', { customer_id: '08038291822', amount, reference: newReference() })
    expect((await data(50)).body.message).toBe('Amount must be 49.99')
    expect((await data(49.99)).status).toBe(200)
    expect((await airtime(49, newReference())).status).toBe(400)
    owner.topUp(-balance())
    expect((await airtime(500, newReference())).status).toBe(400)
    // A notice that names nothing.
    expect(await arrived()).toMatchObject([
      { data: { status: 'fail', message: 'Insufficient funds in your wallet' } },
    ])
  })

  test('may be found by Flutterwave’s references only', async () => {
    const reference = newReference()
    const { data } = (await airtime(500, reference)).body
    owner.set({ findsBillsBy: 'own_reference' })
    expect((await get(`/bills/${reference}`)).status).toBe(400)
    expect((await get(`/bills/${data.tx_ref}`)).status).toBe(200)
    owner.set({ findsBillsBy: 'any_reference' })
  })
})

describe('access', () => {
  test('needs the present key', async () => {
    const old = provider.secretKey()
    expect((await call('GET', '/balances', undefined, 'FLWSECK_TEST-x-X')).status).toBe(401)
    owner.rotateKey()
    expect((await call('GET', '/balances', undefined, old)).body.message).toBe(
      'Invalid authorization key',
    )
    expect((await get('/balances')).body.data).toMatchObject([{ currency: 'NGN' }])
  })

  test('to transfers and bills needs a listed address, with a 400 that may not say so', async () => {
    const refused = async () => {
      const { status, body } = (await order()).answer
      return [status, body.message]
    }
    owner.allowAddress('')
    expect(await refused()).toEqual([400, 'Please enable IP Whitelisting to access this service'])
    owner.allowAddress('203.0.113.9')
    expect(await refused()).toEqual([400, 'This request cannot be processed'])
    expect((await get('/balances')).status).toBe(200)
    owner.allowAddress('127.0.0.1')
    expect((await order()).answer.status).toBe(200)
    owner.allowAddress(null)
  })

  test('over HTTP drives the same payer, bank and owner', async () => {
    const act = (name: string, args: object) =>
      send(`${double.dashboardUrl}/__double/act/${name}`, {
        method: 'POST',
        body: JSON.stringify(args),
      })
    const { reference } = await order()
    expect((await act('settle', { reference, status: 'SUCCESSFUL' })).status).toBe(200)
    expect(await look(reference)).toMatchObject([{ status: 'SUCCESSFUL' }])
    expect((await act('settleBill', { reference: 'none', status: 'failed' })).status).toBe(400)
    expect((await act('set', { needsApproval: false })).status).toBe(200)
    expect((await act('set', { isGenerous: true })).body.error).toMatch(/isGenerous/)
  })

  test('that is cut off after the effect leaves an order behind', async () => {
    double.fault({ on: 'POST /transfers', kind: 'reset_after_effect', times: 1 })
    const reference = newReference()
    await expect(order(1_000, reference)).rejects.toThrow(/hang up|ECONNRESET/)
    expect(await look(reference)).toMatchObject([{ status: 'PENDING' }])
    double.fault({ on: 'GET /transfers', kind: 'not_found_for', times: 1 })
    expect(await look(reference)).toEqual([])
  })
})

describe('the test world', async () => {
  const settings: Partial<Settings> = { secretKey: 'FLWSECK_TEST-double2-X' }
  const test_ = await startAccount(settings)
  const statusOf = async (reference: string) =>
    (await test_.get(`/transfers?reference=${reference}`)).body.data[0].status

  test.each([
    ['_PMCK', 'SUCCESSFUL', 'SUCCESSFUL'],
    ['_PMCKDU_1', 'PENDING', 'SUCCESSFUL'],
    ['_PMCK_ST_F', 'FAILED', 'FAILED'],
    ['_PMCK_ST_FDU_1', 'PENDING', 'FAILED'],
    ['', 'PENDING', 'PENDING'],
  ])('ends a transfer by its reference: "%s" is %s, then %s', async (end, first, second) => {
    const { double, post, newReference } = test_
    double.provider.owner.topUp(1_000_000n)
    const reference = `${newReference()}${end}`
    const body = { account_bank: '044', account_number: '0690000031', amount: 100, currency: 'NGN' }
    expect((await post('/transfers', { ...body, reference })).body.data.status).toBe('NEW')
    expect(await statusOf(reference)).toBe(first)
    await double.advance(60_000)
    expect(await statusOf(reference)).toBe(second)
  })

  test('knows few accounts', async () => {
    const body = { account_number: '0123456789', account_bank: '058' }
    expect((await test_.post('/accounts/resolve', body)).status).toBe(400)
  })
})
