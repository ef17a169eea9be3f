import type { Db } from '../db/database.ts'

export const updatePending = (db: Db, id: number, pending: Buffer) =>
  db.run`update people set totp_pending = ${pending} where id = ${id} and totp_secret is null`

/** Turns it on, once, if the app is still the one that the code is of. */
export const updateTotpOn = async (
  db: Db,
  id: number,
  { pending, step, hashes, now }: { pending: Buffer; step: number; hashes: Buffer[]; now: Date },
): Promise<boolean> =>
  (await db.run`
    update people set totp_secret = totp_pending, totp_pending = null, totp_step = ${step},
      recovery_hashes = ${hashes}::bytea[], updated_at = ${now}
    where id = ${id} and totp_secret is null and totp_pending = ${pending}`) > 0

export const updateTotpOff = async (db: Db, id: number, now: Date): Promise<boolean> =>
  (await db.run`
    update people set totp_secret = null, totp_step = null, recovery_hashes = '{}',
      updated_at = ${now}
    where id = ${id} and totp_secret is not null`) > 0

/** Ends a time step of the secret, and all before it; answers false when it was over already. */
export const updateStepUsed = async (
  db: Db,
  id: number,
  secret: Buffer,
  step: number,
): Promise<boolean> =>
  (await db.run`
    update people set totp_step = ${step}
    where id = ${id} and totp_secret = ${secret} and totp_step < ${step}`) > 0

export const updateRecovery = async (
  db: Db,
  id: number,
  hashes: Buffer[],
  now: Date,
): Promise<boolean> =>
  (await db.run`
    update people set recovery_hashes = ${hashes}::bytea[], updated_at = ${now}
    where id = ${id} and totp_secret is not null`) > 0

/** Uses a recovery code up; answers whether there was such a one. */
export const updateRecoveryUsed = async (db: Db, id: number, hash: Buffer): Promise<boolean> =>
  (await db.run`
    update people set recovery_hashes = array_remove(recovery_hashes, ${hash}::bytea)
    where id = ${id} and totp_secret is not null and ${hash}::bytea = any(recovery_hashes)`) > 0
