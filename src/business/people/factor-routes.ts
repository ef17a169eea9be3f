import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import { type Static, Type } from 'typebox'
import type { Tx } from '../../db/database.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { sessionEnded } from '../../http/auth.ts'
import { success } from '../../http/errors.ts'
import { type PersonInput, type Route, route } from '../../http/route.ts'
import { conflict, invalid, notFound } from '../../lib/problem.ts'
import { Envelope, NoData, NullableTimestamp, OneLine, Timestamp } from '../../lib/schemas.ts'
import { actorOf, appendOfPerson } from '../audit-log/log.ts'
import { verifyCredentials } from './accounts.ts'
import { emailPerson, type Notice } from './mails.ts'
import { type PersonRow, selectPerson } from './queries.ts'
import {
  deletePasskey,
  insertPasskey,
  selectPasskeys,
  updatePasskeyOf,
  updateProven,
} from './queries-sessions.ts'
import { removePasskeysByLink, startBrowserSession } from './recovery.ts'
import {
  Code,
  PasskeyResponse,
  Password,
  personOf,
  requireAllFactors,
  sourceOf,
  Token,
} from './schemas.ts'
import { endSessions } from './sessions.ts'
import { countAttempt, forgetAttempts } from './throttle.ts'
import {
  addPasskey,
  confirmTwoFactor,
  passkeyNameOf,
  passkeyRefused,
  removeTwoFactor,
  renewCodes,
  startPasskeyReauthentication,
  startPasskeyRegistration,
  startPasskeySignIn,
  startTwoFactorSetup,
  verifyPasskey,
} from './two-factor.ts'

const Removal = Type.Object({
  password: Type.Optional(Password),
  code: Type.Optional(Code),
  response: Type.Optional(PasskeyResponse),
})

const text = Type.String()
const TwoFactorBegun = Envelope(
  Type.Object({
    secret: text,
    url: text,
    qr: Type.Object({
      size: Type.Integer(),
      rows: Type.Array(Type.String({ description: 'A 1 for each dark square.' })),
    }),
  }),
)
const RecoveryCodes = Envelope(Type.Object({ recoveryCodes: Type.Array(text) }))

export const twoFactorRoutes = (deps: ConsoleDeps): Route[] => [
  route({
    operation: 'begin_two_factor',
    method: 'POST',
    path: '/two-factor/begin',
    caller: 'person',
    proven: true,
    response: TwoFactorBegun,
    handle: async (input) =>
      success(
        'Scan the QR code with an authenticator app, then confirm with a code.',
        await begin(deps, input),
      ),
  }),
  route({
    operation: 'confirm_two_factor',
    method: 'POST',
    path: '/two-factor/confirm',
    caller: 'person',
    proven: true,
    body: Type.Object({ code: Code }),
    response: RecoveryCodes,
    handle: async (input) => {
      await requireAllFactors(deps, input)
      const person = await personOf(deps, input)
      const { id } = input.signedIn.session
      const attempt = await countAttempt(deps, person.email, sourceOf(deps, input, id), input.now)
      const recoveryCodes = await change(
        deps,
        input,
        person,
        ['two_factor_on', 'Turned on'],
        async (tx) => {
          const codes = await confirmTwoFactor(tx, deps.keyring, person, input.body.code, input.now)
          // Ends sessions that were opened with only the password.
          await endSessions(tx, person.id, id)
          return codes
        },
      )
      await forgetAttempts(deps.db, attempt)
      return success('Two-factor authentication is on.', { recoveryCodes })
    },
  }),
  route({
    operation: 'remove_two_factor',
    method: 'POST',
    path: '/two-factor/remove',
    caller: 'person',
    body: Removal,
    response: NoData,
    handle: async (input) => {
      const person = await personOf(deps, input)
      await proveAll(deps, input, person)
      await change(deps, input, person, ['two_factor_off', 'Turned off'], (tx) =>
        removeTwoFactor(tx, person.id, input.now),
      )
      return success('Two-factor authentication is off.', null)
    },
  }),
  route({
    operation: 'renew_recovery_codes',
    method: 'POST',
    path: '/two-factor/recovery-codes',
    caller: 'person',
    proven: true,
    response: RecoveryCodes,
    handle: async (input) => {
      const person = await personOf(deps, input)
      const recoveryCodes = await change(
        deps,
        input,
        person,
        ['recovery_codes', 'Created new recovery codes'],
        (tx) => renewCodes(tx, person, input.now),
      )
      return success('These codes replace your earlier recovery codes.', { recoveryCodes })
    },
  }),
]

async function begin(deps: ConsoleDeps, input: PersonInput) {
  await requireAllFactors(deps, input)
  return startTwoFactorSetup(deps, await personOf(deps, input))
}

/**
 * An unattended session and a stolen password must not be enough to remove a second factor, so this
 * factor must be presented again: as an app code, a recovery code, or a passkey signature over the
 * challenge from `/reauthenticate/passkey/begin`.
 */
async function proveAll(
  deps: ConsoleDeps,
  input: PersonInput<Static<typeof Removal>>,
  person: PersonRow,
): Promise<void> {
  const { body, now, request } = input
  const { password, code, response } = body
  if (response) {
    const { origin } = request.headers
    await verifyPasskey(deps, { response, origin, personId: person.id }, now)
    return
  }
  if (password === undefined) throw invalid({ password: ['is required'] })
  const source = sourceOf(deps, input, input.signedIn.session.id)
  await verifyCredentials(deps, { email: person.email, password, code }, source, now)
}

/** Makes the change, records it in the audit log, and emails the person. */
async function change<T>(
  deps: ConsoleDeps,
  input: PersonInput,
  person: PersonRow,
  [what, detail]: [
    Notice['what'] & `${'two_factor_on' | 'two_factor_off' | 'recovery_codes'}`,
    string,
  ],
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const done = await deps.db.transaction(async (tx) => {
    const result = await work(tx)
    const entry = { action: 'person.two_factor', detail, at: input.now }
    await appendOfPerson(tx, actorOf(input), entry)
    return result
  })
  await emailPerson(deps, person, { what }, input.now)
  return done
}

const CredentialId = Type.Object({ id: Type.String({ pattern: '^[\\w-]{1,2000}$' }) })

/** The browser receives these unchanged, to create or use a passkey. */
const options = { type: 'object', additionalProperties: true } as const
const PasskeyCreation = Envelope(Type.Unsafe<PublicKeyCredentialCreationOptionsJSON>(options))
const PasskeyRequest = Envelope(Type.Unsafe<PublicKeyCredentialRequestOptionsJSON>(options))
const PasskeyList = Envelope(
  Type.Object({
    available: Type.Boolean({
      description: 'Whether the server has a host name, which passkeys need.',
    }),
    passkeys: Type.Array(
      Type.Object({ id: text, name: text, lastUsedAt: NullableTimestamp, createdAt: Timestamp }),
    ),
  }),
)
const AddedPasskey = Envelope(Type.Object({ id: text }))

export const passkeyRoutes = (deps: ConsoleDeps): Route[] => [
  route({
    operation: 'list_passkeys',
    method: 'GET',
    path: '/passkeys',
    caller: 'person',
    response: PasskeyList,
    handle: async ({ signedIn: { session } }) => {
      const rows = await selectPasskeys(deps.db, session.person_id)
      const passkeys = rows.map((row) => ({
        id: row.credential_id,
        name: row.name,
        lastUsedAt: row.last_used_at,
        createdAt: row.created_at,
      }))
      const available = passkeyNameOf(deps.publicUrl) !== undefined
      return success('Passkeys retrieved.', { available, passkeys })
    },
  }),
  route({
    operation: 'begin_passkey',
    method: 'POST',
    path: '/passkeys/begin',
    caller: 'person',
    proven: true,
    response: PasskeyCreation,
    handle: async (input) => {
      await requireAllFactors(deps, input)
      const person = await personOf(deps, input)
      return success(
        'Create a passkey with these options.',
        await startPasskeyRegistration(deps, person, input.now),
      )
    },
  }),
  route({
    operation: 'finish_passkey',
    method: 'POST',
    path: '/passkeys/finish',
    caller: 'person',
    proven: true,
    body: Type.Object({ name: OneLine(100), response: PasskeyResponse }),
    response: AddedPasskey,
    handle: async (input) => {
      await requireAllFactors(deps, input)
      const person = await personOf(deps, input)
      const { origin } = input.request.headers
      const row = await addPasskey(deps, person, { ...input.body, origin }, input.now)
      await deps.db.transaction(async (tx) => {
        if (!(await insertPasskey(tx, row))) throw hasIt()
        if (!(await updatePasskeyOf(tx, input.signedIn.session.id, row.credential_id)))
          throw sessionEnded()
        const detail = `Added the passkey ${row.name}`
        const entry = { action: 'person.passkey', detail, at: input.now }
        await appendOfPerson(tx, actorOf(input), entry)
      })
      await emailPerson(deps, person, { what: 'passkey_added' }, input.now)
      return success('Passkey added.', { id: row.credential_id })
    },
  }),
  route({
    operation: 'remove_passkey',
    method: 'POST',
    path: '/passkeys/:id/remove',
    caller: 'person',
    proven: true,
    params: CredentialId,
    response: NoData,
    handle: async (input) => {
      await requireAllFactors(deps, input)
      await deps.db.transaction(async (tx) => {
        const gone = await deletePasskey(tx, input.signedIn.session.person_id, input.params.id)
        if (!gone) throw notFound('passkey')
        const detail = `Removed the passkey ${gone.name}`
        const entry = { action: 'person.passkey', detail, at: input.now }
        await appendOfPerson(tx, actorOf(input), entry)
      })
      return success('Passkey removed.', null)
    },
  }),
  route({
    operation: 'remove_all_passkeys',
    method: 'POST',
    path: '/passkeys/remove-all',
    caller: 'public',
    body: Type.Object({ token: Token }),
    response: NoData,
    handle: async ({ body, ip, requestId, now }) => {
      await removePasskeysByLink(deps, body.token, { ip, requestId }, now)
      return success('Passkeys removed.', null)
    },
  }),
  route({
    operation: 'begin_passkey_sign_in',
    method: 'POST',
    path: '/sign-in/passkey/begin',
    caller: 'public',
    response: PasskeyRequest,
    handle: async ({ now }) =>
      success('Sign in with these options.', await startPasskeySignIn(deps, now)),
  }),
  route({
    operation: 'finish_passkey_sign_in',
    method: 'POST',
    path: '/sign-in/passkey/finish',
    caller: 'public',
    body: Type.Object({ response: PasskeyResponse }),
    response: NoData,
    handle: async (input) => {
      const { origin } = input.request.headers
      const { response } = input.body
      const id = await verifyPasskey(deps, { response, origin }, input.now)
      const person = await selectPerson(deps.db, id)
      if (!person) throw passkeyRefused()
      return startBrowserSession(deps, input, person, {
        by: 'with a passkey',
        passkeyId: response.id,
      })
    },
  }),
  route({
    operation: 'begin_passkey_reauthentication',
    method: 'POST',
    path: '/reauthenticate/passkey/begin',
    caller: 'person',
    response: PasskeyRequest,
    handle: async ({ signedIn: { session }, now }) =>
      success(
        'Confirm with these options.',
        await startPasskeyReauthentication(deps, session.person_id, now),
      ),
  }),
  route({
    operation: 'finish_passkey_reauthentication',
    method: 'POST',
    path: '/reauthenticate/passkey/finish',
    caller: 'person',
    body: Type.Object({ response: PasskeyResponse }),
    response: NoData,
    handle: async ({ signedIn: { session }, body: { response }, request, now }) => {
      const { origin } = request.headers
      await verifyPasskey(deps, { response, origin, personId: session.person_id }, now)
      // From here on, the session is equivalent to one opened with the passkey.
      await updatePasskeyOf(deps.db, session.id, response.id)
      await updateProven(deps.db, session.id, now)
      return success('Confirmed.', null)
    },
  }),
]

const hasIt = () => conflict('passkey_exists', 'You have already added this passkey.')
