import { isCurrency, type Minor } from '../lib/money.ts'
import { invalid } from '../lib/problem.ts'
import type { RoutingQuery } from './connector/types.ts'

/**
 * The currencies that this server's channels can accept and pay out, even if no channel is
 * connected.
 */
const CARRIED: readonly string[] = ['NGN']

export const isSupportedCurrency = (currency: string): boolean => CARRIED.includes(currency)

/** Throws 400 naming `currency` if no channel can accept it. */
export function requireSupportedCurrency(currency: string): void {
  if (!isCurrency(currency)) throw invalid({ currency: ['must be an ISO 4217 currency code'] })
  if (!isSupportedCurrency(currency)) {
    throw invalid({
      currency: [`must be ${CARRIED.join(' or ')}: no channel can take ${currency}`],
    })
  }
}

/** Asks for a connection that can pay into an account. */
export const payoutQuery = ({
  currency,
  amount_minor,
  bank_code: bankCode,
  reference: key,
}: {
  currency: string
  amount_minor: Minor
  bank_code: string
  reference: string
}): RoutingQuery => ({
  service: 'PAYOUTS',
  currency,
  amount_minor,
  bankCode,
  key,
  // A job sends it.
  canWait: true,
})

/** Asks for a connection that can say who holds an account at a bank. */
export const accountQuery = (bankCode: string): RoutingQuery => ({
  service: 'ACCOUNTS',
  currency: 'NGN',
  bankCode,
})
