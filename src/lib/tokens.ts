import { randomFillSync, timingSafeEqual } from 'node:crypto'
import { inspect } from 'node:util'
import type { Tenant } from './caller.ts'

export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

// Fetches random bytes in bulk, because a call for 4 kB costs about as much as one for 16 bytes.
const stock = Buffer.alloc(4096)
let used = stock.length

function randomByte(): number {
  if (used === stock.length) {
    randomFillSync(stock)
    used = 0
  }
  return stock[used++]!
}

/** Returns `length` characters from 0-9A-Za-z, each with 5.95 bits of randomness. */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    const index = randomByte() & 63
    // 62 and 63 are skipped: wrapping them would make two characters more likely than the others.
    if (index < 62) text += BASE62[index]
  }
  return text
}

/** Generates a public reference, such as `INV_` followed by 119 random bits. */
export const newReference = (prefix: string): string => `${prefix}_${randomText(20)}`

/**
 * A token for a hosted page. It contains the id of the page's row, so finding the page doesn't need
 * a table of tokens that every shard would have to share. The 131-bit secret at its end grants
 * access.
 */
interface PageToken extends Tenant {
  id: number
  secret: string
}

export const newTokenSecret = (): string => randomText(22)

export const printToken = ({ businessId, live, id, secret }: PageToken): string =>
  `${businessId.toString(36)}${live ? 'l' : 't'}-${id.toString(36)}-${secret}`

const TOKEN = /^([0-9a-z]{1,11}?)([lt])-([0-9a-z]{1,11})-([0-9A-Za-z]{22})$/

/** Returns undefined if the string is not one of our tokens. */
export function parseToken(token: string): PageToken | undefined {
  const [, business = '', mode, id = '', secret] = TOKEN.exec(token) ?? []
  if (!secret) return undefined
  const businessId = Number.parseInt(business, 36)
  const number = Number.parseInt(id, 36)
  if (!Number.isSafeInteger(businessId) || !Number.isSafeInteger(number)) return undefined
  return { businessId, live: mode === 'l', id: number, secret }
}

/** Compares in constant time. */
export const isSameSecret = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

/** A value that is printed as `[secret]` if it is logged, joined or serialised by accident. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  toString(): string {
    return '[secret]'
  }

  toJSON(): string {
    return '[secret]'
  }

  [inspect.custom](): string {
    return '[secret]'
  }
}
