import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Db } from '../../db/database.ts'
import { isOwnOrigin, LOOPBACK_NAMES } from '../../http/loopback.ts'
import { addMs } from '../../lib/clock.ts'
import { conflict, Problem } from '../../lib/problem.ts'
import { randomText } from '../../lib/tokens.ts'
import type { PersonRow } from './queries.ts'
import {
  consumeChallenge,
  insertChallenge,
  type insertPasskey,
  selectPasskey,
  selectPasskeys,
  updatePasskeyUsed,
} from './queries-sessions.ts'
import { hashOf } from './sessions.ts'

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
    transports: made.response.transports ?? [],
    name,
    created_at: now,
  } satisfies Parameters<typeof insertPasskey>[1]
}

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
