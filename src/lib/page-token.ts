import { randomText } from './random.ts'
import type { Tenant } from './tenant.ts'

/**
 * The address of a hosted page names its row, so that finding it needs no table of tokens that
 * every shard would have to share; the secret at its end, 131 bits, is what opens it.
 */
export interface PageToken extends Tenant {
  id: number
  secret: string
}

export const newTokenSecret = (): string => randomText(22)

export const printToken = ({ businessId, live, id, secret }: PageToken): string =>
  `${businessId.toString(36)}${live ? 'l' : 't'}-${id.toString(36)}-${secret}`

const TOKEN = /^([0-9a-z]{1,11}?)([lt])-([0-9a-z]{1,11})-([0-9A-Za-z]{22})$/

/** Undefined for what is no token of ours. */
export function parseToken(token: string): PageToken | undefined {
  const [, business = '', mode, id = '', secret] = TOKEN.exec(token) ?? []
  if (!secret) return undefined
  const businessId = Number.parseInt(business, 36)
  const number = Number.parseInt(id, 36)
  if (!Number.isSafeInteger(businessId) || !Number.isSafeInteger(number)) return undefined
  return { businessId, live: mode === 'l', id: number, secret }
}
