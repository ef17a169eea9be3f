import { Type } from 'typebox'
import type { Tx } from '../../db/database.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { isReauthenticated, reauthenticationNeeded } from '../../http/auth.ts'
import { Download, FileOf } from '../../http/download.ts'
import { success } from '../../http/errors.ts'
import { type Route, route } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import { Envelope, NoData, Nullable, NullableTimestamp, TimestampText } from '../../lib/schemas.ts'
import { actorOf, appendAudit } from '../audit-log/log.ts'
import { confirmLimitChange, dropLimitChange, pendingApprovals } from './approval.ts'
import { changeBranding, getBranding } from './branding.ts'
import { PREVIEWS, previewPage, previewPdf, UNSAVED_LOGO } from './page.ts'
import { formatFees } from './payment-settings.ts'
import { changeDetails, feesOf, redirectSecretOf } from './service.ts'

const text = (maxLength: number) => Type.Optional(Nullable(Type.String({ maxLength })))

const Details = Type.Object({
  name: Type.Optional(Type.String({ maxLength: 1_000 })),
  email: text(500),
  phone: text(100),
  firstName: text(500),
  lastName: text(500),
})

const Fees = Envelope(
  Type.Object({
    isDefault: Type.Boolean(),
    channels: Type.Array(
      Type.Object({ channel: Type.String(), words: Type.String(), isOwn: Type.Boolean() }),
    ),
    transfers: Type.Array(Type.String()),
  }),
)

export const businessRoutes = ({ db, providers }: ConsoleDeps): Route[] => [
  route({
    operation: 'change_business',
    method: 'POST',
    path: '/business',
    caller: 'member',
    scope: 'business:write',
    body: Details,
    response: NoData,
    handle: async (input) => {
      const { caller, now, body, signedIn } = input
      const { businessId } = caller
      await db.transaction(async (tx) => {
        const changed = await changeDetails(tx, businessId, body, now)
        if (changed.length === 0) return
        // Warnings about keys are sent to this email address, so someone at an unattended screen
        // must not be able to change it.
        if (changed.includes('email') && !isReauthenticated(signedIn.session, now))
          throw reauthenticationNeeded()
        await appendAudit(tx, actorOf(input), {
          businessId,
          action: 'business.change',
          detail: `Changed: ${changed.join(', ')}`,
          at: now,
        })
      })
      return success('Business details saved.', null)
    },
  }),
  route({
    operation: 'get_fees',
    method: 'GET',
    path: '/fees',
    caller: 'member',
    scope: 'profile:read',
    response: Fees,
    handle: async ({ caller: { businessId } }) => {
      const { isDefault, rules } = (await feesOf(db, businessId))!
      const { channels, transfers } = formatFees(rules)
      // Omits channels that none of the business's connections offer.
      const modes = [true, false].map((live) => providers.channels({ businessId, live }))
      const known: string[] = [...(await Promise.all(modes)).flat(), 'OFFLINE']
      return success('Fees retrieved.', {
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
  // Below the limit for bodies, so that a logo that is too large gets a specific error.
  logo: Type.Optional(Nullable(Type.String({ maxLength: 1_000_000 }))),
})

const Edge = Type.Integer({ minimum: 1, maximum: 100_000 })
const Preview = Type.Object({
  page: Type.Enum([...PREVIEWS]),
  scheme: Type.Enum(['light', 'dark'], { default: 'light' }),
  change: Type.Object(TEXTS),
  logo: Type.Optional(Nullable(Type.Object({ width: Edge, height: Edge }))),
})

const orNull = Nullable(Type.String())
const Inks = Type.Object({ accent: Type.String(), onAccent: Type.String() })
const OneBranding = Envelope(
  Type.Object({
    name: orNull,
    supportEmail: orNull,
    supportPhone: orNull,
    website: orNull,
    address: orNull,
    accentColor: orNull,
    accentInks: Nullable(Type.Object({ light: Inks, dark: Inks })),
    logo: Nullable(
      Type.Object({
        path: Type.String(),
        width: Type.Integer(),
        height: Type.Integer(),
        bytes: Nullable(Type.Integer()),
      }),
    ),
    unless: Type.Object({ name: Type.String(), email: orNull, phone: orNull }),
    updatedAt: NullableTimestamp,
  }),
)
const BrandingPreview = Envelope(Type.Object({ html: Type.String(), unsavedLogo: Type.String() }))

const reads = { caller: 'member', scope: 'profile:read' } as const

export const brandingRoutes = (deps: ConsoleDeps): Route[] => [
  route({
    ...reads,
    operation: 'get_branding',
    method: 'GET',
    path: '/branding',
    response: OneBranding,
    handle: async ({ caller: { businessId } }) =>
      success('Branding retrieved.', await getBranding(deps.db, businessId)),
  }),
  route({
    operation: 'change_branding',
    method: 'POST',
    path: '/branding',
    caller: 'member',
    scope: 'business:write',
    body: Change,
    bodyBytes: 'picture',
    response: OneBranding,
    handle: async (input) => {
      const { caller, now, body } = input
      const { businessId } = caller
      const record = await changeBranding(deps, { businessId, now }, body, (tx, changed) =>
        appendAudit(tx, actorOf(input), {
          businessId,
          action: 'branding.change',
          detail: `Changed: ${changed.join(', ')}`,
          at: now,
        }),
      )
      return success('Branding saved.', record)
    },
  }),
  route({
    ...reads,
    operation: 'preview_branding',
    method: 'POST',
    path: '/branding/preview',
    body: Preview,
    response: BrandingPreview,
    handle: async ({ caller, now, body: { page, scheme, change, logo } }) => {
      const { businessId, live } = caller
      const html = await previewPage(
        deps.db,
        { businessId, live, now },
        { page: page as 'invoice', scheme: scheme as 'light', change, logo },
      )
      return success('Preview created.', { html, unsavedLogo: UNSAVED_LOGO })
    },
  }),
  route({
    ...reads,
    operation: 'download_branding_sample',
    method: 'GET',
    path: '/branding/paper',
    response: FileOf('application/pdf'),
    handle: async ({ caller: { businessId, live }, now }) => {
      const bytes = await previewPdf(deps, { businessId, live, now })
      return new Download(bytes, {
        type: 'application/pdf',
        name: 'invoice-sample.pdf',
        disposition: 'attachment',
      })
    },
  }),
]

const RedirectSecret = Envelope(Type.Object({ secret: Type.String() }))

/**
 * The secret used to sign redirect URLs. Anyone who has it can sign as the server does, so no
 * screen loads it automatically, and the audit log records who viewed it.
 */
export const redirectSecretRoutes = ({ db, keyring }: ConsoleDeps): Route[] => [
  route({
    operation: 'show_redirect_secret',
    method: 'POST',
    path: '/redirect-secret/show',
    caller: 'member',
    scope: 'profile:write',
    proven: true,
    response: RedirectSecret,
    handle: async (input) => {
      const { caller, now: at } = input
      const secret = await redirectSecretOf(db, keyring, caller)
      const { businessId, live } = caller
      await db.transaction((tx) => {
        const about = { action: 'redirect_secret.show', detail: 'Viewed the redirect secret' }
        return appendAudit(tx, actorOf(input), { businessId, live, at, ...about })
      })
      return success('Redirect secret retrieved.', { secret })
    },
  }),
]

/** Identifies the change that the person saw, because a newer one may have replaced it. */
const Looked = Type.Object({ requestedAt: TimestampText })

const DECISIONS = {
  confirm: { decide: confirmLimitChange, detail: 'Confirmed a change to the approval limits' },
  drop: { decide: dropLimitChange, detail: 'Withdrew a change to the approval limits' },
} as const

const Approvals = Envelope(Type.Object({ transfers: Type.Integer(), limits: Type.Integer() }))

export const approvalRoutes = ({ db }: ConsoleDeps): Route[] => [
  route({
    operation: 'get_approvals',
    method: 'GET',
    path: '/approvals',
    caller: 'member',
    scope: 'transfers:read',
    response: Approvals,
    handle: async ({ caller }) =>
      success('Approvals retrieved.', await pendingApprovals(db, caller)),
  }),
  ...(['confirm', 'drop'] as const).map((verb) =>
    route({
      operation: `${verb}_approval_change`,
      method: 'POST',
      path: `/approval-change/${verb}`,
      caller: 'member',
      scope: 'transfers:write',
      proven: true,
      body: Looked,
      response: Envelope(Type.Object({})),
      handle: async (input) => {
        const { caller, now: at, body } = input
        const { decide, detail } = DECISIONS[verb]
        const { businessId, live } = caller
        await db.transaction(async (tx: Tx) => {
          await decide(tx, caller as Caller, new Date(body.requestedAt))
          const action = `approval_change.${verb}`
          await appendAudit(tx, actorOf(input), { businessId, live, at, action, detail })
        })
        return success(`${detail}.`, {})
      },
    }),
  ),
]
