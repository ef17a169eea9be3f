import type { Db } from './database.ts'

/** What the server keeps a key for. */
export type SecretName = 'cursor' | 'people'

const known = new WeakMap<object, Map<SecretName, Promise<Buffer>>>()

/** A key of 32 bytes that every process on this database shares; read once by each. */
export function serverSecret(db: Db, name: SecretName): Promise<Buffer> {
  const ours = known.get(db) ?? new Map<SecretName, Promise<Buffer>>()
  known.set(db, ours)
  let secret = ours.get(name)
  if (!secret) {
    secret = read(db, name)
    ours.set(name, secret)
    secret.catch(() => ours.delete(name))
  }
  return secret
}

async function read(db: Db, name: SecretName): Promise<Buffer> {
  const { value } = await db.one<{ value: Buffer }>`
    select value from server_secrets where name = ${name}`
  return value
}
