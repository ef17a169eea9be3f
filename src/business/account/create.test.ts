import { expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { createBusiness, type NewBusiness } from './bootstrap.ts'

const { db, ids, keyring, clock, as } = await startServer()

const create = (request: Omit<NewBusiness, 'now'>) =>
  db.transaction((tx) => createBusiness(tx, { ids, keyring }, { ...request, now: clock.now() }))
const counts = () =>
  db.one<{ businesses: number; keys: number; journals: number }>`
    select (select count(*) from businesses) as businesses, (select count(*) from api_keys) as keys,
           (select count(*) from ledger_journals) as journals`

test('a new business has four keys, and money only in its test wallet', async () => {
  const { businessId, name, reference, keys } = await create({ name: '  Ada Ventures  ' })

  expect(name).toBe('Ada Ventures')
  expect(reference).toMatch(/^BUS_/)
  expect(keys).toEqual({
    testSecret: expect.stringMatching(/^sk_test_/),
    testPublic: expect.stringMatching(/^pk_test_/),
    liveSecret: expect.stringMatching(/^sk_live_/),
    livePublic: expect.stringMatching(/^pk_live_/),
  })
  const wallet = '/api/user-service/external/v1/wallet/balance'
  expect((await as(keys.testSecret).get(wallet)).body.data).toMatchObject([
    { currency: 'NGN', available: 1_000_000, availableMinor: 100_000_000 },
  ])
  expect((await as(keys.liveSecret).get(wallet)).body.data).toEqual([
    {
      currency: 'NGN',
      available: 0,
      availableMinor: 0,
      pending: 0,
      pendingMinor: 0,
      held: 0,
      heldMinor: 0,
      ledger: 0,
      ledgerMinor: 0,
    },
  ])
  const events = await db.many`select type from events where business_id = ${businessId}`
  expect(events).toEqual([])
})

test.each([
  [{ name: '' }, 'name'],
  [{ name: ' \t ' }, 'name'],
  [{ name: 'x'.repeat(201) }, 'name'],
  [{ name: 'two\nlines' }, 'name'],
  [{ name: 'nul\0' }, 'name'],
  [{ name: '\ud800' }, 'name'],
  [{ name: 'Ada', email: 'ada' }, 'email'],
  [{ name: 'Ada', phone: 'call me' }, 'phone'],
  [{ name: 'Ada', firstName: '' }, 'firstName'],
])('nothing is stored for %j', async (request, field) => {
  const before = await counts()
  await expect(create(request)).rejects.toMatchObject({
    kind: 'invalid',
    fields: { [field]: [expect.any(String)] },
  })
  expect(await counts()).toEqual(before)
})

test('four times as many creations as connections, at once, all succeed', async () => {
  const names = Array.from({ length: 40 }, (_, i) => `At once ${i}`)
  const made = await Promise.all(names.map((name) => create({ name })))
  expect(new Set(made.map(({ businessId }) => businessId)).size).toBe(40)
})
