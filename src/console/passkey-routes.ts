import { Type } from 'typebox'
import { sessionEnded } from '../http/auth.ts'
import { success } from '../http/envelopes.ts'
import { conflict, notFound } from '../lib/problem.ts'
import { Text } from '../lib/schemas.ts'
import { actorOf, appendOfPerson } from './audit-log.ts'
import type { ConsoleDeps } from './deps.ts'
import { removePasskeysByLink } from './email-proof.ts'
import { enter } from './enter.ts'
import { PasskeyResponse, personOf, requireAllShown, Token } from './fields.ts'
import { tellPerson } from './notices.ts'
import {
  addPasskey,
  beginPasskey,
  beginPasskeyAgain,
  beginPasskeySignIn,
  passkeyNameOf,
  provePasskey,
  refused,
} from './passkeys.ts'
import { deletePasskey, insertPasskey, selectPasskeys } from './queries-passkeys.ts'
import { selectPerson } from './queries-people.ts'
import { updatePasskeyOf, updateProven } from './queries-sessions.ts'
import { type ConsoleRoute, consoleRoute } from './route.ts'

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
    body: Type.Object({ name: Text(100), response: PasskeyResponse }),
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
      return enter(deps, asked, person, { by: 'with a passkey', passkeyId: response.id })
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
