import { createHmac } from 'node:crypto'
import type { Db } from '../../db/database.ts'
import { invalid } from '../../lib/problem.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { redirectTermsOf } from '../profile/service.ts'

/**
 * Where a payer may be led back to: an http or https address, in live mode on an origin that the
 * business registered. Throws 400 naming `callbackUrl`.
 */
export async function checkCallback(db: Db, tenant: Tenant, url: string): Promise<string> {
  const parsed = /^https?:\/\/[^\s\\]+$/i.test(url) ? URL.parse(url) : null
  if (parsed === null || parsed.username + parsed.password !== '') {
    throw invalid({ callbackUrl: ['must be an address such as https://shop.example.com/thanks'] })
  }
  if (!tenant.live) return parsed.href
  const { origins } = await redirectTermsOf(db, tenant)
  if (origins.includes(parsed.origin)) return parsed.href
  throw invalid({ callbackUrl: ['must be on an origin of the settings of the business'] })
}

interface Outcome {
  reference: string
  status: string
  at: Date
}

/**
 * `url` with `reference`, `status`, `timestamp` (seconds) and `signature`, which proves that we
 * sent the payer: HMAC-SHA256, in hex, of the first three joined by dots. What the address has of
 * these names is replaced.
 */
export function signedUrl(url: string, secret: string, { reference, status, at }: Outcome): string {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signed = `${reference}.${status}.${timestamp}`
  const signature = createHmac('sha256', secret).update(signed).digest('hex')
  const back = new URL(url)
  for (const [name, value] of Object.entries({ reference, status, timestamp, signature })) {
    back.searchParams.set(name, value)
  }
  return back.href
}
