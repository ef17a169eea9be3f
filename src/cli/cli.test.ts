import { execFileSync } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../../test/harness.ts'
import { startEmbedded } from '../db/embedded.ts'
import { VERSION } from '../version.ts'
import { databaseSettings, type Ended, expectRefused, openHome } from './cli.fixture.ts'

const { scratch, begin, tradepost, tradepostApart, json, start } = await openHome()

const env = { DATA_DIR: join(scratch, 'new') }

describe('before the first start', () => {
  test('3 without a database, which only some commands create', async () => {
    const apart = await tradepostApart(['business', 'list'], env)
    expectRefused(apart, 3, `there is no database in ${env.DATA_DIR}`)
    for (const command of [['keys', 'list'], ['people', 'list'], ['audit']]) {
      expectRefused(await tradepost(command, env), 3, `there is no database in ${env.DATA_DIR}`)
      expect(existsSync(env.DATA_DIR)).toBe(false)
    }
  })

  test('0 creates a business, and its keys work on a server that starts later', async () => {
    const ended = await tradepostApart(['business', 'create', 'Ada Ventures', '--json'], env)
    expect([ended.status, ended.stderr]).toEqual([0, ''])
    const made = JSON.parse(ended.stdout)
    expect(made).toEqual({
      businessId: expect.any(Number),
      name: 'Ada Ventures',
      keys: {
        testSecret: expect.stringMatching(/^sk_test_/),
        testPublic: expect.stringMatching(/^pk_test_/),
        liveSecret: expect.stringMatching(/^sk_live_/),
        livePublic: expect.stringMatching(/^pk_live_/),
      },
    })
    const server = await start(env)
    expect(await server.statusOf(made.keys.testSecret)).toBe(200)
    // Anything but a terminal could be a log that others read.
    expect(server.told()).toContain('npx tradepost business owner-link')
    expect(server.told()).not.toContain('token=')
    expect(await server.stop()).toBe(0)
  })

  test('0 creates a link with which one email address signs up as the owner', async () => {
    const owner = ['--owner', 'Ada@example.com']
    const made = await json(['business', 'create', 'Second Ventures', ...owner], env)
    expect(made.ownerLink).toMatch(/\/sign-up\?token=\w{43}$/)
    const server = await start(env)
    // With a second business, the hint covers both.
    expect(server.told()).toContain('npx tradepost business owner-link --business ID')
    const link = async (url: string) => {
      const token = new URL(url).searchParams.get('token')
      const answer = await fetch(`${server.url}/console/link?token=${token}`)
      return { status: answer.status, body: (await answer.json()) as { data: { email: string } } }
    }
    expect((await link(made.ownerLink)).body.data.email).toBe('ada@example.com')
    const whose = ['--business', String(made.businessId), '--email', 'bola@example.com']
    const again = await tradepost(['business', 'owner-link', ...whose], env)
    expect((await link(again.stdout.trim())).body.data.email).toBe('bola@example.com')
    expect((await link(made.ownerLink)).status).toBe(404)
    const wrong = await tradepost(['business', 'create', 'Third', '--owner', 'nobody'], env)
    expect([wrong.status, wrong.stderr]).toEqual([2, expect.stringContaining('email address')])
    expect(await server.stop()).toBe(0)
  })
})

test('0 prints hints with the command as it was run', async () => {
  const onPath = join(scratch, 'tradepost')
  symlinkSync(resolve('bin/tradepost.js'), onPath)
  const server = await start(env, ['--web'], onPath)
  expect(server.told()).toContain('run them with: tradepost start --worker')
  expect(await server.stop()).toBe(0)
})

test('0 stops once if Ctrl-C arrives twice: from the terminal and through npm', async () => {
  const server = await start(env)
  // The system can merge two signals of one kind.
  expect(await server.stop('SIGINT', 'SIGTERM')).toBe(0)
  expect(existsSync(join(env.DATA_DIR, 'postgres/cluster/postmaster.pid'))).toBe(false)
})

test('0 runs with limits on its memory, with the same process id', async () => {
  const server = await start(env)
  const command = execFileSync('ps', ['-o', 'args=', '-p', String(server.pid)], {
    encoding: 'utf8',
  })
  expect(command).toContain('--max-semi-space-size=16 --heap-growing-percent=100')
  expect(await server.stop()).toBe(0)
})

test('0 silently if the reader of the output stops reading', async () => {
  const { promise, resolve: end } = Promise.withResolvers<Omit<Ended, 'stdout'>>()
  const child = begin(['--help'], {})
  child.stdout?.destroy()
  let stderr = ''
  child.stderr?.on('data', (chunk) => (stderr += chunk))
  child.once('close', (status) => end({ status, stderr }))
  expect(await promise).toEqual({ status: 0, stderr: '' })
})

describe('while the server runs', async () => {
  const server = await start()
  afterAll(async () => {
    expect(await server.stop()).toBe(0)
  })
  const business = await json(['business', 'create', 'Ada Ventures', '--email', 'ada@example.com'])
  const whose = ['--business', String(business.businessId)]

  test('0 creates a business that the server knows immediately', async () => {
    expect(await server.statusOf(business.keys.testSecret)).toBe(200)
    const listed = await json(['business', 'list'])
    expect(listed).toHaveLength(2)
    expect(listed[1]).toMatchObject({
      businessId: business.businessId,
      name: 'Ada Ventures',
      email: 'ada@example.com',
    })
  })

  test('0 creates a key limited to the given scopes', async () => {
    const asked = ['--label', 'shop', '--scopes', 'wallet:read', '--scopes', 'events:read']
    const limits = ['--ip', '127.0.0.1,10.0.0.0/8', '--expires-in', '90d']
    const { key, ...record } = await json(['keys', 'create', ...whose, ...asked, ...limits])

    expect(record).toMatchObject({
      mode: 'test',
      label: 'shop',
      scopes: ['wallet:read', 'events:read'],
      allowedIps: ['127.0.0.1', '10.0.0.0/8'],
    })
    expect(Date.parse(record.expiresAt) - Date.parse(record.createdAt)).toBe(90 * 86_400_000)
    expect(await server.statusOf(key)).toBe(403)
    const listed = await json(['keys', 'list', ...whose, '--mode', 'test'])
    expect(listed.map(({ id }: { id: number }) => id)).toContain(record.id)
    expect(JSON.stringify(listed)).not.toContain(key)
  })

  test('0 revokes a key, and the server refuses it within a second', async () => {
    const { key, id } = await json(['keys', 'create', ...whose, '--mode', 'live'])
    expect(key).toMatch(/^sk_live_/)
    expect(await server.statusOf(key)).toBe(200)
    const revoked = await json(['keys', 'revoke', String(id), ...whose])
    await sleep(1_000)

    expect(revoked).toMatchObject({ id, status: 'Revoked' })
    expect(await server.statusOf(key)).toBe(401)
  })

  test('0 rotates a key by its reference, and both work during the overlap', async () => {
    const old = await json(['keys', 'create', ...whose, '--label', 'shop'])
    const next = await json(['keys', 'rotate', old.reference, ...whose, '--grace-hours', '1'])

    expect(next.replaced).toMatchObject({ id: old.id, status: 'Replaced', replacedBy: next.id })
    expect([await server.statusOf(old.key), await server.statusOf(next.key)]).toEqual([200, 200])
    const again = await tradepost(['keys', 'rotate', old.reference, ...whose])
    expect([again.status, again.stderr]).toEqual([
      1,
      'error: This key is Replaced. Only an Active key can be rotated.\n',
    ])
  })

  test('0 changes fees and restores the defaults', async () => {
    const id = String(business.businessId)
    const change = [
      '--percent',
      '1.25',
      '--flat',
      '50',
      '--waived-below',
      '1000',
      '--cap',
      '1500.50',
    ]
    const changed = await json(['business', 'fees', id, ...change])
    expect(changed).toMatchObject({
      isDefault: false,
      collections: { percent: '1.25', flat: '50.00', waivedBelow: '1000.00', cap: '1500.50' },
    })
    const part = await json(['business', 'fees', id, '--percent', '2'])
    expect(part.collections).toMatchObject({ percent: '2', flat: '50.00', cap: '1500.50' })
    expect(await json(['business', 'fees', id])).toEqual(part)
    const { isDefault, collections } = await json(['business', 'fees', id, '--reset'])
    expect([isDefault, collections.percent, collections.cap]).toEqual([true, '1.5', '2000.00'])
  })

  test('0 changes the fees of one channel and of transfers, and nothing else', async () => {
    const fees = ['business', 'fees', String(business.businessId)]
    const before = await json(fees)
    const ussd = await json([...fees, '--channel', 'USSD', '--percent', '1', '--flat', '0'])
    const rule = { percent: '1', flat: '0.00', waivedBelow: '2500.00', cap: '2000.00' }
    expect(ussd).toEqual({ ...before, isDefault: false, channels: { USSD: rule } })
    const tiers = await json([...fees, '--transfer', '1000:5, 20000.50:15, *:40'])
    expect(tiers).toEqual({
      ...ussd,
      transfers: [
        { upTo: '1000.00', fee: '5.00' },
        { upTo: '20000.50', fee: '15.00' },
        { upTo: null, fee: '40.00' },
      ],
    })
    expect(await json(fees)).toEqual(tiers)
    const shown = (await tradepost(fees)).stdout
    expect(shown).toMatch(/USSD +1 % \+ ₦0/)
    expect(shown).toMatch(/transfers +₦5.00 up to ₦1,000.00, .*, ₦40.00 above that\n/)
    const flat = await tradepost([...fees, '--transfer', '*:0'])
    expect(flat.stdout).toMatch(/transfers +₦0.00\n/)
    await json([...fees, '--transfer', '1000:5, 20000.50:15, *:40'])
    const card = await json([...fees, '--channel', 'CARD', '--cap', '10'])
    expect(Object.keys(card.channels)).toEqual(['USSD', 'CARD'])
    await json([...fees, '--channel', 'CARD', '--default'])
    const less = await json([...fees, '--channel', 'USSD', '--default'])
    expect(less).toEqual({ ...tiers, channels: {} })
    expect(await json([...fees, '--reset'])).toEqual(before)
  })

  test('0 reports the machine, the database and the port of the server as fine', async () => {
    const port = new URL(server.url).port
    const { ok, checks } = await json(['doctor'], { PORT: port })

    expect(ok).toBe(true)
    const said = checks.map(({ name, says }: { name: string; says: string }) => `${name}: ${says}`)
    expect(said).toContain(`port: Tradepost is already running at 127.0.0.1:${port}`)
    expect(said).toContain('schema: up to date')
    expect(said.join()).toMatch(/database: PostgreSQL 18/)
  })

  test('1 reports a wrong row in the books, and 0 if there is none', async () => {
    expect(await json(['audit'])).toMatchObject({ checks: expect.any(Number), findings: [] })
    const { statusCode, account } = await withOwner(async (client) => {
      const { rows } = await client.query(
        `update ledger_accounts set credits_minor = credits_minor + 1
         where business_id = $1 and kind = 'wallet_available' returning id`,
        [business.businessId],
      )
      const ended = await tradepost(['audit'])
      await client.query(
        'update ledger_accounts set credits_minor = credits_minor - 1 where id = $1',
        [rows[0].id],
      )
      return { statusCode: ended, account: rows[0].id }
    })
    expect(statusCode.status).toBe(1)
    expect(statusCode.stdout).toContain(
      `ledger_accounts ${account} of business ${business.businessId} (test)`,
    )
  })
})

describe('wrong usage', () => {
  // Each is refused before the database is opened, or with a database that has a business.
  test.each([
    [['nonsense'], "unknown command 'nonsense'"],
    [['keys', 'nonsense'], "unknown command 'nonsense'"],
    [['business', 'create'], "missing required argument 'NAME'"],
    [['business', 'create', 'Ada', '--bogus'], "unknown option '--bogus'"],
    [['business', 'create', ' '], 'NAME must be a single line of 1 to 200 characters'],
    [['business', 'create', 'Ada', '--email', 'ada'], '--email must be an email address'],
    [['business', 'fees', 'x'], 'It must be a number.'],
    [['business', 'fees', '1', '--percent', '101'], 'It must be from 0 to 100'],
    [['business', 'fees', '1', '--flat', '0.001'], 'at most 2 decimals'],
    [['business', 'fees', '1', '--channel', 'OFFLINE', '--percent', '1'], 'Allowed choices are'],
    [['business', 'fees', '1', '--channel', 'USSD'], '--channel requires at least one fee'],
    [['business', 'fees', '1', '--default'], '--default requires --channel'],
    [
      ['business', 'fees', '1', '--channel', 'USSD', '--default', '--cap', '1'],
      '--default cannot be combined',
    ],
    [['business', 'fees', '1', '--transfer', '5:1'], 'with * for the rest'],
    [['business', 'fees', '1', '--transfer', '5:1,5:2,*:3'], 'ascending'],
    [['business', 'fees', '1', '--transfer', '*:3,5:1'], 'ascending'],
    [['business', 'fees', '1', '--transfer', '5,*:3'], 'It must be a list such as 5000:10'],
    [['business', 'fees', '1', '--transfer', 'x:1,*:3'], 'It must be'],
    [['business', 'fees', '1', '--flat', '1', '--reset'], '--reset cannot be combined'],
    [['keys', 'create', '--mode', 'real'], 'Allowed choices are test, live.'],
    [['keys', 'create', '--expires-in', '90'], 'It must be a duration such as 90d'],
    [['keys', 'rotate', '1', '--grace-hours', '1.5'], 'a whole number of hours'],
  ])('2 for %j, with a one-line error', async (args, says) => {
    expectRefused(await tradepost(args), 2, says)
  })

  test('2 and 1 as the exit status of a process too', async () => {
    expectRefused(await tradepostApart(['nonsense']), 2, "unknown command 'nonsense'")
    const wrong = await tradepostApart(['keys', 'list'], { PORT: 'x' })
    expectRefused(wrong, 1, 'PORT must be a whole number')
  })

  test.each([
    [{ PORT: 'x' }, 'PORT must be a whole number'],
    [{ DATABASE_URL: 'postgres://127.0.0.1:1/x' }, 'the database is unavailable'],
  ])('1 with the settings %j, with a one-line error', async (env, says) => {
    expectRefused(await tradepost(['keys', 'list'], env), 1, says)
  })

  test('0 for help and version', async () => {
    expect(await tradepostApart(['--version'])).toEqual({
      status: 0,
      stdout: `${VERSION}\n`,
      stderr: '',
    })
    for (const command of [[], ['keys', 'create'], ['business', 'fees'], ['start'], ['doctor']]) {
      const { status, stdout } = await tradepost([...command, '--help'])
      expect(status).toBe(0)
      expect(stdout).toMatch(/^Usage: tradepost/)
      expect(stdout).toContain('Examples:')
    }
  })
})

test('0 works with a database from DATABASE_URL', async () => {
  const { name } = await testDatabase()
  const env = databaseSettings(name)
  const made = await json(['business', 'create', 'Ada Ventures'], env)

  expect(await json(['business', 'list'], env)).toMatchObject([{ businessId: made.businessId }])
  const { checks } = await json(['doctor'], env)
  const names = checks.map(({ name }: { name: string }) => name)
  // Files are stored on this machine all the same.
  expect(names).toEqual(expect.arrayContaining(['data', 'disk', 'database']))
  expect(names).not.toContain('socket')
})

/** Works as the owner of the tables of the running server. */
async function withOwner<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const log = { info() {}, warn() {}, error() {} }
  const embedded = await startEmbedded({ dataDir: join(scratch, 'data'), log })
  const client = new pg.Client({ ...embedded.config('owner') })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
    await embedded.stop()
  }
}
