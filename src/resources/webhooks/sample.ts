import type { Tx } from '../../db/database.ts'
import { appendEvents } from '../../events/append.ts'
import { invalid } from '../../lib/problem.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { Deps } from '../deps.ts'
import { insertSample, type SampleKind, selectSampleEvent } from './queries-samples.ts'

type Fields = Record<string, unknown>

export interface SampleRequest {
  type: string
  /** Laid over the example of the type, field by field. */
  data?: Fields | undefined
}

/**
 * Writes an event that is only a sample: it is about itself, so that nothing is told of an object
 * that it did not happen to. Answers the event; throws 400 naming `type`.
 */
export async function tellSample(
  tx: Tx,
  { ids, events }: Pick<Deps, 'ids' | 'events'>,
  { businessId, live, now }: Tenant & { now: Date },
  kind: SampleKind,
  { type, data = {} }: SampleRequest,
) {
  if (!events.isType(type)) {
    throw invalid({
      type: ['must be an event type; GET event-types and docs/EVENTS.md list them all'],
    })
  }
  const tenant = { businessId, live }
  const id = await ids.next(tx)
  const told = laidOver(events.exampleOf(type) as Fields, data)
  await insertSample(tx, tenant, { id, kind, now })
  await appendEvents(tx, ids, [
    { ...tenant, type, objectType: kind, objectId: id, sequence: 1, data: told, at: now },
  ])
  return selectSampleEvent(tx, tenant, id)
}

/** Objects field by field; everything else, lists too, is replaced. */
function laidOver(below: Fields, above: Fields): Fields {
  const all = new Map(Object.entries(below))
  for (const [name, value] of Object.entries(above)) {
    const under = all.get(name)
    all.set(name, isObject(under) && isObject(value) ? laidOver(under, value) : value)
  }
  return Object.fromEntries(all)
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
