import { randomText } from '../../../lib/random.ts'

const LENGTH_MAX = 64
const RANDOM_LENGTH = 6

/** A slug made of a name: `Ankara shirt, blue` is `ankara-shirt-blue`. */
export function slugOf(name: string): string {
  const letters = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
  const slug = trimmed(letters.slice(0, LENGTH_MAX + 1))
  if (slug.length >= 3) return trimmed(slug.slice(0, LENGTH_MAX))
  return slug === '' ? 'product' : `product-${slug}`
}

const trimmed = (slug: string): string => slug.replace(/^-+|-+$/g, '')

/**
 * The same with an end that nobody else has. By chance rather than counted, because a hundred
 * products of one name made at once would all count to the same number, again and again.
 */
export const slugWithEnd = (slug: string): string =>
  withEnd(slug, randomText(RANDOM_LENGTH).toLowerCase())

/** Cut, so that the end still fits. */
export const withEnd = (slug: string, end: string): string =>
  `${trimmed(slug.slice(0, LENGTH_MAX - end.length - 1))}-${end}`
