import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { BASE62, randomText } from '../../lib/tokens.ts'

export type KeyType = 'secret' | 'public'

const RANDOM_LENGTH = 32
const CHECKSUM_LENGTH = 6

const FORMAT = /^[a-z]{2}_(?:test|live)_[0-9A-Za-z]{38}$/

/** `sk_test_` or similar, 32 random characters (190 bits), and a checksum of 6. */
export function newKey(type: KeyType, live: boolean): string {
  return newSecret(type === 'secret' ? 'sk' : 'pk', live)
}

/** The same with another prefix, for other secrets that are shown once and stored as a hash. */
export function newSecret(prefix: string, live: boolean): string {
  const body = `${prefix}_${live ? 'live' : 'test'}_${randomText(RANDOM_LENGTH)}`
  return body + checksumOf(body)
}

/**
 * Whether `key` has the format of our keys, including the checksum. It detects typing errors, and
 * keys of other services, without the database; it verifies nothing.
 */
export function isWellFormed(key: string): boolean {
  return FORMAT.test(key) && checksumOf(key.slice(0, -CHECKSUM_LENGTH)) === checksumIn(key)
}

const checksumIn = (key: string) => key.slice(-CHECKSUM_LENGTH)

/** CRC-32 in base 62: six digits hold 35 bits. */
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
 * Only this is stored of a key. 190 random bits need no slow hash, since they cannot be guessed.
 */
export const hashOf = (key: string): Buffer => hash('sha256', key, 'buffer')

/** A short form by which people recognise their keys: `sk_test_…x1Yz`. */
export const hintOf = (key: string): string => `${key.slice(0, 8)}…${key.slice(-4)}`
