import { expect, test } from 'vitest'
import { testDatabase } from '../../test/harness.ts'
import { createBusiness } from '../business/account/bootstrap.ts'
import { commandsOn, expectRefused } from './cli.fixture.ts'

const { db, ids, keyring, clock, name } = await testDatabase()
const { tradepost, json } = commandsOn(name)
const { businessId } = await db.transaction((tx) =>
  createBusiness(tx, { ids, keyring }, { name: 'Shop', now: clock.now() }),
)

test('reconcile compares the simulator if it is named', async () => {
  const named = ['--business', String(businessId), '--connection', '1']
  const [day] = await json('reconcile', ...named)
  expect(day).toMatchObject({ businessId, connectionId: 1, status: 'Closed', problem: null })
  const { status, stdout } = await tradepost('reconcile', ...named, '--day', day.day)
  expect([status, stdout]).toEqual([0, expect.stringContaining('agrees')])
})

test('reconcile exits with 1 if a provider does not respond', async () => {
  const id = await ids.next()
  await db.run`
    insert into provider_connections (id, provider, business_id, live, environment, status, name,
      base_url, settings, notice_token, created_by, created_at, updated_at)
    values (${id}, 'paystack', ${businessId}, false, 'sandbox', 'Active', 'Till',
      'http://127.0.0.1:1', '{}', 'token', 'a test', ${clock.now()}, ${clock.now()})`
  const { status, stdout } = await tradepost('reconcile', '--connection', String(id))
  expect([status, stdout]).toEqual([1, expect.stringContaining('Till')])
})

test.each([
  [['--day', '2199-01-01'], 'in the future'],
  [['--day', 'yesterday'], 'must be a day'],
  [['--connection', '99'], 'no connection to a provider matches; see tradepost providers list'],
  [['--business', 'x'], 'must be a number'],
])('reconcile refuses %j', async (args, says) => {
  expectRefused(await tradepost('reconcile', ...args), 2, says)
})
