import type { KeyObject } from 'node:crypto'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { Secret, TOTP } from 'otpauth'
import { encode } from 'uqr'
import type { Database, Db } from '../../db/database.ts'
import { serverSecret } from '../../db/ids.ts'
import type { EncryptedColumn } from '../../encryption/columns.ts'
import { decryptWith, type Keyring } from '../../encryption/keyring.ts'
import { isOwnOrigin, LOOPBACK_NAMES } from '../../http/ip-addresses.ts'
import { addMs } from '../../lib/clock.ts'
import { conflict, Problem } from '../../lib/problem.ts'
import { randomText } from '../../lib/tokens.ts'
import {
  OLD_TOTP_BYTES,
  type PersonRow,
  selectOldTotp,
  selectTotp,
  type TotpColumn,
  updateTotp,
} from './queries.ts'
import {
  consumeChallenge,
  insertChallenge,
  type insertPasskey,
  selectPasskey,
  selectPasskeys,
  updatePasskeyUsed,
  updatePending,
  updateRecovery,
  updateRecoveryUsed,
  updateStepUsed,
  updateTotpOff,
  updateTotpOn,
} from './queries-sessions.ts'
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

/** The same for a pending app and the app that it becomes. */
const aboutTotp = (personId: number): string => `people.totp ${personId}`

/** Decrypts the secret of an app. */
const readTotp = (db: Db, keyring: Keyring, personId: number, value: Buffer) =>
  value.length === OLD_TOTP_BYTES
    ? readOld(db, `totp ${personId}`, value)
    : keyring.decrypt(db, aboutTotp(personId), value)

/** Decrypts a value that a version without the key ring encrypted with a key in the database. */
export async function readOld(db: Db, about: string, value: Buffer): Promise<string> {
  return decryptWith(await serverSecret(db, 'people'), about, value).toString('utf8')
}

function readWith(key: KeyObject, about: string, value: Buffer): string | undefined {
  try {
    return decryptWith(key, about, value).toString('utf8')
  } catch {
    return undefined
  }
}

const totpColumn = (column: TotpColumn): EncryptedColumn => ({
  name: `people.${column}`,
  select: async (db, wanted) =>
    (await selectTotp(db, column, wanted)).map((row) => ({ ...row, about: aboutTotp(row.id) })),
  update: (tx, row, value) => updateTotp(tx, column, row, value),
  old: {
    async select(db, limit) {
      const rows = await selectOldTotp(db, column, limit)
      const key = await serverSecret(db, 'people')
      return rows.map(({ value, ...row }) => {
        const text = readWith(key, `totp ${row.id}`, value)
        return { ...row, about: aboutTotp(row.id), text, value }
      })
    },
    update: (tx, { id, value: before }, value) =>
      updateTotp(tx, column, { id, value: before! }, value),
  },
})

/** In this order, because an app's secret moves from the first column to the second. */
export const personSecrets: readonly EncryptedColumn[] = [
  totpColumn('totp_pending'),
  totpColumn('totp_secret'),
]

// The library takes 19 MB of memory, so it is only loaded when it is used.
const webauthn = () => import('@simplewebauthn/server')

const ASKED_MS = 5 * 60_000
/** The algorithms that authenticators support: EdDSA, ES256 and RS256, by their COSE numbers. */
const ALGORITHMS = [-8, -7, -257]

interface PasskeyDeps {
  db: Db
  publicUrl: string
}

/** Returns the host name for passkeys; undefined if the server has only an IP address. */
export function passkeyNameOf(publicUrl: string): string | undefined {
  const { hostname } = new URL(publicUrl)
  if (LOOPBACK_NAMES.includes(hostname)) return 'localhost'
  return /^[\d.]+$|:/.test(hostname) ? undefined : hostname
}

/**
 * Returns the options that the browser needs to create a passkey. Throws `passkeys_unavailable`
 * (409).
 */
export async function startPasskeyRegistration(
  { db, publicUrl }: PasskeyDeps,
  person: PersonRow,
  now: Date,
) {
  const rpID = nameOf(publicUrl)
  const had = await selectPasskeys(db, person.id)
  const options = await (await webauthn()).generateRegistrationOptions({
    rpName: 'Tradepost',
    rpID,
    userID: new TextEncoder().encode(String(person.id)),
    userName: person.email,
    userDisplayName: person.name,
    challenge: randomText(43),
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: had.map(({ credential_id: id, transports }) => ({ id, transports })),
    // A passkey replaces both the password and the code, so it must verify the user.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  await ask(db, options.challenge, person.id, now)
  return options
}

/** Stores the passkey that a browser created. Throws `passkey_refused` (401). */
export async function addPasskey(
  { db, publicUrl }: PasskeyDeps,
  person: PersonRow,
  { response, name, origin }: { response: unknown; name: string; origin: string | undefined },
  now: Date,
) {
  const made = response as RegistrationResponseJSON
  const { registrationInfo } = await verified(async () =>
    (await webauthn()).verifyRegistrationResponse({
      response: made,
      expectedChallenge: (challenge) => taken(db, challenge, person.id, now),
      expectedOrigin: originOf(publicUrl, origin),
      expectedRPID: nameOf(publicUrl),
      supportedAlgorithmIDs: ALGORITHMS,
      requireUserVerification: true,
    }),
  )
  if (!registrationInfo) throw passkeyRefused()
  const { id, publicKey, counter } = registrationInfo.credential
  return {
    credential_id: id,
    person_id: person.id,
    public_key: Buffer.from(publicKey),
    counter,
    transports: transportsOf(made.response.transports),
    name,
    created_at: now,
  } satisfies Parameters<typeof insertPasskey>[1]
}

/** Browsers only report these, so a passkey works without them. */
const transportsOf = (sent: unknown): string[] =>
  Array.isArray(sent) && sent.length <= 10 && sent.every(isTransport) ? sent : []

const isTransport = (one: unknown) => typeof one === 'string' && /^[a-z-]{1,32}$/.test(one)

export async function startPasskeySignIn({ db, publicUrl }: PasskeyDeps, now: Date) {
  const options = await (await webauthn()).generateAuthenticationOptions({
    rpID: nameOf(publicUrl),
    challenge: randomText(43),
    userVerification: 'required',
  })
  await ask(db, options.challenge, null, now)
  return options
}

export async function startPasskeyReauthentication(
  { db, publicUrl }: PasskeyDeps,
  personId: number,
  now: Date,
) {
  const had = await selectPasskeys(db, personId)
  const options = await (await webauthn()).generateAuthenticationOptions({
    rpID: nameOf(publicUrl),
    challenge: randomText(43),
    userVerification: 'required',
    allowCredentials: had.map(({ credential_id: id, transports }) => ({ id, transports })),
  })
  await ask(db, options.challenge, personId, now)
  return options
}

/**
 * Returns the owner of the passkey that signed the challenge. If the challenge was issued for
 * `personId`, this must be the owner. Throws `passkey_refused` (401).
 */
export async function verifyPasskey(
  { db, publicUrl }: PasskeyDeps,
  {
    response,
    origin,
    personId = null,
  }: { response: unknown; origin: string | undefined; personId?: number | null },
  now: Date,
): Promise<number> {
  const signed = response as AuthenticationResponseJSON
  const key = typeof signed?.id === 'string' ? await selectPasskey(db, signed.id) : undefined
  if (!key || (personId !== null && key.person_id !== personId)) throw passkeyRefused()
  const { authenticationInfo, verified: isVerified } = await verified(async () =>
    (await webauthn()).verifyAuthenticationResponse({
      response: signed,
      expectedChallenge: (challenge) => taken(db, challenge, personId, now),
      expectedOrigin: originOf(publicUrl, origin),
      expectedRPID: nameOf(publicUrl),
      credential: {
        id: key.credential_id,
        publicKey: new Uint8Array(key.public_key),
        counter: key.counter,
        transports: key.transports,
      },
      requireUserVerification: true,
    }),
  )
  const isUsed =
    isVerified &&
    (await updatePasskeyUsed(db, key.credential_id, authenticationInfo.newCounter, now))
  if (!isUsed) throw passkeyRefused()
  return key.person_id
}

function nameOf(publicUrl: string): string {
  const name = passkeyNameOf(publicUrl)
  if (name === undefined) {
    throw conflict(
      'passkeys_unavailable',
      'Passkeys need a host name, but this server’s URL has an IP address.',
    )
  }
  return name
}

/**
 * Returns the origin of the requesting page, if it is one of ours. The signature also covers the
 * origin.
 */
const originOf = (publicUrl: string, origin: string | undefined): string =>
  origin !== undefined && isOwnOrigin(publicUrl, origin) ? origin : new URL(publicUrl).origin

/** Browsers return the challenge as base64url. */
const ask = (db: Db, challenge: string, personId: number | null, now: Date) =>
  insertChallenge(db, hashOf(challenge), personId, addMs(now, ASKED_MS))

const taken = (db: Db, challenge: string, personId: number | null, now: Date) =>
  consumeChallenge(db, hashOf(challenge), personId, now)

/** The library throws plain errors for any problem with what the browser sent. */
async function verified<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw passkeyRefused(cause)
  }
}

export const passkeyRefused = (cause?: unknown) =>
  new Problem('unauthenticated', 'passkey_refused', 'This passkey was not accepted.', { cause })
