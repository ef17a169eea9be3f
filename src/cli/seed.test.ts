import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, inject, test } from 'vitest'
import { testDatabase } from '../../test/harness.ts'

const BIN = resolve('bin/tradepost.js')
const { name, db } = await testDatabase()
const { user, password, host, port } = inject('cluster').owner
const DATABASE_URL = `postgres://${user}:${password}@localhost:${port}/${name}?host=${host}`

const DATA_DIR = await mkdtemp(join(tmpdir(), 'tradepost-seed-'))
afterAll(() => rm(DATA_DIR, { recursive: true, force: true }))

interface Ended {
  status: unknown
  stdout: string
  stderr: string
}

function tradepost(...args: string[]): Promise<Ended> {
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, NO_COLOR: '1', DATABASE_URL, DATA_DIR }
  return new Promise((end) => {
    execFile(process.execPath, [BIN, ...args], { env }, (error, stdout, stderr) =>
      end({ status: error?.code ?? 0, stdout, stderr }),
    )
  })
}

test('1 says how to begin while there is no business', async () => {
  expect(await tradepost('seed')).toEqual({
    status: 1,
    stdout: '',
    stderr: 'error: there is no business yet: tradepost seed --new NAME\n',
  })
})

test('0 makes a business with its shop, whose books are right, and not twice', async () => {
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
  })
  const [business] = await db.many<{ created_at: Date; live: number }>`
    select created_at, (select count(*) from invoices where live) as live from businesses`
  expect(business).toEqual({ created_at: new Date('2025-02-28T23:00:00Z'), live: 0 })
  const { n } = await db.one<{ n: number }>`
    select count(*) as n from orders where status in ('Paid', 'Refunded')`
  expect(n).toBe(3)
  expect(await tradepost('audit')).toMatchObject({ status: 0 })

  const whose = ['--business', String(made.businessId)]
  const again = await tradepost('seed', ...whose, ...wanted)
  expect([again.status, again.stdout]).toEqual([1, ''])
  expect(again.stderr).toMatch(/^error: the shop of seed 4 is there already: [^\n]+\n$/)
})

test('0 adds another shop to the first business, and says what was made', async () => {
  const { status, stdout, stderr } = await tradepost('seed', '--rows', '50', '--seed', '5')
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^Adire \(\d+\) has a year of invoices until \d{4}-\d\d-\d\d: 50\.\n/)
  expect(stdout).toContain('none was sent')
  expect(stdout).not.toContain('a logo')
  expect(stdout).not.toContain('sk_')
})

test.each([
  [['--rows', '0'], 'from 1 to 1000000'],
  [['--rows', '1000001'], 'from 1 to 1000000'],
  [['--seed', '4294967296'], 'from 0 to 4294967295'],
  [['--until', '2026-02-30'], 'a day that exists'],
  [['--live'], 'live books take no invented money'],
  [['--new', 'Ada', '--business', '1'], '--new goes with no --business'],
  [['--new', ' '], 'NAME must have 1 to 200 characters'],
])('2 for %j, in one line', async (args, says) => {
  const { status, stdout, stderr } = await tradepost('seed', ...args)
  expect([status, stdout]).toEqual([2, ''])
  expect(stderr).toContain(says)
  expect(stderr).toMatch(/^error: [^\n]+\n$/)
})
