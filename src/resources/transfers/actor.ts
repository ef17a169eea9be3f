import type { Caller } from '../../lib/tenant.ts'

/** Who made or approved a transfer, as its record says; the person of a key is who made the key. */
export interface Actor {
  with: 'person' | 'key' | 'partner'
  name: string
  personId: number | null
}

export function actorOf({ person, partner, key }: Caller): Actor {
  if (person) return { with: 'person', name: person.name, personId: person.id }
  if (partner !== undefined) return { with: 'partner', name: partner, personId: null }
  return { with: 'key', name: key?.name ?? 'API key', personId: key?.madeBy ?? null }
}
