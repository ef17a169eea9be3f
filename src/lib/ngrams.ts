import type { Tenant } from './caller.ts'

/**
 * The search index stores each run of one, two or three characters in a string as a number. The
 * number depends on the tenant, and on the kind of record if several kinds share an index, so that
 * their entries do not mix. Two runs can have the same number, so searches also compare the strings
 * themselves.
 */
export const NGRAM_MAX = 3

/**
 * Returns a string in the form in which searches and names are compared: lower case and composed.
 * All forms of sigma count as the same letter, and Turkish İ counts as i. Use this for all
 * comparisons: PostgreSQL lowers some letters differently, depending on its locale.
 */
export const foldCase = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('i\u0307', 'i')
    .replaceAll('ς', 'σ')
    .normalize('NFC')

/**
 * Returns the n-grams of the fields that a search covers. No n-gram extends past the end of its
 * field.
 */
export function ngramsOf(tenant: Tenant, fields: readonly string[], kind: string): Set<number> {
  const ngrams = new Set<number>()
  const seed = seedOf(tenant, kind)
  for (const field of fields) {
    for (let length = 1; length <= NGRAM_MAX; length++) addNgrams(ngrams, seed, field, length)
  }
  return ngrams
}

/**
 * Returns at most `most` n-grams from `text`, evenly spread and of the greatest length, since
 * longer ones are rarer.
 */
export function someNgramsOf(tenant: Tenant, text: string, kind: string, most: number): number[] {
  const ngrams = new Set<number>()
  addNgrams(ngrams, seedOf(tenant, kind), text, Math.min(NGRAM_MAX, text.length))
  const all = [...ngrams]
  const step = Math.max(1, all.length / most)
  const few = Math.min(all.length, most)
  return Array.from({ length: few }, (_, i) => all[Math.floor(i * step)]!)
}

/** Returns the number of a mark, which classifies a record. No string produces this number. */
export function numberOfMark(tenant: Tenant, mark: string, kind: string): number {
  const ngrams = new Set<number>()
  addNgrams(ngrams, seedOf(tenant, `${kind}\n`), mark, mark.length)
  return [...ngrams][0]!
}

function addNgrams(ngrams: Set<number>, seed: number, text: string, length: number): void {
  for (let from = 0; from + length <= text.length; from++) {
    let hash = seed
    for (let i = from; i < from + length; i++) hash = mixed(hash, text.charCodeAt(i))
    ngrams.add(finished(hash))
  }
}

function seedOf({ businessId, live }: Tenant, kind: string): number {
  const low = mixed(0x811c9dc5, businessId & 0xffffff)
  let seed = mixed(mixed(low, businessId / 0x1000000), live ? 1 : 0)
  for (let i = 0; i < kind.length; i++) seed = mixed(seed, kind.charCodeAt(i))
  return seed
}

// 32-bit FNV-1a, then the last step of MurmurHash3, because short runs differ in only a few bits.
const mixed = (hash: number, part: number): number => Math.imul(hash ^ part, 0x01000193)

function finished(hash: number): number {
  let h = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}
