import { type Static, Type } from 'typebox'
import type { Tx } from '../db/database.ts'
import { success } from '../http/envelopes.ts'
import { invalid } from '../lib/problem.ts'
import { prove } from './accounts.ts'
import { actorOf, appendOfPerson } from './audit-log.ts'
import type { ConsoleDeps } from './deps.ts'
import { Code, PasskeyResponse, Password, personOf, requireAllShown, whenceOf } from './fields.ts'
import { type Notice, tellPerson } from './notices.ts'
import { provePasskey } from './passkeys.ts'
import type { PersonRow } from './queries-people.ts'
import { type Asked, type ConsoleRoute, consoleRoute } from './route.ts'
import { endSessions } from './sessions.ts'
import { forgetTries, takeTry } from './tries.ts'
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
      const tried = await takeTry(deps, person.email, whenceOf(deps, asked, id), asked.now)
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
      await forgetTries(deps.db, tried)
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
  const whence = whenceOf(deps, asked, asked.signedIn.session.id)
  await prove(deps, { email: person.email, password, code }, whence, now)
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
