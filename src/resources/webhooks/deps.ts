import type { Deps } from '../deps.ts'
import type { WebhookRules } from './content.ts'
import type { Deliverer } from './deliver.ts'

/** What endpoints and their deliveries are built from. */
export type WebhookDeps = Pick<Deps, 'db' | 'ids' | 'nudge' | 'events'> & {
  webhooks: WebhookRules
  deliverer: Deliverer
}
