import { Secret, TOTP } from 'otpauth'
import { encode } from 'uqr'
import type { Database, Db } from '../../db/database.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import { conflict, Problem } from '../../lib/problem.ts'
import { randomText } from '../../lib/tokens.ts'
import type { PersonRow } from './queries.ts'
import {
  updatePending,
  updateRecovery,
  updateRecoveryUsed,
  updateStepUsed,
  updateTotpOff,
  updateTotpOn,
} from './queries-sessions.ts'
import { aboutTotp, readTotp } from './secrets.ts'
import { hashOf } from './sessions.ts'

const ISSUER = 'Tradepost'
const PERIOD_SECONDS = 30
/**
 * Codes from this many steps before or after the current one are accepted, because phone clocks
 * differ.
 */
const WINDOW = 1
const SECRET_BYTES = 20
const RECOVERY_CODES = 10

/**
 * Starts the setup of an app. Returns its secret, the URL that apps read, and the dark modules of
 * its QR code, row by row. Nothing changes until a code confirms the setup. Throws
 * `two_factor_state` (409) if two-factor authentication is already on.
 */
export async function startTwoFactorSetup(
  { db, keyring }: { db: Database; keyring: Keyring },
  person: PersonRow,
) {
  if (person.totp_secret) throw isOn()
  const secret = new Secret({ size: SECRET_BYTES })
  await db.transaction(async (tx) => {
    const pending = await keyring.encrypt(tx, aboutTotp(person.id), secret.base32)
    await updatePending(tx, person.id, pending)
  })
  const url = totpOf(secret.base32, person.email).toString()
  const { size, data } = encode(url, { ecc: 'M', border: 0 })
  return { secret: secret.base32, url, qr: { size, rows: data.map(rowOf) } }
}

/** `1101…`, with 1 for a dark module. */
const rowOf = (row: readonly boolean[]) => row.map((isDark) => (isDark ? '1' : '0')).join('')

/**
 * Turns two-factor authentication on with the first code from the pending app. Returns the recovery
 * codes, which are not shown again. Throws `two_factor_state` (409) and `code_wrong` (401).
 */
export async function confirmTwoFactor(
  db: Db,
  keyring: Keyring,
  person: PersonRow,
  code: string,
  now: Date,
): Promise<string[]> {
  if (person.totp_secret || !person.totp_pending) throw isOn()
  const secret = await readTotp(db, keyring, person.id, person.totp_pending)
  const step = stepOf(totpOf(secret, person.email), code, now)
  if (step === undefined) throw codeWrong()
  const codes = newCodes()
  const { id, totp_changes: changes } = person
  const isTurned = await updateTotpOn(db, id, { changes, step, hashes: codes.map(hashOfCode), now })
  if (!isTurned) throw isOn()
  return codes
}

/** Returns ten new recovery codes that replace the old ones. Throws `two_factor_state` (409). */
export async function renewCodes(db: Db, person: PersonRow, now: Date): Promise<string[]> {
  const codes = newCodes()
  if (!(await updateRecovery(db, person.id, codes.map(hashOfCode), now))) throw isOff()
  return codes
}

/**
 * Removes the app and its recovery codes. Throws `two_factor_state` (409) if two-factor
 * authentication is off.
 */
export async function removeTwoFactor(db: Db, personId: number, now: Date): Promise<void> {
  if (!(await updateTotpOff(db, personId, now))) throw isOff()
}

/**
 * Accepts an app code or a recovery code, which can't be used again. Returns whether it was right.
 */
export async function spendCode(
  { db, keyring }: { db: Db; keyring: Keyring },
  person: PersonRow,
  code: string,
  now: Date,
): Promise<boolean> {
  if (!person.totp_secret) return false
  if (!/^\s*\d{3}\s?\d{3}\s*$/.test(code))
    return updateRecoveryUsed(db, person.id, hashOfCode(code))
  const secret = await readTotp(db, keyring, person.id, person.totp_secret)
  const step = stepOf(totpOf(secret, person.email), code, now)
  return step !== undefined && updateStepUsed(db, person, step)
}

const totpOf = (secret: string, email: string) =>
  new TOTP({ issuer: ISSUER, label: email, secret, period: PERIOD_SECONDS })

function stepOf(totp: TOTP, code: string, now: Date): number | undefined {
  const timestamp = now.getTime()
  const token = code.replace(/\s/g, '')
  const delta = totp.validate({ token, window: WINDOW, timestamp })
  return delta === null ? undefined : totp.counter({ timestamp }) + delta
}

/** `Ab3d-9xYz-…`: 16 of 62 characters give 95 bits. */
const newCodes = () =>
  Array.from({ length: RECOVERY_CODES }, () => randomText(16).match(/.{4}/g)!.join('-'))

const hashOfCode = (code: string) => hashOf(code.replace(/[\s-]/g, ''))

export const codeNeeded = () =>
  new Problem('unauthenticated', 'code_needed', 'A code from your authenticator app is required.')

export const codeWrong = () =>
  new Problem('unauthenticated', 'code_wrong', 'The code is wrong or has already been used.')

const isOn = () =>
  conflict(
    'two_factor_state',
    'Two-factor authentication is already on, or you have not started setting it up.',
  )
const isOff = () => conflict('two_factor_state', 'Two-factor authentication is off.')
