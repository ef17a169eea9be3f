import type { Tenant } from '../../lib/tenant.ts'

/**
 * What an invoice is found by, and the pieces of it that the index holds: each run of one, two or
 * three characters as a number. The number depends on the tenant, so that the entries of one are
 * not mixed with those of all others; that two runs may share one is why texts are compared too.
 */
const PIECE_MAX = 3

/** The pieces of a text, given as the fields that a search looks into. */
export function piecesOfText(tenant: Tenant, fields: readonly string[]): number[] {
  const pieces = new Set<number>()
  for (const field of fields) {
    for (let length = 1; length <= PIECE_MAX; length++) addPieces(pieces, tenant, field, length)
  }
  return [...pieces]
}

/** Pieces that whatever contains `text` has: the longest, which are the rarest. */
export function piecesOfSearch(tenant: Tenant, text: string): number[] {
  const pieces = new Set<number>()
  addPieces(pieces, tenant, text, Math.min(PIECE_MAX, text.length))
  return [...pieces]
}

function addPieces(pieces: Set<number>, tenant: Tenant, text: string, length: number): void {
  const start = seedOf(tenant)
  for (let from = 0; from + length <= text.length; from++) {
    let hash = start
    for (let i = from; i < from + length; i++) hash = mixed(hash, text.charCodeAt(i))
    pieces.add(finished(hash))
  }
}

const seedOf = ({ businessId, live }: Tenant): number =>
  mixed(mixed(mixed(0x811c9dc5, businessId & 0xffffff), businessId / 0x1000000), live ? 1 : 0)

// FNV-1a with 32 bits, and the last step of MurmurHash3, since short runs differ in few bits.
const mixed = (hash: number, part: number): number => Math.imul(hash ^ part, 0x01000193)

function finished(hash: number): number {
  let h = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}
