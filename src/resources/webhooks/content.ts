import type { EventCatalogue } from '../../events/catalogue.ts'
import { invalid } from '../../lib/problem.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { readPublicUrl, refuseOddUrl } from '../../outgoing/guard.ts'
import { allowsFor } from './addresses.ts'

/** What the operator allows of addresses. */
export interface WebhookRules {
  /** Test mode may call this machine. */
  allowsLoopback: boolean
  /** The server's own address, which is nobody's endpoint. */
  publicUrl: string
}

/**
 * The address as it was given. Throws 400 `url_refused` for one that cannot be public by its text;
 * what its name resolves to is looked at in each connection.
 */
export function readUrl(
  text: string,
  { live }: Tenant,
  { allowsLoopback, publicUrl }: WebhookRules,
): string {
  const url = readPublicUrl(text, allowsFor({ live }, allowsLoopback))
  refuseOddUrl(url, { live, publicUrl })
  // Events carry customers' data. Endpoints that were registered before go on as they are.
  if (live && url.protocol !== 'https:') {
    throw invalid({ url: ['must begin with https:// in live mode'] }, 'url_refused')
  }
  return text
}

/** The column of what an endpoint is told; null is all. Throws 400 naming `events`. */
export function readTypes(
  known: EventCatalogue,
  events: readonly string[] | undefined,
): string[] | null {
  if (events === undefined) return null
  if (events.includes('*')) {
    if (events.some((type) => type !== '*')) throw invalid({ events: ['must be ["*"] for all'] })
    return null
  }
  const unknown = events.find((type) => !known.isType(type) && !known.isWildcard(type))
  if (unknown !== undefined) {
    throw invalid({
      events: [
        `must be types or wildcards such as invoice.*; ${JSON.stringify(unknown)} is not in GET event-types`,
      ],
    })
  }
  return [...new Set(events)]
}
