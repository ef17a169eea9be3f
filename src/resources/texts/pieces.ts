import { piecesOf, piecesSought } from '../../lib/pieces.ts'
import type { Tenant } from '../../lib/tenant.ts'

/**
 * The pieces by which a record is found also depend on its week, so that a search can look through
 * the newest first: `piece # week * WEEK_FACTOR`, cut to 32 bits. Shorter spans would make a text
 * that nothing has dearer, longer ones a text that everything has.
 */
export const WEEK_SECONDS = 7 * 24 * 3600
export const WEEK_FACTOR = 0x9e3779b1

const weekOf = (at: Date): number => Math.floor(at.getTime() / 1000 / WEEK_SECONDS)

/** The pieces of a record, given as the fields that a search looks into. */
export function piecesOfText(tenant: Tenant, createdAt: Date, fields: readonly string[]): number[] {
  const week = Math.imul(weekOf(createdAt), WEEK_FACTOR)
  return Array.from(piecesOf(tenant, fields), (piece) => piece ^ week)
}

/** Shorter than this, what stands before the @ says less than the whole address. */
const LOCAL_LENGTH_MIN = 3

/**
 * Pieces that whatever contains `text` has; of an e-mail address rather those before the @, since
 * very many share what is after it.
 */
export function piecesOfSearch(tenant: Tenant, text: string): number[] {
  const at = text.indexOf('@')
  return piecesSought(tenant, at >= LOCAL_LENGTH_MIN ? text.slice(0, at) : text)
}
