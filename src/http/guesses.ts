import { hash } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import type { Credentials } from '../lib/tenant.ts'
import { type RateLimit, rateLimiter } from './rate-limit.ts'

/** Of one network: keys and sessions that turn out to be none. */
const FAILING: RateLimit = { perSecond: 1, burst: 100 }
const PROVEN_MAX = 10_000

type Prove<Who> = (credentials: Credentials) => Promise<Who>

interface Options {
  clock: Clock
  /** Turns the limit off. */
  isOff: boolean
  networkOf(ip: string): string
  /** Whether finding out costs a query; what is misspelt is refused without one. */
  isCostly(credentials: Credentials): boolean
}

/**
 * Limits how many keys and sessions a network may try that are not valid. A network that used up
 * its tries gets 429 without a query, except for keys and sessions that were proved before: other
 * programs behind the same address go on.
 */
export function guessLimiter({ clock, isOff, networkOf, isCostly }: Options) {
  const take = rateLimiter(isOff ? { perSecond: 0, burst: 0 } : FAILING)
  const proven = new Set<string>()
  const tried = new Map<string, Promise<unknown>>()

  async function attempt<Who>(prove: Prove<Who>, credentials: Credentials, secret: string) {
    const network = networkOf(credentials.ip)
    // Counted before it is known, so that many at once are no way around it.
    take(network, clock.now().getTime())
    const who = await prove(credentials).catch((error) => {
      if (!isFailure(error)) take.giveBack(network)
      throw error
    })
    take.giveBack(network)
    if (proven.size >= PROVEN_MAX) proven.delete(proven.values().next().value!)
    proven.add(secret)
    return who
  }

  return function limited<Who>(prove: Prove<Who>): Prove<Who> {
    if (isOff) return prove
    return async (credentials) => {
      if (!isCostly(credentials)) return prove(credentials)
      const secret = hash('sha256', credentials.session?.token ?? credentials.key, 'base64')
      // Requests of one program at once wait for the first: they are not guesses of many keys.
      await tried.get(secret)?.catch(() => {})
      if (proven.has(secret)) return prove(credentials)
      const first = attempt(prove, credentials, secret)
      tried.set(secret, first)
      return first.finally(() => tried.delete(secret))
    }
  }
}

const isFailure = (error: unknown): boolean =>
  error instanceof Problem && error.kind === 'unauthenticated'
