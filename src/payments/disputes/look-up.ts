import type { Tenant } from '../../lib/caller.ts'
import type { LookUpDispute } from '../../provider-orders/notices.ts'
import { type HearDeps, hearDispute } from './hear.ts'
import { type DisputeRow, selectByProviderId } from './queries.ts'

/** Returns a function that looks up the dispute that a notification names. */
export const disputeNotices =
  (deps: HearDeps): LookUpDispute =>
  async ({ tenant, connectionId, providerId }, now) => {
    if (providerId === null) return { status: 'Unchanged', result: 'It names no dispute.' }
    const found = await lookUpDispute(deps, { tenant, connectionId, providerId, now })
    return found === undefined ? undefined : { status: found ? 'Applied' : 'Unchanged' }
  }

interface Asked {
  tenant: Tenant
  connectionId: number
  providerId: string
  now: Date
}

/**
 * Asks a provider about one of its disputes, and applies what it says. Returns whether something
 * changed; undefined if the provider does not know the dispute, or if none of our payments fits.
 * Throws if the provider did not say.
 */
export async function lookUpDispute(
  deps: HearDeps,
  { tenant, connectionId, providerId, now }: Asked,
): Promise<boolean | undefined> {
  const asked = await selectByProviderId(deps.db, tenant, { connectionId, providerId })
  const provider = await deps.providers.holder(connectionId)
  if (!provider.lookUpDispute) throw new Error('This provider has no lookup of disputes.')
  const order = asked && { kind: 'dispute', subjectId: asked.id, attempt: 1 }
  const outcome = await provider.lookUpDispute({ tenant, now, ...(order && { order }) }, providerId)
  if (outcome.kind === 'refused' && outcome.code === 'unknown_order') return undefined
  if (outcome.kind !== 'done') throw new Error('The provider did not report the state.')
  return hearDispute(deps, { tenant, connectionId, providerId, state: outcome.value, now }, asked)
}

export const lookUpAgain = (
  deps: HearDeps,
  { business_id: businessId, live, connection_id, provider_id }: DisputeRow,
  now: Date,
) =>
  lookUpDispute(deps, {
    tenant: { businessId, live },
    ...{ connectionId: connection_id, providerId: provider_id, now },
  })
