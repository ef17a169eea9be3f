import { type Static, Type } from 'typebox'
import type { Tx } from '../../db/database.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { sessionEnded } from '../../http/auth.ts'
import { success } from '../../http/errors.ts'
import { type Asked, type ConsoleRoute, consoleRoute } from '../../http/session-route.ts'
import { conflict, invalid, notFound } from '../../lib/problem.ts'
import { OneLine } from '../../lib/schemas.ts'
import { actorOf, appendOfPerson } from '../audit-log/log.ts'
import { prove } from './accounts.ts'
import { removePasskeysByLink, startSession } from './email-proof.ts'
import { type Notice, tellPerson } from './mails.ts'
import {
  addPasskey,
  beginPasskey,
  beginPasskeyAgain,
  beginPasskeySignIn,
  passkeyNameOf,
  provePasskey,
  refused,
} from './passkeys.ts'
import { type PersonRow, selectPerson } from './queries.ts'
import {
  deletePasskey,
  insertPasskey,
  selectPasskeys,
  updatePasskeyOf,
  updateProven,
} from './queries-sessions.ts'
import {
  Code,
  PasskeyResponse,
  Password,
  personOf,
  requireAllShown,
  sourceOf,
  Token,
} from './schemas.ts'
import { endSessions } from './sessions.ts'
import { countAttempt, forgetAttempts } from './throttle.ts'
import { beginTwoFactor, confirmTwoFactor, removeTwoFactor, renewCodes } from './two-factor.ts'

const Removal = Type.Object({
  password: Type.Optional(Password),
  code: Type.Optional(Code),
  response: Type.Optional(PasskeyResponse),
})

/** A second factor: an app of one's own, and codes for the day when it is lost. */
export const twoFactorRoutes = (deps: ConsoleDeps): ConsoleRoute[] => [
  consoleRoute({
    method: 'POST',
    path: '/two-factor/begin',
    asker: 'person',
    proven: true,
    handle: async (asked) =>
      success('Read it with an app, then confirm.', await begin(deps, asked)),
  }),
  consoleRoute({
    method: 'POST',
    path: '/two-factor/confirm',
    asker: 'person',
    proven: true,
    body: Type.Object({ code: Code }),
    handle: async (asked) => {
      await requireAllShown(deps, asked)
      const person = await personOf(deps, asked)
      const { id } = asked.signedIn.session
      const tried = await countAttempt(deps, person.email, sourceOf(deps, asked, id), asked.now)
      const recoveryCodes = await change(
        deps,
        asked,
        person,
        ['two_factor_on', 'Turned on'],
        async (tx) => {
          const codes = await confirmTwoFactor(tx, person, asked.body.code, asked.now)
          // Those that began by the password alone.
          await endSessions(tx, person.id, id)
          return codes
        },
      )
      await forgetAttempts(deps.db, tried)
      return success('Two-factor is on.', { recoveryCodes })
    },
  }),
  consoleRoute({
    method: 'POST',
    path: '/two-factor/remove',
    asker: 'person',
    body: Removal,
    handle: async (asked) => {
      const person = await personOf(deps, asked)
      await proveAll(deps, asked, person)
      await change(deps, asked, person, ['two_factor_off', 'Turned off'], (tx) =>
        removeTwoFactor(tx, person.id, asked.now),
      )
      return success('Two-factor is off.', null)
    },
  }),
  consoleRoute({
    method: 'POST',
    path: '/two-factor/recovery-codes',
    asker: 'person',
    proven: true,
    handle: async (asked) => {
      const person = await personOf(deps, asked)
      const recoveryCodes = await change(
        deps,
        asked,
        person,
        ['recovery_codes', 'Made new recovery codes'],
        (tx) => renewCodes(tx, person, asked.now),
      )
      return success('These replace the recovery codes that you had.', { recoveryCodes })
    },
  }),
]

async function begin(deps: ConsoleDeps, asked: Asked) {
  await requireAllShown(deps, asked)
  return beginTwoFactor(deps.db, await personOf(deps, asked))
}

/**
 * A session that was left open and a password that was found out take no factor away: it is shown
 * once more itself, as a code of the app or of recovery, or a passkey signs what
 * `/reauthenticate/passkey/begin` asked.
 */
async function proveAll(
  deps: ConsoleDeps,
  asked: Asked<Static<typeof Removal>>,
  person: PersonRow,
): Promise<void> {
  const { body, now, request } = asked
  const { password, code, response } = body
  if (response) {
    const { origin } = request.headers
    await provePasskey(deps, { response, origin, personId: person.id }, now)
    return
  }
  if (password === undefined) throw invalid({ password: ['is required'] })
  const source = sourceOf(deps, asked, asked.signedIn.session.id)
  await prove(deps, { email: person.email, password, code }, source, now)
}

/** Does it, writes it into the audit log, and tells the person by mail. */
async function change<T>(
  deps: ConsoleDeps,
  asked: Asked,
  person: PersonRow,
  [what, detail]: [
    Notice['what'] & `${'two_factor_on' | 'two_factor_off' | 'recovery_codes'}`,
    string,
  ],
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const done = await deps.db.transaction(async (tx) => {
    const result = await work(tx)
    const entry = { action: 'person.two_factor', detail, at: asked.now }
    await appendOfPerson(tx, actorOf(asked), entry)
    return result
  })
  await tellPerson(deps, person, { what }, asked.now)
  return done
}

const CredentialId = Type.Object({ id: Type.String({ pattern: '^[\\w-]{1,2000}$' }) })

/** Signing in without a password: adding keys, removing them, and entering with one. */
export const passkeyRoutes = (deps: ConsoleDeps): ConsoleRoute[] => [
  consoleRoute({
    method: 'GET',
    path: '/passkeys',
    asker: 'person',
    handle: async ({ signedIn: { session } }) => {
      const rows = await selectPasskeys(deps.db, session.person_id)
      const passkeys = rows.map((row) => ({
        id: row.credential_id,
        name: row.name,
        lastUsedAt: row.last_used_at,
        createdAt: row.created_at,
      }))
      const available = passkeyNameOf(deps.publicUrl) !== undefined
      return success('Your passkeys.', { available, passkeys })
    },
  }),
  consoleRoute({
    method: 'POST',
    path: '/passkeys/begin',
    asker: 'person',
    proven: true,
    handle: async (asked) => {
      await requireAllShown(deps, asked)
      const person = await personOf(deps, asked)
      return success('Make a passkey of this.', await beginPasskey(deps, person, asked.now))
    },
  }),
  consoleRoute({
    method: 'POST',
    path: '/passkeys/finish',
    asker: 'person',
    proven: true,
    body: Type.Object({ name: OneLine(100), response: PasskeyResponse }),
    handle: async (asked) => {
      await requireAllShown(deps, asked)
      const person = await personOf(deps, asked)
      const { origin } = asked.request.headers
      const row = await addPasskey(deps, person, { ...asked.body, origin }, asked.now)
      await deps.db.transaction(async (tx) => {
        if (!(await insertPasskey(tx, row))) throw hasIt()
        if (!(await updatePasskeyOf(tx, asked.signedIn.session.id, row.credential_id)))
          throw sessionEnded()
        const detail = `Added the passkey ${row.name}`
        const entry = { action: 'person.passkey', detail, at: asked.now }
        await appendOfPerson(tx, actorOf(asked), entry)
      })
      await tellPerson(deps, person, { what: 'passkey_added' }, asked.now)
      return success('The passkey is added.', { id: row.credential_id })
    },
  }),
  consoleRoute({
    method: 'POST',
    path: '/passkeys/:id/remove',
    asker: 'person',
    proven: true,
    params: CredentialId,
    handle: async (asked) => {
      await requireAllShown(deps, asked)
      await deps.db.transaction(async (tx) => {
        const gone = await deletePasskey(tx, asked.signedIn.session.person_id, asked.params.id)
        if (!gone) throw notFound('passkey')
        const detail = `Removed the passkey ${gone.name}`
        const entry = { action: 'person.passkey', detail, at: asked.now }
        await appendOfPerson(tx, actorOf(asked), entry)
      })
      return success('The passkey is removed.', null)
    },
  }),
  consoleRoute({
    method: 'POST',
    path: '/passkeys/remove-all',
    asker: 'anybody',
    body: Type.Object({ token: Token }),
    handle: async ({ body, ip, requestId, now }) => {
      await removePasskeysByLink(deps, body.token, { ip, requestId }, now)
      return success('Your passkeys are removed.', null)
    },
  }),
  consoleRoute({
    method: 'POST',
    path: '/sign-in/passkey/begin',
    asker: 'anybody',
    handle: async ({ now }) =>
      success('Sign this with a passkey.', await beginPasskeySignIn(deps, now)),
  }),
  consoleRoute({
    method: 'POST',
    path: '/sign-in/passkey/finish',
    asker: 'anybody',
    body: Type.Object({ response: PasskeyResponse }),
    handle: async (asked) => {
      const { origin } = asked.request.headers
      const { response } = asked.body
      const id = await provePasskey(deps, { response, origin }, asked.now)
      const person = await selectPerson(deps.db, id)
      if (!person) throw refused()
      return startSession(deps, asked, person, { by: 'with a passkey', passkeyId: response.id })
    },
  }),
  consoleRoute({
    method: 'POST',
    path: '/reauthenticate/passkey/begin',
    asker: 'person',
    handle: async ({ signedIn: { session }, now }) =>
      success('Sign this.', await beginPasskeyAgain(deps, session.person_id, now)),
  }),
  consoleRoute({
    method: 'POST',
    path: '/reauthenticate/passkey/finish',
    asker: 'person',
    body: Type.Object({ response: PasskeyResponse }),
    handle: async ({ signedIn: { session }, body: { response }, request, now }) => {
      const { origin } = request.headers
      await provePasskey(deps, { response, origin, personId: session.person_id }, now)
      // As good as a session that began with it.
      await updatePasskeyOf(deps.db, session.id, response.id)
      await updateProven(deps.db, session.id, now)
      return success('Go on.', null)
    },
  }),
]

const hasIt = () => conflict('passkey_exists', 'This passkey is added already.')
