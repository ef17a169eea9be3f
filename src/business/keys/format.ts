import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { BASE62, randomText } from '../../lib/tokens.ts'

export type KeyType = 'secret' | 'public'

const RANDOM_LENGTH = 32
const CHECKSUM_LENGTH = 6

const FORMAT = /^[a-z]{2}_(?:test|live)_[0-9A-Za-z]{38}$/

/** Returns `sk_test_` or similar, 32 random characters (190 bits), and a 6-character checksum. */
export function newKey(type: KeyType, live: boolean): string {
  return newSecret(type === 'secret' ? 'sk' : 'pk', live)
}

/**
 * Like `newKey`, but with a different prefix, for other secrets that are shown once and stored as a
 * hash.
 */
export function newSecret(prefix: string, live: boolean): string {
  const body = `${prefix}_${live ? 'live' : 'test'}_${randomText(RANDOM_LENGTH)}`
  return body + checksumOf(body)
}

/**
 * Returns whether `key` has the format of our keys, including the checksum. This catches typing
 * errors and keys for other services without a query, but does not verify the key.
 */
export function isWellFormed(key: string): boolean {
  return FORMAT.test(key) && checksumOf(key.slice(0, -CHECKSUM_LENGTH)) === checksumIn(key)
}

const checksumIn = (key: string) => key.slice(-CHECKSUM_LENGTH)

/** CRC-32 in base 62. Its 32 bits fit into six digits, which hold 35. */
function checksumOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = BASE62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/**
 * The only part of a key that is stored. 190 random bits can't be guessed, so a fast hash is
 * enough.
 */
export const hashOf = (key: string): Buffer => hash('sha256', key, 'buffer')

/** Returns a short form by which people recognise a key: `sk_test_…x1Yz`. */
export const hintOf = (key: string): string => `${key.slice(0, 8)}…${key.slice(-4)}`
