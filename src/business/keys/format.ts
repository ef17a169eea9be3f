import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { BASE62, randomText } from '../../lib/tokens.ts'

export type KeyType = 'secret' | 'public'

const RANDOM_LENGTH = 32
const CHECKSUM_LENGTH = 6

const FORMAT = /^[a-z]{2}_(?:test|live)_[0-9A-Za-z]{38}$/

/** `sk_test_` and its like, 32 characters that nobody can guess (190 bits), 6 of checksum. */
export function newKey(type: KeyType, live: boolean): string {
  return newSecret(type === 'secret' ? 'sk' : 'pk', live)
}

/** The same with another prefix: what else is shown once and kept as a hash. */
export function newSecret(prefix: string, live: boolean): string {
  const body = `${prefix}_${live ? 'live' : 'test'}_${randomText(RANDOM_LENGTH)}`
  return body + checksumOf(body)
}

/**
 * Whether `key` is written like one of our keys, checksum and all. It finds a typing error, or the
 * key of another service, without asking the database; it proves nothing.
 */
export function isWellFormed(key: string): boolean {
  return FORMAT.test(key) && checksumOf(key.slice(0, -CHECKSUM_LENGTH)) === checksumIn(key)
}

const checksumIn = (key: string) => key.slice(-CHECKSUM_LENGTH)

/** CRC-32 in base 62: six of its digits hold 35 bits. */
function checksumOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = BASE62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** All that is stored of a key. 190 random bits need no slow hash: there is nothing to try out. */
export const hashOf = (key: string): Buffer => hash('sha256', key, 'buffer')

/** How people tell their keys apart: `sk_test_…x1Yz`. */
export const hintOf = (key: string): string => `${key.slice(0, 8)}…${key.slice(-4)}`
