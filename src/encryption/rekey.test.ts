import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { startServer, testDatabase } from '../../test/harness.ts'
import { ENCRYPTION_KEY } from '../../test/keyring.ts'
import { openReceiver } from '../../test/webhook-receiver.ts'
import { ENCRYPTED_COLUMNS } from '../app/encrypted.ts'
import { createBusiness } from '../business/account/bootstrap.ts'
import { redirectSecretOf } from '../business/account/service.ts'
import {
  browserAt,
  codeAt,
  emailTo,
  memberOf,
  PASSWORD,
  tokenIn,
  turnTwoFactorOn,
} from '../business/people/people.fixture.ts'
import {
  deliveriesOf,
  endpointAt,
  sendDue,
  tellEvents,
} from '../developers/webhooks/webhooks.fixture.ts'
import { type EncryptedColumn, valuesIn } from './columns.ts'
import { openKeyring } from './keyring.ts'
import { rekey } from './rekey.ts'
import { keysInFile, keysInText, type ServerKeys } from './server-keys.ts'

const folder = await mkdtemp(join(inject('fastestFolder'), 'tradepost-rekey-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const NEW = Buffer.alloc(32, 'new').toString('base64')
const oneKey = keysInText('KEYS', ENCRYPTION_KEY)

type Database = Awaited<ReturnType<typeof testDatabase>>

const keysIn = ({ db }: Pick<Database, 'db'>) =>
  db.many<{ id: number; purpose: string; is_retired: boolean }>`
    select id, purpose, retired_at is not null as is_retired from encryption_keys order by id`

/** A database with as many businesses, each with two secrets. */
async function withBusinesses(count: number) {
  const database = await testDatabase()
  const { db, ids, keyring, clock } = database
  const businesses: number[] = []
  for (let i = 0; i < count; i++) {
    const made = await db.transaction((tx) =>
      createBusiness(tx, { ids, keyring }, { name: `Shop ${i}`, now: clock.now() }),
    )
    businesses.push(made.businessId)
  }
  const secrets = (ring = keyring) =>
    Promise.all(
      businesses.flatMap((businessId) =>
        [false, true].map((live) => redirectSecretOf(db, ring, { businessId, live })),
      ),
    )
  const run = (keys: ServerKeys = oneKey, columns = ENCRYPTED_COLUMNS) =>
    rekey(db, openKeyring(keys), keys, columns)
  return { ...database, secrets, run }
}

describe('a new key', () => {
  test('replaces the one in the database; the server’s own key stays', async () => {
    const { secrets, run, ...database } = await withBusinesses(2)
    const before = await secrets()
    const done = await run()
    expect(done).toMatchObject({ isContinued: false, before: done.now })
    expect(done.values['business_settings.redirect_secret_encrypted']).toBe(4)
    expect(await keysIn(database)).toEqual([
      { id: 2, purpose: 'search', is_retired: false },
      { id: 3, purpose: 'data', is_retired: false },
    ])
    expect(await secrets()).toEqual(before)
    expect((await run()).values['business_settings.redirect_secret_encrypted']).toBe(4)
    expect(await secrets()).toEqual(before)
  })

  test('in front of the old one takes over; then the old one is not needed', async () => {
    const { db, secrets, run } = await withBusinesses(1)
    const before = await secrets()
    const onlyNew = () => openKeyring(keysInText('KEYS', NEW))
    await expect(onlyNew().load(db)).rejects.toThrow('restore that key')
    const both = keysInText('KEYS', `${NEW},${ENCRYPTION_KEY}`)
    // A server that was started with both keys, and one that was not restarted in time.
    const restarted = openKeyring(both)
    await restarted.load(db)
    const done = await run(both)
    expect(done.before).not.toBe(done.now)
    expect(await secrets(restarted)).toEqual(before)
    await expect(secrets(openKeyring(oneKey))).rejects.toThrow('restore that key')
    await onlyNew().load(db)
    expect(await secrets(onlyNew())).toEqual(before)
  })

  test('is added to a file, which running servers read again', async () => {
    const { db, secrets } = await withBusinesses(1)
    const before = await secrets()
    const path = join(folder, 'keys')
    const file = keysInFile(path, true)
    await file.create!()
    const [first] = (await readFile(path, 'utf8')).trim().split('\n')
    // Moves the database from the tests' key to that of the file.
    const moving = keysInText('KEYS', `${first},${ENCRYPTION_KEY}`)
    await rekey(db, openKeyring(moving), moving, ENCRYPTED_COLUMNS)
    const running = openKeyring(file)
    await running.load(db)
    const done = await rekey(db, openKeyring(file), file, ENCRYPTED_COLUMNS)
    expect(done.before).not.toBe(done.now)
    expect((await readFile(path, 'utf8')).trim().split('\n')).toEqual([expect.any(String), first])
    expect(await secrets(running)).toEqual(before)
  })
})

describe('an interrupted run', () => {
  /** Fails at the given replacement of a value. */
  const failingAt = (limit: number): EncryptedColumn[] => {
    let count = 0
    return ENCRYPTED_COLUMNS.map((column) => ({
      ...column,
      async update(tx, row, value) {
        if (++count === limit) throw new Error('the power is gone')
        return column.update(tx, row, value)
      },
    }))
  }

  test.each([1, 2])('goes on, with nothing lost and no third key (%i)', async (limit) => {
    const { secrets, run, ...database } = await withBusinesses(2)
    const before = await secrets()
    await expect(run(oneKey, failingAt(limit))).rejects.toThrow('the power is gone')
    expect(await keysIn(database)).toMatchObject([{ id: 1 }, { id: 2 }, { id: 3 }])
    expect(await secrets()).toEqual(before)
    expect(await run()).toMatchObject({ isContinued: true })
    expect(await keysIn(database)).toMatchObject([{ id: 2 }, { id: 3 }])
    expect(await secrets()).toEqual(before)
  })

  test('of two at once, one is refused', async () => {
    const { secrets, run, ...database } = await withBusinesses(3)
    const before = await secrets()
    const begun = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const slowly = ENCRYPTED_COLUMNS.map((column) => ({
      ...column,
      async update(...replacement: Parameters<typeof column.update>) {
        begun.resolve()
        await held.promise
        return column.update(...replacement)
      },
    }))
    const first = run(oneKey, slowly)
    await begun.promise
    await expect(run()).rejects.toThrow(/already/)
    held.resolve()
    await first
    expect((await keysIn(database)).map(({ purpose }) => purpose).sort()).toEqual([
      'data',
      'search',
    ])
    expect(await secrets()).toEqual(before)
  })
})

test('a value written with the old key by a slow transaction is found', async () => {
  const { db, keyring, secrets, run, ...database } = await withBusinesses(1)
  const before = await secrets()
  const held = Promise.withResolvers<void>()
  const encrypted = Promise.withResolvers<void>()
  const slow = db.transaction(async (tx) => {
    const [row] = await tx.many<{ businessId: number }>`select id as "businessId" from businesses`
    const about = `business_settings.redirect_secret ${row!.businessId} test`
    const value = await keyring.encrypt(tx, about, 'rsec_slow')
    encrypted.resolve()
    await held.promise
    await tx.run`
      update business_settings set redirect_secret_encrypted = ${value} where not live`
  })
  await encrypted.promise
  const running = run()
  await expect.poll(async () => (await keysIn({ db })).length).toBe(3)
  held.resolve()
  await Promise.all([slow, running])
  expect(await keysIn({ db, ...database })).toMatchObject([{ id: 2 }, { id: 3 }])
  expect(await secrets()).toEqual(['rsec_slow', before[1]])
})

test('a value that moves to another column while the last ones are looked for is found', async () => {
  const { db, keyring, run, clock } = await withBusinesses(1)
  const about = 'people.totp 1'
  await db.transaction(async (tx) => {
    const pending = await keyring.encrypt(tx, about, 'SECRET')
    await tx.run`
      insert into people (id, email, name, password_hash, totp_pending, created_at, updated_at)
      values (1, 'ada@people.example', 'Ada', '', ${pending}, ${clock.now()}, ${clock.now()})`
  })
  let looks = 0
  const columns = ENCRYPTED_COLUMNS.map((column): EncryptedColumn => {
    let isMissed = column.name === 'people.totp_pending'
    return {
      ...column,
      async select(on, wanted) {
        const rows = await column.select(on, wanted)
        // The person confirms the app right after the second look into the column.
        if (column.name === 'people.totp_secret' && ++looks === 2) {
          await db.run`
            update people set totp_secret = totp_pending, totp_pending = null
            where totp_pending is not null`
        }
        return rows
      },
      async update(tx, row, value) {
        if (!isMissed) return column.update(tx, row, value)
        isMissed = false
        return 0
      },
    }
  })
  await run(oneKey, columns)
  expect(looks).toBeGreaterThan(1)
  const { totp_secret } = await db.one<{ totp_secret: Buffer }>`select totp_secret from people`
  expect(await openKeyring(oneKey).decrypt(db, about, totp_secret)).toBe('SECRET')
})

test('a server without the new key leaves deliveries to servers that have it', async () => {
  const server = await startServer({ jobs: false })
  const receiver = await openReceiver()
  const url = `${receiver.url}/hook`
  const hook = await endpointAt(server, { url, events: ['invoice.created'] })
  const both = keysInText('KEYS', `${NEW},${ENCRYPTION_KEY}`)
  await rekey(server.db, openKeyring(both), both, ENCRYPTED_COLUMNS)
  await tellEvents(server)
  await sendDue(server)
  expect(receiver.received).toEqual([])
  expect(await deliveriesOf(server, hook)).toMatchObject([
    { status: 'Pending', attempt_count: 0, last_error: null, lease_until: expect.any(Date) },
  ])
})

test('everything goes on while keys are replaced', async () => {
  const server = await startServer({ jobs: false })
  const { db, keyring, clock } = server
  const tenant = { businessId: server.business.businessId, live: false }
  const receiver = await openReceiver()
  receiver.answer = (response) => response.end()
  const owner = await memberOf(server, 'owner')
  const { secret: totp } = await turnTwoFactorOn(server, owner)
  const path = '/hook'
  const hook = await endpointAt(server, { url: receiver.url + path, events: ['invoice.created'] })
  const redirect = await redirectSecretOf(db, keyring, tenant)
  const signing = [hook.secret]

  async function signIn(): Promise<number> {
    // A code is accepted only once.
    clock.advance(31_000)
    const credentials = { email: owner.email, password: PASSWORD }
    const code = codeAt(totp, clock.now())
    return (await browserAt(server.url).post('/console/sign-in', { ...credentials, code })).status
  }
  async function rotate(): Promise<number> {
    const at = `/api/user-service/external/v1/webhooks/${hook.reference}/rotate-secret`
    const { status, body } = await server.post(at, { graceHours: 1 })
    signing.push(body.data.secret)
    return status
  }
  async function invite(i: number): Promise<number> {
    const email = `new-${i}@people.example`
    return (await owner.post('/console/team/invite', { email, role: 'viewer' })).status
  }

  const rounds = 5
  let isOver = false
  const rekeying = (async () => {
    let count = 0
    for (; !isOver || count < 2; count++) await rekey(db, keyring, oneKey, ENCRYPTED_COLUMNS)
    return count
  })()
  const statuses: number[] = []
  for (let i = 0; i < rounds; i++) {
    await tellEvents(server)
    statuses.push(...(await Promise.all([signIn(), rotate(), invite(i)])))
    await sendDue(server)
  }
  isOver = true
  expect(await rekeying).toBeGreaterThan(1)
  expect(statuses.filter((status) => status >= 300)).toEqual([])

  const received = receiver.at(path)
  expect(received).toHaveLength(rounds)
  for (const { headers, body } of received) {
    const verified = signing.filter((one) => {
      try {
        return new Webhook(one).verify(body, headers as Record<string, string>)
      } catch {
        return false
      }
    })
    expect(verified.length).toBeGreaterThan(0)
  }
  expect(await redirectSecretOf(db, keyring, tenant)).toBe(redirect)
  const letter = await emailTo(server, 'new-0@people.example')
  const link = await browserAt(server.url).get(`/console/link?token=${tokenIn(letter)}`)
  expect(link.status).toBe(200)

  const current = (await keysIn(server)).find(({ purpose }) => purpose === 'data')!
  let count = 0
  for (const column of ENCRYPTED_COLUMNS) {
    for await (const rows of valuesIn(db, column)) {
      for (const { value, about } of rows) {
        expect(value.readInt32BE(1)).toBe(current.id)
        await keyring.decrypt(db, about, value)
        count++
      }
    }
  }
  expect(count).toBeGreaterThan(rounds)
}, 60_000)
