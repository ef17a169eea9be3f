import { describe, expect, test } from 'vitest'
import { untilDone } from '../../../test/concurrency.ts'
import { startServer } from '../../../test/harness.ts'
import { createKey } from '../../business/keys/service.ts'
import { fields, openShop, PATH, withBank } from './subaccounts.fixture.ts'

const server = await startServer({ jobs: false })
const { db, ids, clock } = server
const shop = () => openShop(server)

describe('create', () => {
  test('200 returns the fields at the top level and the record under data', async () => {
    const { post, businessId } = await shop()
    const { status, body } = await post(`${PATH}/`, { ...withBank, percentage_charge: 12.25 })
    expect(status).toBe(200)
    const shown = {
      id: expect.any(Number),
      business_name: 'Ngozi Cakes',
      account_number: '0123456789',
      percentage_charge: 12.25,
      currency: 'NGN',
      bank: 58,
      account_name: 'NGOZI OKAFOR',
      subaccount_code: expect.stringMatching(/^ACCT_[0-9A-Za-z]{20}$/),
    }
    expect(body).toEqual({
      status: 'success',
      message: 'Subaccount created.',
      ...shown,
      data: {
        ...shown,
        reference: body.subaccount_code,
        status: 'Active',
        bankCode: '058',
        bankName: 'Guaranty Trust Bank',
        verified: true,
        bankAccountName: 'NGOZI OKAFOR',
        payoutsBlocked: null,
        payoutsBlockedFrom: null,
        payoutsPausedUntil: null,
        createdAt: expect.stringMatching(/Z$/),
        updatedAt: body.data.createdAt,
      },
    })
    expect(
      await db.one`
        select reference, charge_basis_points, bank_code, verified, event_sequence
        from subaccounts where business_id = ${businessId}`,
    ).toEqual({
      reference: body.subaccount_code,
      charge_basis_points: 1225,
      bank_code: '058',
      verified: true,
      event_sequence: 2,
    })
  })

  test('200 sends events for it and for its verified account', async () => {
    const { make, eventsOf } = await shop()
    const made = await make(withBank)
    const [created, verified, ...others] = await eventsOf(made.id)
    expect(others).toEqual([])
    expect(created).toMatchObject({ type: 'subaccount.created', sequence: 1 })
    expect(JSON.parse(created!.data)).toEqual(made)
    expect(verified).toMatchObject({ type: 'account.verified', sequence: 2 })
    expect(JSON.parse(verified!.data)).toEqual({
      reference: made.reference,
      status: 'Verified',
      bankCode: '058',
      bankName: 'Guaranty Trust Bank',
      accountNumber: '6789',
      accountNumberLast4: '6789',
      subject: 'subaccount',
      accountName: 'NGOZI OKAFOR',
    })
  })

  test('200 without a bank calls no bank', async () => {
    const { make, eventsOf } = await shop()
    const made = await make({ ...fields, account_name: 'Ngozi' })
    expect(made).toMatchObject({ bank: null, bankCode: null, bankName: null, verified: false })
    expect(made.account_name).toBe('Ngozi')
    expect((await eventsOf(made.id)).map(({ type }) => type)).toEqual(['subaccount.created'])
    // Nothing shows that these two are the same.
    expect((await make()).account_name).toBe(null)
  })

  test.each([
    ['the same, in any case', '0123456789', ' ngozi  OKAFOR ', ' ngozi  OKAFOR ', true],
    ['another', '0123456789', 'Somebody Else', 'Somebody Else', false],
    ['none, of an account that does not exist', '0000000002', undefined, null, false],
    ['one, of an account that does not exist', '0000000002', 'Ngozi', 'Ngozi', false],
    ['none, and no response from the bank', '0000000006', undefined, null, false],
    ['none, and an uncertain bank', '0000000005', undefined, 'ADA OBI', false],
  ])('200 with a name given that is %s', async (_, account_number, given, kept, verified) => {
    const { make, eventsOf } = await shop()
    const made = await make({ ...withBank, account_number, account_name: given })
    expect(made).toMatchObject({ account_name: kept, verified, bank: 58 })
    const types = (await eventsOf(made.id)).map(({ type }) => type)
    expect(types.includes('account.verified')).toBe(verified)
  })

  test.each([58, '58', '058', '000013'])('200 accepts the bank %j', async (bank) => {
    const { make } = await shop()
    expect(await make({ ...fields, bank })).toMatchObject({ bank: 58, bankCode: '058' })
  })

  test.each([
    [0, 0],
    [100, 100],
    [0.01, 0.01],
    [33.3, 33.3],
    [0.29, 0.29],
    [99.99, 99.99],
  ])('200 stores %j percent unchanged', async (percentage_charge, shown) => {
    const { make } = await shop()
    expect((await make({ ...fields, percentage_charge })).percentage_charge).toBe(shown)
  })

  const bad: [string, unknown][] = [
    ['business_name', undefined],
    ['business_name', null],
    ['business_name', 5],
    ['business_name', ''],
    ['business_name', '   '],
    ['business_name', 'two\nlines'],
    ['business_name', 'x'.repeat(201)],
    ['account_number', undefined],
    ['account_number', null],
    ['account_number', 1234567890],
    ['account_number', '123456789'],
    ['account_number', '12345678901'],
    ['account_number', '12345 6789'],
    ['percentage_charge', undefined],
    ['percentage_charge', null],
    ['percentage_charge', '5'],
    ['percentage_charge', -0.01],
    ['percentage_charge', 100.01],
    ['percentage_charge', 5.125],
    ['percentage_charge', 1e-7],
    ['percentage_charge', 1e300],
    ['currency', 566],
    ['currency', 'naira'],
    ['currency', 'XXQ'],
    ['bank', true],
    ['bank', 58.5],
    ['bank', -58],
    ['bank', 999_999_999],
    ['bank', 'no such'],
    ['bank', ''],
    ['bank', '9'.repeat(30)],
    ['account_name', 7],
    ['account_name', ' '],
    ['account_name', 'x'.repeat(201)],
  ]
  test.each(bad)('400 names %s: %j', async (field, value) => {
    const { post, count } = await shop()
    const { status, body } = await post(PATH, { ...withBank, [field]: value })
    expect([status, body.status, Object.keys(body.errors)]).toEqual([400, 'error', [field]])
    expect(await count()).toBe(0)
  })

  test('400 names all missing fields at once', async () => {
    const { post } = await shop()
    const { body } = await post(PATH, {})
    expect(Object.keys(body.errors).sort()).toEqual([
      'account_number',
      'business_name',
      'percentage_charge',
    ])
  })

  test('400 for a used bank and account, even of an Inactive subaccount', async () => {
    const { make, post, count } = await shop()
    const { reference } = await make(withBank)
    const again = { ...withBank, business_name: 'Other', bank: '058' }
    for (const step of ['active', 'inactive']) {
      const { status, body } = await post(PATH, again)
      expect([step, status, body.errorCode]).toEqual([step, 400, 'subaccount_exists'])
      expect(Object.keys(body.errors)).toEqual(['account_number'])
      await post(`${PATH}/${reference}/deactivate`)
    }
    expect(await count()).toBe(1)
    // At another bank, or in another business, it is a different account.
    await make({ ...withBank, bank: 44 })
    await (await shop()).make(withBank)
  })

  test('200 for one of twenty concurrent requests with the same account', async () => {
    const { post, count, businessId } = await shop()
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        untilDone(() => post(PATH, { ...withBank, business_name: `No ${i}` })),
      ),
    )
    const statuses = made.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array(19).fill(400)])
    expect(await count()).toBe(1)
    const { n } = await db.one<{ n: number }>`
      select count(*) as n from events
      where business_id = ${businessId} and object_type = 'subaccount'`
    expect(n).toBe(2)
  })

  test('200 repeats its response for the same Idempotency-Key; 422 for another request', async () => {
    const { post, count } = await shop()
    const key = { 'idempotency-key': 'one' }
    const [first, ...others] = await Promise.all(
      Array.from({ length: 5 }, () => post(PATH, withBank, key)),
    )
    expect(new Set(others.map(({ text }) => text))).toEqual(new Set([first!.text]))
    const repeat = await post(`${PATH}/`, withBank, key)
    expect([repeat.text, repeat.headers.get('idempotent-replayed')]).toEqual([first!.text, 'true'])
    const other = await post(PATH, { ...withBank, percentage_charge: 6 }, key)
    expect([other.status, Object.keys(other.body.errors)]).toEqual([422, ['Idempotency-Key']])
    expect(await count()).toBe(1)
  })

  test('503 in live mode with a bank, without a provider to ask; 200 without a bank', async () => {
    const { live, count } = await shop()
    const refused = await live.post(PATH, withBank)
    expect([refused.status, refused.body.errorCode]).toEqual([503, 'live_provider_missing'])
    expect(refused.headers.get('retry-after')).toBe('3600')
    expect(await count()).toBe(0)
    expect((await live.post(PATH, fields)).status).toBe(200)
  })

  test('401 without a key and 403 without the scope', async () => {
    const { post, keys: _, businessId } = await shop()
    const unknown = await post(PATH, withBank, { authorization: '' })
    expect([unknown.status, unknown.body.status]).toEqual([401, 'error'])
    const tenant = { businessId, live: false }
    const { key } = await db.transaction((tx) =>
      createKey(tx, ids, tenant, { scopes: ['subaccounts:read'] }, clock.now()),
    )
    const reader = server.as(key)
    expect((await reader.post(PATH, fields)).status).toBe(403)
    expect((await reader.get(`${PATH}/all?page=1&limit=5&sort=asc&sortKey=id`)).status).toBe(200)
  })
})
