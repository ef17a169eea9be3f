import { expect, test } from 'vitest'
import { testDatabase } from '../../test/harness.ts'
import { ENCRYPTION_KEY } from '../../test/keyring.ts'
import { ENCRYPTED_COLUMNS } from '../app/encrypted.ts'
import { createBusiness } from '../business/account/bootstrap.ts'
import { valuesIn } from '../encryption/columns.ts'
import { openKeyring } from '../encryption/keyring.ts'
import { rekey } from '../encryption/rekey.ts'
import { keysInText } from '../encryption/server-keys.ts'
import { findCredentials, providerCredentials, storeCredential } from './credentials.ts'
import { addSecret, connect } from './providers.fixture.ts'

const database = await testDatabase()
const { db, ids, keyring, clock } = database
const { businessId } = await db.transaction((tx) =>
  createBusiness(tx, { ids, keyring }, { name: 'Shop', now: clock.now() }),
)
const found = (connectionId: number, ring = keyring) =>
  findCredentials({ db, keyring: ring, clock }, connectionId)

test('a new value replaces the one before, which still counts for signatures for a while', async () => {
  const connectionId = await connect(database, businessId)
  const at = clock.now()
  const minutes = (n: number) => new Date(at.getTime() + n * 60_000)
  const store = (value: string, formerUntil: Date) =>
    db.transaction((tx) =>
      storeCredential(tx, keyring, {
        connectionId,
        name: 'secret_key',
        value,
        now: at,
        formerUntil,
      }),
    )
  await store('first', minutes(5))
  await store('second', minutes(5))
  await store('third', minutes(60))
  const one = await found(connectionId)
  expect(one.current('secret_key')).toBe('third')
  expect(one.accepted('secret_key')).toEqual(['third', 'second', 'first'])
  clock.advance(10 * 60_000)
  expect((await found(connectionId)).accepted('secret_key')).toEqual(['third', 'second'])
  expect(() => one.current('secret_hash')).toThrow(`connection ${connectionId} has no secret_hash`)
})

test('rekey writes the values of every connection again, also where there are more than a page', async () => {
  const before = new Map<number, readonly string[]>()
  for (let i = 0; i < 205; i++) {
    const id = await connect(database, businessId)
    await addSecret(database, id, `key-${i}`)
    if (i % 50 === 0) await addSecret(database, id, `old-${i}`, 2, new Date(Date.now() + 1e9))
    before.set(id, (await found(id)).accepted('secret_key'))
  }
  let count = 0
  for await (const rows of valuesIn(db, providerCredentials)) count += rows.length
  expect(count).toBeGreaterThanOrEqual(205 + 5)

  const keys = keysInText('KEYS', ENCRYPTION_KEY)
  const { values } = await rekey(db, openKeyring(keys), keys, ENCRYPTED_COLUMNS)
  expect(values['provider_credentials.encrypted']).toBe(count)
  const fresh = openKeyring(keys)
  for (const [id, expected] of before) {
    expect((await found(id, fresh)).accepted('secret_key')).toEqual(expected)
  }
})
