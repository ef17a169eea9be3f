import { isCurrency } from '../lib/money.ts'
import { invalid } from '../lib/problem.ts'

/** What the channels of this server can take and pay out, connected or not. */
const CARRIED: readonly string[] = ['NGN']

export const isCarried = (currency: string): boolean => CARRIED.includes(currency)

/** Throws 400 on `currency` for one that no channel can take. */
export function requireCarried(currency: string): void {
  if (!isCurrency(currency)) throw invalid({ currency: ['must be an ISO 4217 currency code'] })
  if (!isCarried(currency)) {
    throw invalid({
      currency: [`must be ${CARRIED.join(' or ')}: no channel can take ${currency}`],
    })
  }
}
