import { setTimeout as sleep } from 'node:timers/promises'
import { databaseDown } from '../../db/connections.ts'
import type { Database } from '../../db/database.ts'
import { type Answer, type Claim, inSteps, letGo } from '../../db/idempotency.ts'
import type { Log } from '../../db/log.ts'
import { addMs } from '../../lib/clock.ts'
import { Problem } from '../../lib/problem.ts'
import type { Caller, Tenant } from '../../lib/tenant.ts'
import type { Deps } from '../deps.ts'
import { type Asked, type Begun, beginPayment } from './begin.ts'
import { selectById, selectIfStored, type UtilityRow } from './queries.ts'
import { utilityBody } from './record.ts'
import { type VendDeps, vend } from './vend.ts'

/** Before the server's own 30 s, which would be answered with 500. */
const ANSWER_MS = 25_000

/** How long to look for a payment whose commit was not confirmed. */
const STORED_WITHIN_MS = 5_000
/** A commit that was received is carried out by then, if it is at all. */
const COMMITTED_WITHIN_MS = 1_000
const LOOK_EVERY_MS = 250

interface Paying {
  claim: Claim | undefined
  answer(body: object): Answer
  /** When the answer is that the outcome is not known; after 25 s unless given. */
  late?: (signal: AbortSignal) => Promise<unknown>
}

/**
 * Buys something for a customer, once for each paymentReference, and answers how that ended, or
 * that it is Pending. A 500 says that definitely nothing was bought: no outcome that is not known
 * becomes one. Throws as `beginPayment` does, and 503 where nobody could serve the customer.
 */
export async function pay(
  deps: VendDeps & Pick<Deps, 'clock' | 'people'> & { log: Log },
  caller: Caller,
  asked: Asked,
  { claim, answer, late = afterLong }: Paying,
): Promise<Answer> {
  const { db, providers, log } = deps
  const { businessId, live } = caller
  const tenant = { businessId, live }
  providers.of(live, 'UTILITY')
  const began = deps.clock.now().getTime()
  /** By the clock of the business, which may run ahead. */
  const clock = () => addMs(caller.now, deps.clock.now().getTime() - began)
  /** What it is about; if it is new, nobody else calls the provider about it. */
  let begun: Begun | undefined
  /** Until the commit of a new one is confirmed, nothing may be said about it: it may not exist. */
  let isStored = false
  const say = (row: UtilityRow) => answer(utilityBody(row))
  const soFar = () => {
    if (begun && (isStored || !begun.isNew)) return say(begun.row)
    throw stillRunning()
  }

  const work = inSteps(db, claim, {
    async begin(tx) {
      begun = undefined
      begun = await beginPayment(tx, deps, caller, asked)
      return begun.row.id
    },
    async finish(id) {
      isStored = true
      if (begun?.isNew) {
        await vend(deps, tenant, begun.row, clock).catch((error) =>
          log.error({ err: error, id }, 'a utility payment waits to be looked up'),
        )
      }
      const row = await selectById(db, tenant, id)
      if (row.status === 'Failed') {
        if (claim) await letGo(db, claim, id)
        throw failed(row)
      }
      return { answer: say(row), isFinal: row.status === 'Successful' }
    },
  }).catch(async (error) => {
    if (!(error instanceof Problem) || error.code !== 'outcome_unknown') throw error
    // The commit, or what came after it, was lost: if there is a row, the sweeper goes on with it.
    if (begun?.isNew && !isStored) return say(await lookForStored(db, tenant, begun.row.id, error))
    return soFar()
  })
  return within(late, work, soFar)
}

/**
 * The payment whose commit was not confirmed, once a new connection can say whether it is there.
 * Throws 503 when it is not, and 409 when nobody can say within 5 s.
 */
async function lookForStored(
  db: Database,
  tenant: Tenant,
  id: number,
  cause: unknown,
): Promise<UtilityRow> {
  const began = performance.now()
  for (let passedMs = 0; passedMs < STORED_WITHIN_MS; passedMs = performance.now() - began) {
    const row = await selectIfStored(db, tenant, id).catch(() => 'unreachable' as const)
    if (row && row !== 'unreachable') return row
    if (!row && passedMs > COMMITTED_WITHIN_MS) throw databaseDown(cause)
    await sleep(LOOK_EVERY_MS)
  }
  throw stillRunning()
}

const failed = ({ message }: UtilityRow) =>
  new Problem('internal', 'utility_payment_failed', `Nothing was bought: ${message}.`)

const stillRunning = () =>
  new Problem('conflict', 'request_in_progress', 'How this stands is not known; send it again.', {
    retryAfterSeconds: 1,
  })

const afterLong = (signal: AbortSignal) => sleep(ANSWER_MS, undefined, { signal })

async function within<T>(
  late: NonNullable<Paying['late']>,
  work: Promise<T>,
  say: () => T,
): Promise<T> {
  // How it ends afterwards is told to nobody here, but to whoever asks.
  work.catch(() => {})
  const ended = new AbortController()
  try {
    return await Promise.race([work, late(ended.signal).then(say)])
  } finally {
    ended.abort()
  }
}
