import { type EncryptedColumn, encryptOld } from '../encryption/columns.ts'
import type { Keyring } from '../encryption/keyring.ts'
import type { Job } from './jobs.ts'

/**
 * Encrypts secrets that an earlier version stored in plain text, or with a key in the database. No
 * index finds them, so it seldom looks for them once there are none.
 */
export const secretJob = (keyring: Keyring, columns: readonly EncryptedColumn[]): Job => ({
  name: 'encrypt-secrets',
  everyMs: 3_600_000,
  async run(db, _now, only) {
    if (only !== undefined) return 0
    let count = 0
    let failure: unknown
    for (const column of columns) {
      try {
        count += await encryptOld(db, keyring, column)
      } catch (error) {
        failure = error
      }
    }
    // What can be encrypted comes first.
    if (count === 0 && failure) throw failure
    return count
  },
})
