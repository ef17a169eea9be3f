import { Type } from 'typebox'
import type { Tx } from '../../db/database.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { isProven, proofNeeded } from '../../http/auth.ts'
import { Download } from '../../http/download.ts'
import { success } from '../../http/errors.ts'
import { type ConsoleRoute, consoleRoute } from '../../http/session-route.ts'
import type { Caller } from '../../lib/caller.ts'
import { MomentText, Nullable } from '../../lib/schemas.ts'
import { actorOf, appendAudit } from '../audit-log/log.ts'
import { confirmChange, dropChange, waitingFor } from './approval.ts'
import { changeBranding, getBranding } from './branding.ts'
import { changeDetails, feesOf } from './details.ts'
import { sayFees } from './fees.ts'
import { PREVIEWS, previewPage, previewPaper, UNSAVED_LOGO } from './page.ts'
import { redirectTermsOf } from './service.ts'

const text = (maxLength: number) => Type.Optional(Nullable(Type.String({ maxLength })))

const Details = Type.Object({
  name: Type.Optional(Type.String({ maxLength: 1_000 })),
  email: text(500),
  phone: text(100),
  firstName: text(500),
  lastName: text(500),
})

/** Who a business is, for its owners and admins to change, and what the operator takes. */
export const businessRoutes = ({ db, providers }: ConsoleDeps): ConsoleRoute[] => [
  consoleRoute({
    method: 'POST',
    path: '/business',
    asker: 'member',
    scope: 'business:write',
    body: Details,
    handle: async (asked) => {
      const { caller, now, body, signedIn } = asked
      const { businessId } = caller
      await db.transaction(async (tx) => {
        const changed = await changeDetails(tx, businessId, body, now)
        if (changed.length === 0) return
        // What is wrong with its keys is told there, which is not for whoever finds an open screen.
        if (changed.includes('email') && !isProven(signedIn.session, now)) throw proofNeeded()
        await appendAudit(tx, actorOf(asked), {
          businessId,
          action: 'business.change',
          detail: `Changed: ${changed.join(', ')}`,
          at: now,
        })
      })
      return success('The details are stored.', null)
    },
  }),
  consoleRoute({
    method: 'GET',
    path: '/fees',
    asker: 'member',
    scope: 'profile:read',
    handle: async ({ caller: { businessId } }) => {
      const { isDefault, rules } = (await feesOf(db, businessId))!
      const { channels, transfers } = sayFees(rules)
      // Of ways that no provider of this server knows, nobody needs to know the price.
      const known = [...providers.channels(true), ...providers.channels(false), 'OFFLINE']
      return success('What payments and transfers cost.', {
        isDefault,
        channels: channels.filter(({ channel }) => known.includes(channel)),
        transfers,
      })
    },
  }),
]

const TEXTS = {
  name: text(500),
  supportEmail: text(500),
  supportPhone: text(100),
  website: text(1_000),
  address: text(2_000),
  accentColor: text(50),
}

const Change = Type.Object({
  ...TEXTS,
  // Less than a body may have; what is too large is then said of the logo.
  logo: Type.Optional(Nullable(Type.String({ maxLength: 1_000_000 }))),
})

const Edge = Type.Integer({ minimum: 1, maximum: 100_000 })
const Preview = Type.Object({
  page: Type.Enum([...PREVIEWS]),
  scheme: Type.Enum(['light', 'dark'], { default: 'light' }),
  change: Type.Object(TEXTS),
  logo: Type.Optional(Nullable(Type.Object({ width: Edge, height: Edge }))),
})

const reads = { asker: 'member', scope: 'profile:read' } as const

/** How a business shows itself to payers: one for both modes, changed by owners and admins. */
export const brandingRoutes = (deps: ConsoleDeps): ConsoleRoute[] => [
  consoleRoute({
    ...reads,
    method: 'GET',
    path: '/branding',
    handle: async ({ caller: { businessId } }) =>
      success('Branding.', await getBranding(deps.db, businessId)),
  }),
  consoleRoute({
    method: 'POST',
    path: '/branding',
    asker: 'member',
    scope: 'business:write',
    body: Change,
    bodyBytes: 'picture',
    handle: async (asked) => {
      const { caller, now, body } = asked
      const { businessId } = caller
      const record = await changeBranding(deps, { businessId, now }, body, (tx, changed) =>
        appendAudit(tx, actorOf(asked), {
          businessId,
          action: 'branding.change',
          detail: `Changed: ${changed.join(', ')}`,
          at: now,
        }),
      )
      return success('The branding is stored.', record)
    },
  }),
  consoleRoute({
    ...reads,
    method: 'POST',
    path: '/branding/preview',
    body: Preview,
    handle: async ({ caller, now, body: { page, scheme, change, logo } }) => {
      const { businessId, live } = caller
      const html = await previewPage(
        deps.db,
        { businessId, live, now },
        { page: page as 'invoice', scheme: scheme as 'light', change, logo },
      )
      return success('What payers would see.', { html, unsavedLogo: UNSAVED_LOGO })
    },
  }),
  consoleRoute({
    ...reads,
    method: 'GET',
    path: '/branding/paper',
    handle: async ({ caller: { businessId, live }, now }) => {
      const bytes = await previewPaper(deps, { businessId, live, now })
      return new Download(bytes, {
        type: 'application/pdf',
        name: 'invoice-sample.pdf',
        disposition: 'attachment',
      })
    },
  }),
]

/**
 * What signs the addresses that payers are led back to. Whoever has it signs as we do, so that it
 * is in no answer that a screen asks for by itself, and the log says who looked at it.
 */
export const redirectSecretRoutes = ({ db }: ConsoleDeps): ConsoleRoute[] => [
  consoleRoute({
    method: 'POST',
    path: '/redirect-secret/show',
    asker: 'member',
    scope: 'profile:write',
    proven: true,
    handle: async (asked) => {
      const { caller, now: at } = asked
      const { secret } = await redirectTermsOf(db, caller)
      const { businessId, live } = caller
      await db.transaction((tx) => {
        const about = { action: 'redirect_secret.show', detail: 'Looked at the redirect secret' }
        return appendAudit(tx, actorOf(asked), { businessId, live, at, ...about })
      })
      return success('The redirect secret.', { secret })
    },
  }),
]

/** The change that somebody looked at: another one may have taken its place. */
const Looked = Type.Object({ requestedAt: MomentText })

const DECISIONS = {
  confirm: { decide: confirmChange, detail: 'Confirmed a change of the approval limits' },
  drop: { decide: dropChange, detail: 'Dropped a change of the approval limits' },
} as const

/** What waits for the people who can approve transfers. */
export const approvalRoutes = ({ db }: ConsoleDeps): ConsoleRoute[] => [
  consoleRoute({
    method: 'GET',
    path: '/approvals',
    asker: 'member',
    scope: 'transfers:read',
    handle: async ({ caller }) => success('What waits for approval.', await waitingFor(db, caller)),
  }),
  ...(['confirm', 'drop'] as const).map((verb) =>
    consoleRoute({
      method: 'POST',
      path: `/approval-change/${verb}`,
      asker: 'member',
      scope: 'transfers:write',
      proven: true,
      body: Looked,
      handle: async (asked) => {
        const { caller, now: at, body } = asked
        const { decide, detail } = DECISIONS[verb]
        const { businessId, live } = caller
        await db.transaction(async (tx: Tx) => {
          await decide(tx, caller as Caller, new Date(body.requestedAt))
          const action = `approval_change.${verb}`
          await appendAudit(tx, actorOf(asked), { businessId, live, at, action, detail })
        })
        return success(`${detail}.`, {})
      },
    }),
  ),
]
