import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, type Claim, inSteps, letGo } from '../../db/idempotency.ts'
import type { Log } from '../../db/log.ts'
import { Problem } from '../../lib/problem.ts'
import type { Caller } from '../../lib/tenant.ts'
import { type Asked, beginPayment } from './begin.ts'
import { selectById, type UtilityRow } from './queries.ts'
import { utilityBody } from './record.ts'
import { type VendDeps, vend } from './vend.ts'

/** Before the server's own 30 s, which would be answered with 500. */
const ANSWER_MS = 25_000

interface Paying {
  claim: Claim | undefined
  answer(body: object): Answer
  /** After how long the answer is that the outcome is not known; 25 s unless given. */
  answerMs?: number
}

/**
 * Buys something for a customer, once for each paymentReference, and answers how that ended, or
 * that it is Pending. A 500 says that definitely nothing was bought: no outcome that is not known
 * becomes one. Throws as `beginPayment` does, and 503 where nobody could serve the customer.
 */
export async function pay(
  deps: VendDeps & { log: Log },
  caller: Caller,
  asked: Asked,
  { claim, answer, answerMs = ANSWER_MS }: Paying,
): Promise<Answer> {
  const { db, providers, log } = deps
  const { businessId, live, now } = caller
  const tenant = { businessId, live }
  providers.of(live, 'UTILITY')
  /** What this request made, and nobody else calls the provider about. */
  let own: UtilityRow | undefined
  const pending = (row: UtilityRow) => answer(utilityBody(row))

  const work = inSteps(db, claim, {
    async begin(tx) {
      own = undefined
      const { row, isNew } = await beginPayment(tx, deps, caller, asked)
      if (isNew) own = row
      return row.id
    },
    async finish(id) {
      if (own) {
        await vend(deps, tenant, own, now).catch((error) =>
          log.error({ err: error, id }, 'a utility payment waits to be looked up'),
        )
      }
      const row = await selectById(db, tenant, id)
      if (row.status === 'Failed') {
        if (claim) await letGo(db, claim, id)
        throw failed(row)
      }
      return { answer: pending(row), isFinal: row.status === 'Successful' }
    },
  }).catch((error) => {
    // The commit, or what came after it, was lost: if it was begun, the sweeper goes on with it.
    if (own && error instanceof Problem && error.code === 'outcome_unknown') return pending(own)
    throw error
  })
  return within(answerMs, work, () => {
    if (own) return pending(own)
    throw stillRunning()
  })
}

const failed = ({ message }: UtilityRow) =>
  new Problem('internal', 'utility_payment_failed', `Nothing was bought: ${message}.`)

const stillRunning = () =>
  new Problem('conflict', 'request_in_progress', 'This takes long; send it again to see.', {
    retryAfterSeconds: 1,
  })

async function within<T>(ms: number, work: Promise<T>, late: () => T): Promise<T> {
  // How it ends afterwards is told to nobody here, but to whoever asks.
  work.catch(() => {})
  const timer = new AbortController()
  try {
    return await Promise.race([work, sleep(ms, undefined, { signal: timer.signal }).then(late)])
  } finally {
    timer.abort()
  }
}
