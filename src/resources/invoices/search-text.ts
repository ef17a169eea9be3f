import type { Tenant } from '../../lib/tenant.ts'

/**
 * What an invoice is found by, and the pieces of it that the index holds: each run of one, two or
 * three characters as a number. The number depends on the tenant, so that the entries of one are
 * not mixed with those of all others; that two runs may share one is why texts are compared too.
 *
 * It also depends on the week of the invoice, so that a search can look through the newest first:
 * `piece # week * WEEK_FACTOR`, cut to 32 bits. Shorter spans would make a text that nothing has
 * dearer, longer ones a text that everything has.
 */
const PIECE_MAX = 3

export const WEEK_SECONDS = 7 * 24 * 3600
export const WEEK_FACTOR = 0x9e3779b1

const weekOf = (at: Date): number => Math.floor(at.getTime() / 1000 / WEEK_SECONDS)

/** The pieces of an invoice, given as the fields that a search looks into. */
export function piecesOfText(tenant: Tenant, createdAt: Date, fields: readonly string[]): number[] {
  const pieces = new Set<number>()
  for (const field of fields) {
    for (let length = 1; length <= PIECE_MAX; length++) addPieces(pieces, tenant, field, length)
  }
  const week = Math.imul(weekOf(createdAt), WEEK_FACTOR)
  return Array.from(pieces, (piece) => piece ^ week)
}

/** More of them find no fewer, and each costs another look into the index. */
const SEARCHED_MAX = 8

/**
 * Pieces that whatever contains `text` has: the longest, which are the rarest, and of an e-mail
 * address rather those before the @, since very many share what is after it.
 */
export function piecesOfSearch(tenant: Tenant, text: string): number[] {
  const at = text.indexOf('@')
  const rare = at >= PIECE_MAX ? text.slice(0, at) : text
  const pieces = new Set<number>()
  addPieces(pieces, tenant, rare, Math.min(PIECE_MAX, rare.length))
  const found = [...pieces]
  const step = Math.max(1, found.length / SEARCHED_MAX)
  const few = Math.min(found.length, SEARCHED_MAX)
  return Array.from({ length: few }, (_, i) => found[Math.floor(i * step)]!)
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
