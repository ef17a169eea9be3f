import { expect, test, vi } from 'vitest'
import { testDatabase } from '../../test/harness.ts'
import { beginHere, databaseSettings, expectRefused, openHome } from './cli.fixture.ts'

const { name, db } = await testDatabase()
const env = databaseSettings(name)
const home = await openHome()
const tradepost = (...args: string[]) => home.tradepost(args, env)

test('1 says how to start if there is no business', async () => {
  const says = 'there are no businesses yet; create one with tradepost seed --new NAME\n'
  expectRefused(await home.tradepostApart(['seed'], env), 1, says)
})

test('0 creates a business with its shop and correct books, but not twice', async () => {
  const wanted = ['--rows', '60', '--seed', '4', '--until', '2026-03-01']
  const { status, stdout, stderr } = await tradepost('seed', '--new', 'Adire', ...wanted, '--json')
  expect([status, stderr]).toEqual([0, ''])
  const made = JSON.parse(stdout)
  expect(made).toMatchObject({
    name: 'Adire',
    seed: 4,
    rows: 60,
    until: '2026-03-01',
    continuedAfter: 0,
    isBranded: true,
    invoices: { all: 60 },
    keys: { testSecret: expect.stringMatching(/^sk_test_/) },
    owner: { email: expect.stringMatching(/@example\.com$/), password: expect.any(String) },
  })
  const [business] = await db.many<{ created_at: Date; live: number }>`
    select created_at, (select count(*) from invoices where live) as live from businesses`
  expect(business).toEqual({ created_at: new Date('2025-02-28T23:00:00Z'), live: 0 })
  const { n } = await db.one<{ n: number }>`
    select count(*) as n from orders where status in ('Paid', 'Refunded')`
  expect(n).toBe(11)
  expect(await tradepost('audit')).toMatchObject({ status: 0 })

  const whose = ['--business', String(made.businessId)]
  const again = await tradepost('seed', ...whose, ...wanted)
  expect([again.status, again.stdout]).toEqual([1, ''])
  expect(again.stderr).toMatch(/^error: the shop of seed 4 already exists: [^\n]+\n$/)
})

test('0 adds another shop to the first business, and prints what was created', async () => {
  const { status, stdout, stderr } = await tradepost('seed', '--rows', '50', '--seed', '5')
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^Adire \(\d+\) has a year of invoices up to \d{4}-\d\d-\d\d: 50\.\n/)
  expect(stdout).toContain('none were sent')
  expect(stdout).not.toContain('its own logo')
  expect(stdout).not.toContain('sign in')
  expect(stdout).not.toContain('sk_')
})

test('1 for a future day, without a new business', async () => {
  const businesses = () => db.many`select id from businesses`
  const before = await businesses()
  const ended = await tradepost('seed', '--new', 'Early', '--until', '2999-01-01')
  expectRefused(ended, 1, 'the history cannot end in the future (2999-01-01)')
  expect(await businesses()).toEqual(before)
})

test('0 prints the keys before there is any data, in case it is interrupted', async () => {
  const wanted = ['--rows', '20', '--until', '2026-03-01']
  const { texts, ended } = beginHere(['seed', '--new', 'Patient', ...wanted], env)
  await vi.waitUntil(() => texts.stdout.includes('live key'), { timeout: 60_000 })
  const [, id] = /Patient \((\d+)\)/.exec(texts.stdout)!
  expect(await db.many`select id from invoices where business_id = ${Number(id)}`).toEqual([])
  const { status, stdout } = await ended
  expect([status, stdout.match(/live key/g)]).toEqual([0, ['live key']])
  expect(stdout).toMatch(/sign in +kemi\.adeyemi\.\d+@example\.com with \w{20}\n/)
})

test.each([
  [['--rows', '0'], 'from 1 to 1000000'],
  [['--rows', '1000001'], 'from 1 to 1000000'],
  [['--seed', '4294967296'], 'from 0 to 4294967295'],
  [['--until', '2026-02-30'], 'a valid date in the form YYYY-MM-DD'],
  [['--live'], 'demo data can only be created in test mode'],
  [['--new', 'Ada', '--business', '1'], '--new cannot be combined with --business'],
  [['--new', ' '], 'NAME must be a single line of 1 to 200 characters'],
])('2 for %j, with a one-line error', async (args, says) => {
  expectRefused(await tradepost('seed', ...args), 2, says)
})
