import { setTimeout as sleep } from 'node:timers/promises'
import type { Tenant } from '../lib/caller.ts'
import { Problem } from '../lib/problem.ts'
import { withPriority } from './connections.ts'
import type { Database, Db, Tx } from './database.ts'
import { isLockTimeout } from './failures.ts'

/** One use of an Idempotency-Key. */
export interface Claim extends Tenant {
  /** The method, service, and path with its parameters, without the family or a trailing slash. */
  scope: string
  key: string
  /** SHA-256 of the validated request. */
  fingerprint: Buffer
  /** SHA-256 of the same values as they were sent. Older versions stored this hash. */
  fingerprintAsSent?: () => Buffer
  now: Date
  /** How long the key and its response are kept. */
  expiresAt: Date
}

/**
 * The bytes of a response. A repeated request receives them again, or `kept` instead if they
 * contain a secret. `Body` is the type of the response body. An operation only repeats its own
 * responses, so the type of a stored response is right by construction.
 */
export interface StoredResponse<Body = unknown> {
  /** Never set. The parameter lets the compiler tell the bodies apart. */
  readonly of?: Body
  status: number
  body: string
  kept?: string
  replayed?: boolean
}

/** How long a repeated request waits for the first before it fails and asks the caller to retry. */
const WAIT_MS = 5_000

// Requests with equal keys meet here first, so a hundred concurrent repeats hold one connection,
// not a hundred.
const running = new Map<
  string,
  { fingerprint: Buffer; answer: Promise<StoredResponse | undefined> }
>()

const mapKeyOf = ({ businessId, live, scope, key }: Claim) =>
  `${businessId} ${live} ${scope} ${key}`

/**
 * Runs `work` once for each key, and from then on repeats its response byte for byte.
 *
 * The claim, the effect and the stored response commit together. A second request that arrives
 * during the first waits for it, for at most 5 s, here or on another process's row. A failed
 * request doesn't leave a row, so its key can be used again. Throws `key_reused` (422) if the key
 * comes with a different request, and `conflict` (409) if the first request is still running after
 * the wait.
 */
export async function once<Body>(
  db: Database,
  claim: Claim | undefined,
  work: (tx: Tx) => Promise<StoredResponse<Body>>,
): Promise<StoredResponse<Body>> {
  if (!claim) return db.transaction(work)
  return joinInFlight(claim, () => onceInDatabase(db, claim, work))
}

/**
 * Like `once`, but called after this process has combined its own requests that have the same key.
 */
function onceInDatabase<Body>(
  db: Database,
  claim: Claim,
  work: (tx: Tx) => Promise<StoredResponse<Body>>,
): Promise<StoredResponse<Body>> {
  return retryOnLockTimeout(claim.key, () =>
    db.transaction(async (tx) => {
      const earlier = await claimOrEarlier(tx, claim)
      if (earlier) return earlier
      const answer = await work(tx)
      await storeAnswer(tx, claim, answer)
      return answer
    }),
  )
}

/** An effect that is written in one statement with others, together with its claim and response. */
interface Batched<Body> {
  /** Adds the effect to the batch. Returns `undefined` if its key has been used before. */
  write(): Promise<StoredResponse<Body> | undefined>
  /** Whether the batch failed because another process holds what it needs. */
  isHeld(error: unknown): boolean
  /** Runs the same effect without the batch. It can wait for rows that others hold. */
  alone(tx: Tx): Promise<StoredResponse<Body>>
}

/** Like `once`, but for an effect that a batch writes. */
export async function onceInBatch<Body>(
  db: Database,
  claim: Claim | undefined,
  { write, isHeld, alone }: Batched<Body>,
): Promise<StoredResponse<Body>> {
  const work = async () => {
    try {
      const answer = await write()
      if (answer) return answer
      if (claim) return await earlierAnswer(db, claim)
    } catch (error) {
      if (!isHeld(error)) throw error
    }
    return claim ? onceInDatabase(db, claim, alone) : db.transaction(alone)
  }
  return claim ? joinInFlight(claim, work) : work()
}

interface Finished<Body> {
  answer: StoredResponse<Body>
  /** Whether the response is stored. If not, a repeated request calls `finish` again. */
  isFinal: boolean
}

/**
 * The effect failed without leaving a trace: its key is free again, and a repeated request starts
 * over.
 */
interface CameToNothing {
  failure: Error
}

/** An effect that continues outside the database. */
interface Phases<Body> {
  /** Writes the effect's first part and returns the effect's number; commits with the claim. */
  begin(tx: Tx): Promise<number>
  /**
   * Continues with only that number. Can run several times, even simultaneously: if a process ends
   * halfway, a repeated request continues the effect.
   */
  finish(id: number): Promise<Finished<Body> | CameToNothing>
}

/**
 * An effect that commits on its own and is harmless to run again. It doesn't need a first phase.
 */
interface Repeatable<Body> {
  begin?: undefined
  finish(): Promise<Finished<Body>>
}

/**
 * Starts an effect once for each key, and finishes it in as many attempts as needed. A repeated
 * request gets the stored response or, if there is none yet, the state of the effect that the first
 * request started.
 */
export async function twoPhase<Body>(
  db: Database,
  claim: Claim | undefined,
  phases: Phases<Body> | Repeatable<Body>,
): Promise<StoredResponse<Body>> {
  if (!phases.begin) return finishedOnce(db, claim, phases)
  const { begin, finish } = phases
  if (!claim) {
    const id = await db.transaction(begin)
    return (await afterBegin(async () => succeeded(await finish(id)))).answer
  }
  return joinInFlight(claim, async () => {
    const begun = await retryOnLockTimeout(claim.key, () =>
      db.transaction(async (tx) => {
        if (!(await isClaimed(tx, claim))) return findBegun(tx, claim)
        const id = await begin(tx)
        await storeBegun(tx, claim, id)
        return id
      }),
    )
    if (typeof begun !== 'number') return begun
    return afterBegin(async () => {
      const finished = await finish(begun)
      if ('failure' in finished) await deleteBegun(db, claim, begun)
      const { answer, isFinal } = succeeded(finished)
      return isFinal ? storeFirst(db, claim, answer) : answer
    })
  })
}

/** Runs `finish` and stores its response, unless a response is already stored. */
async function finishedOnce<Body>(
  db: Database,
  claim: Claim | undefined,
  { finish }: Repeatable<Body>,
): Promise<StoredResponse<Body>> {
  if (!claim) return (await finish()).answer
  return joinInFlight(claim, async () => {
    const earlier = await findAnswer(db, claim)
    if (earlier) return earlier
    const { answer, isFinal } = await finish()
    if (!isFinal) return answer
    return retryOnLockTimeout(claim.key, () =>
      db.transaction(async (tx) => {
        const first = await claimOrEarlier(tx, claim)
        if (!first) await storeAnswer(tx, claim, answer)
        return first ?? answer
      }),
    )
  })
}

function succeeded<Body>(finished: Finished<Body> | CameToNothing): Finished<Body> {
  if ('failure' in finished) throw finished.failure
  return finished
}

/**
 * Runs `work`, unless a request with an equal key is running in this process; in that case, returns
 * that request's response, which is durable by the time it arrives.
 */
async function joinInFlight<Body>(
  claim: Claim,
  work: () => Promise<StoredResponse<Body>>,
): Promise<StoredResponse<Body>> {
  const mapKey = mapKeyOf(claim)
  const deadline = Date.now() + WAIT_MS
  for (let first = running.get(mapKey); first; first = running.get(mapKey)) {
    const { fingerprint } = first
    const answer = await endsWithin(first.answer, deadline - Date.now())
    if (answer === LATE) throw stillRunning(claim.key)
    // The first request failed, so its key is free.
    if (answer === undefined) continue
    if (!fingerprint.equals(claim.fingerprint)) throw keyReused()
    return { status: answer.status, body: answer.kept ?? answer.body, replayed: true }
  }
  const answer = work()
  const { fingerprint } = claim
  running.set(mapKey, { fingerprint, answer: answer.catch(() => undefined) })
  try {
    return await answer
  } finally {
    running.delete(mapKey)
  }
}

const LATE = Symbol('late')

async function endsWithin<T>(promise: Promise<T>, ms: number): Promise<T | typeof LATE> {
  if (ms <= 0) return LATE
  const timer = new AbortController()
  const late = sleep(ms, LATE, { signal: timer.signal }).catch(() => LATE) as Promise<typeof LATE>
  const ended = await Promise.race([promise, late])
  timer.abort()
  return ended
}

/** The claim waited for another transaction that holds the key until the lock timeout. */
class KeyHeld extends Error {}

/** Waits for a key that another process holds, retrying after lock timeouts, up to the limit. */
async function retryOnLockTimeout<T>(key: string, work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + WAIT_MS
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof KeyHeld)) throw error
      if (Date.now() >= deadline) throw stillRunning(key)
    }
  }
}

const deleteBegun = (db: Db, { businessId, live, scope, key }: Claim, id: number) =>
  db.run`
    delete from idempotency_keys
    where business_id = ${businessId} and live = ${live} and scope = ${scope} and key = ${key}
      and status is null and body = ${Buffer.from(String(id))}`

/** Runs work after the first commit, when a 503 would wrongly claim that nothing was done. */
async function afterBegin<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await withPriority(work)
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'unavailable') throw error
    const message = 'This was started; its outcome is not known yet.'
    throw new Problem('internal', 'outcome_unknown', message, { cause: error })
  }
}

/** Returns the response stored for a used key; undefined if the key is new. */
export async function findAnswer(
  db: Pick<Db, 'maybe'>,
  claim: Claim,
): Promise<StoredResponse<never> | undefined> {
  const earlier = await findEarlier(db, claim)
  if (!earlier) return undefined
  if (earlier.status === null) throw stillRunning(claim.key)
  return answerOf(earlier)
}

/** Returns the response stored for a used key, or the number of the effect that it started. */
async function findBegun(tx: Tx, claim: Claim): Promise<StoredResponse<never> | number> {
  const earlier = await findEarlier(tx, claim)
  if (!earlier?.body) throw stillRunning(claim.key)
  return earlier.status === null ? Number(earlier.body.toString()) : answerOf(earlier)
}

async function findEarlier(db: Pick<Db, 'maybe'>, claim: Claim): Promise<Earlier | undefined> {
  const { businessId, live, scope, key, fingerprint, fingerprintAsSent } = claim
  const earlier = await db.maybe<Earlier>`
    select fingerprint, status, body from idempotency_keys
    where business_id = ${businessId} and live = ${live} and scope = ${scope} and key = ${key}`
  const isSame = (one: Buffer | undefined) => one !== undefined && earlier?.fingerprint.equals(one)
  if (earlier && !isSame(fingerprint) && !isSame(fingerprintAsSent?.())) throw keyReused()
  return earlier
}

const answerOf = ({ status, body }: Earlier): StoredResponse<never> => ({
  status: status!,
  body: body!.toString('utf8'),
  replayed: true,
})

interface Earlier {
  fingerprint: Buffer
  /**
   * Null while the first request is running. In that case, `body` contains the number of the effect
   * it started, if any.
   */
  status: number | null
  body: Buffer | null
}

/** Claims the key for this transaction, or returns the response to its first use. */
async function claimOrEarlier(tx: Tx, claim: Claim): Promise<StoredResponse<never> | undefined> {
  return (await isClaimed(tx, claim)) ? undefined : earlierAnswer(tx, claim)
}

/** Claims the key for this transaction. Returns whether it was free. */
async function isClaimed(tx: Tx, claim: Claim): Promise<boolean> {
  const { businessId, live, scope, key, fingerprint, now, expiresAt } = claim
  try {
    const claimed = await tx.run`
      insert into idempotency_keys
        (business_id, live, scope, key, fingerprint, created_at, expires_at)
      values (${businessId}, ${live}, ${scope}, ${key}, ${fingerprint}, ${now}, ${expiresAt})
      on conflict do nothing`
    return claimed === 1
  } catch (error) {
    throw isLockTimeout(error) ? new KeyHeld('The key is held.', { cause: error }) : error
  }
}

/**
 * Returns the response to a used key. Throws if the holder has vanished, because that means the key
 * is free.
 */
async function earlierAnswer(db: Pick<Db, 'maybe'>, claim: Claim): Promise<StoredResponse<never>> {
  const earlier = await findAnswer(db, claim)
  if (!earlier) throw stillRunning(claim.key)
  return earlier
}

const bytesOf = ({ body, kept = body }: StoredResponse) => Buffer.from(kept)

async function storeAnswer(tx: Tx, claim: Claim, answer: StoredResponse): Promise<void> {
  const { businessId, live, scope, key } = claim
  await tx.run`
    update idempotency_keys set status = ${answer.status}, body = ${bytesOf(answer)}
    where business_id = ${businessId} and live = ${live} and scope = ${scope} and key = ${key}`
}

async function storeBegun(tx: Tx, claim: Claim, id: number): Promise<void> {
  const { businessId, live, scope, key } = claim
  await tx.run`
    update idempotency_keys set body = ${Buffer.from(String(id))}
    where business_id = ${businessId} and live = ${live} and scope = ${scope} and key = ${key}`
}

/** If two requests finish at the same time, both get the response that was stored first. */
async function storeFirst<Body>(
  db: Db,
  claim: Claim,
  answer: StoredResponse<Body>,
): Promise<StoredResponse<Body>> {
  const { businessId, live, scope, key } = claim
  const stored = await db.run`
    update idempotency_keys set status = ${answer.status}, body = ${bytesOf(answer)}
    where business_id = ${businessId} and live = ${live} and scope = ${scope} and key = ${key}
      and status is null`
  return stored === 1 ? answer : earlierAnswer(db, claim)
}

/* The reasons for refusing an Idempotency-Key. */
const stillRunning = (key: string) =>
  new Problem(
    'conflict',
    'request_in_progress',
    'The first request with this key is still running.',
    {
      fields: {
        'Idempotency-Key': [`${key.slice(0, 40)} is in use by a request that is still running`],
      },
      retryAfterSeconds: 1,
    },
  )

const keyReused = () =>
  new Problem('key_reused', 'idempotency_key_reused', REUSED, {
    fields: { 'Idempotency-Key': ['was already used with a different request'] },
  })

const REUSED = 'This Idempotency-Key was already used with a different request.'

/**
 * Deletes up to `limit` expired keys and returns how many. `only` limits this to one business's
 * test data.
 */
export const deleteExpired = (db: Db, now: Date, only: number | undefined, limit: number) =>
  db.run`
    delete from idempotency_keys where (business_id, live, scope, key) in (
      select business_id, live, scope, key from idempotency_keys
      where expires_at <= ${now}
        and (${only ?? null}::bigint is null or (business_id = ${only ?? null} and not live))
      order by expires_at limit ${limit} for update skip locked)`
