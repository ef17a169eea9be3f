import type { Clock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import { type RateLimit, rateLimiter } from './rate-limit.ts'

/** What anonymous payers can do, and how often. A rate limit of 0 turns all of it off. */
export interface PayerLimits {
  /** Every request of a network. */
  take(ip: string): void
  /** The forms of one unguessable link, whoever sends them. Throws 429. */
  takeOfLink(link: string): void
  /** Looks at one public page and its forms, for each network. Throws 429. */
  takeOfPage(ip: string, link: string): void
  /** Wrong discount codes on one page, for each network. */
  guess(ip: string, link: string): Guess
  networkOf(ip: string): string
}

/** One discount code that is tried. */
export interface Guess {
  /** Counts it as wrong until it proves right; false when too many were wrong. */
  begin(): boolean
  right(): void
}

const A_MINUTE = { perSecond: 1, burst: 60 }
const CODES = { perSecond: 10 / 3600, burst: 10 }
const OFF = { perSecond: 0, burst: 0 }

export function payerLimits(
  { rateLimit, clock }: { rateLimit: RateLimit; clock: Clock },
  take: (ip: string) => void,
  networkOf: (ip: string) => string,
): PayerLimits {
  const isOn = rateLimit.perSecond > 0
  const links = rateLimiter(isOn ? A_MINUTE : OFF)
  const pages = rateLimiter(isOn ? A_MINUTE : OFF)
  const codes = rateLimiter(isOn ? CODES : OFF)
  const atMs = () => clock.now().getTime()
  const onPage = (ip: string, link: string) => `${networkOf(ip)} ${link}`
  return {
    take,
    networkOf,
    takeOfLink: (link) => void links(link, atMs()),
    takeOfPage: (ip, link) => void pages(onPage(ip, link), atMs()),
    guess: (ip, link) => ({
      begin() {
        try {
          codes(onPage(ip, link), atMs())
          return true
        } catch (error) {
          if (error instanceof Problem) return false
          throw error
        }
      },
      right: () => codes.giveBack(onPage(ip, link)),
    }),
  }
}
