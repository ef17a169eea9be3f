import { Type } from 'typebox'
import { Download } from '../http/download.ts'
import { success } from '../http/envelopes.ts'
import { Nullable } from '../lib/schemas.ts'
import { PREVIEWS, previewPage, previewPaper, UNSAVED_LOGO } from '../resources/branding/preview.ts'
import { changeBranding, getBranding } from '../resources/branding/service.ts'
import { actorOf, appendAudit } from './audit-log.ts'
import type { ConsoleDeps } from './deps.ts'
import { type ConsoleRoute, consoleRoute } from './route.ts'

const text = (maxLength: number) => Type.Optional(Nullable(Type.String({ maxLength })))

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
