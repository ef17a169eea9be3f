import { describe, expect, test } from 'vitest'
import { untilDone } from '../../../test/concurrency.ts'
import { asOwner, startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { openShop, PATH, withBank } from './subaccounts.fixture.ts'

const server = await startServer({ jobs: false })
const { db } = server
const shop = () => openShop(server)

describe('update', () => {
  test('200 changes the given fields, and sends one event', async () => {
    const { make, put, eventsOf } = await shop()
    const made = await make(withBank)
    const change = { business_name: 'Ngozi & Co', percentage_charge: 7.5 }
    const { status, body } = await put(`${PATH}/${made.reference}`, change)
    expect([status, body.data]).toEqual([
      200,
      { ...made, ...change, updatedAt: expect.stringMatching(/Z$/) },
    ])
    const again = await put(`${PATH}/${made.id}`, { ...change, currency: 'NGN', bank: '058' })
    expect([again.status, again.body.data]).toEqual([200, body.data])
    const events = await eventsOf(made.id)
    expect(events.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['subaccount.created', 1],
      ['account.verified', 2],
      ['subaccount.updated', 3],
    ])
    expect(JSON.parse(events[2]!.data)).toEqual(body.data)
  })

  test('200 asks for the holder of a new account', async () => {
    const { make, put, eventsOf } = await shop()
    const made = await make(withBank)
    const change = async (body: object) => (await put(`${PATH}/${made.reference}`, body)).body.data
    expect(await change({ account_number: '0123456781' })).toMatchObject({
      account_name: 'CHINEDU EZE',
      verified: true,
    })
    expect(await change({ bank: 44, account_name: 'Mine' })).toMatchObject({
      bankCode: '044',
      account_name: 'Mine',
      verified: false,
    })
    // The holder's name, entered by hand.
    expect(await change({ account_name: 'Chinedu Eze' })).toMatchObject({ verified: true })
    expect(await change({ account_number: '0000000002' })).toMatchObject({
      account_name: null,
      verified: false,
    })
    expect(await change({ bank: null, account_name: 'By hand' })).toMatchObject({
      bank: null,
      bankName: null,
      account_name: 'By hand',
      verified: false,
    })
    const types = (await eventsOf(made.id)).map(({ type }) => type)
    expect(types.filter((type) => type === 'account.verified')).toHaveLength(3)
    expect(await runAudit(db, allChecks)).toEqual([])
  })

  test('200 asks again about an unresolved account when it is given again', async () => {
    const { make, put, businessId } = await shop()
    const made = await make(withBank)
    await asOwner(server.name, (client) =>
      client.query(
        "update subaccounts set verified = false, holder_state = 'waiting' where business_id = $1",
        [businessId],
      ),
    )
    const { body } = await put(`${PATH}/${made.reference}`, { business_name: 'Other' })
    expect(body.data.verified).toBe(false)
    const asked = await put(`${PATH}/${made.reference}`, { account_number: made.account_number })
    expect(asked.body.data.verified).toBe(true)
  })

  test('400 for the account of another subaccount, even if both change at once', async () => {
    const { make, put, businessId } = await shop()
    const first = await make(withBank)
    const others = []
    for (let i = 0; i < 6; i++) {
      others.push(await make({ ...withBank, account_number: `222222222${i}` }))
    }
    const taken = await put(`${PATH}/${others[0].reference}`, {
      account_number: first.account_number,
    })
    expect([taken.status, Object.keys(taken.body.errors)]).toEqual([400, ['account_number']])
    const all = await Promise.all(
      others.map(({ reference }) =>
        untilDone(() => put(`${PATH}/${reference}`, { account_number: '3333333333' })),
      ),
    )
    expect(all.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400])
    const { n } = await db.one<{ n: number }>`
      select count(*) as n from subaccounts
      where business_id = ${businessId} and account_last4 = '3333'`
    expect(n).toBe(1)
  })

  test('200 for many concurrent changes, each counted', async () => {
    const { make, put, eventsOf } = await shop()
    const { reference, id } = await make()
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        untilDone(() => put(`${PATH}/${reference}`, { percentage_charge: i + 6 })),
      ),
    )
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]))
    const sequences = (await eventsOf(id)).map(({ sequence }) => sequence)
    expect(sequences).toEqual(Array.from({ length: 21 }, (_, i) => i + 1))
  })

  test('409 for another currency', async () => {
    const { make, put } = await shop()
    const { reference } = await make()
    const { status, body } = await put(`${PATH}/${reference}`, { currency: 'USD' })
    expect([status, body.errorCode, Object.keys(body.errors)]).toEqual([
      409,
      'currency_fixed',
      ['currency'],
    ])
  })

  test.each([
    ['business_name', null],
    ['business_name', ''],
    ['account_number', null],
    ['account_number', '12'],
    ['percentage_charge', null],
    ['percentage_charge', 5.555],
    ['bank', 'no such'],
    ['account_name', 'a\tb'],
    ['active', 'true'],
    ['active', null],
    ['currency', 5],
    ['currency', ''],
    ['currency', 'naira'],
  ])('400 names %s: %j', async (field, value) => {
    const { make, put, get } = await shop()
    const made = await make(withBank)
    const { status, body } = await put(`${PATH}/${made.reference}`, { [field]: value })
    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
    expect((await get(`${PATH}/${made.reference}`)).body.data).toEqual(made)
  })
})

describe('deactivate', () => {
  test('200 twice, with one event; an update reactivates it', async () => {
    const { make, post, put, eventsOf } = await shop()
    const { reference, id } = await make()
    const all = await Promise.all(
      Array.from({ length: 10 }, () => untilDone(() => post(`${PATH}/${reference}/deactivate`))),
    )
    for (const { status, body } of all)
      expect([status, body.data.status]).toEqual([200, 'Inactive'])
    expect((await eventsOf(id)).map(({ type }) => type)).toEqual([
      'subaccount.created',
      'subaccount.updated',
    ])
    const { body } = await put(`${PATH}/${reference}`, { active: true })
    expect(body.data.status).toBe('Active')
    expect(await eventsOf(id)).toHaveLength(3)
  })
})
