import { setTimeout as sleep } from 'node:timers/promises'
import type { Tenant } from '../lib/caller.ts'
import { Problem } from '../lib/problem.ts'
import { openBatch, perDatabase, readInBatches } from './batch.ts'
import { withPriority } from './connections.ts'
import type { Database, Db, Tx } from './database.ts'
import { isLockTimeout, isUniqueViolation } from './failures.ts'
import { keyCondition, takeDue } from './leases.ts'
import { plainArray, textArray } from './pg-arrays.ts'

/** One use of an Idempotency-Key. */
export interface Claim extends Tenant {
  /** The method, service, and path with its parameters, without the family or a trailing slash. */
  scope: string
  key: string
  /** SHA-256 of the validated request. */
  fingerprint: Buffer
  /** SHA-256 of the request as sent, before normalisation. Older versions stored this hash. */
  fingerprintAsSent?: () => Buffer
  now: Date
  /** Until when the key and its response are kept. */
  expiresAt: Date
}

/**
 * The bytes of a response. A repeated request receives them again, or `kept` instead if they
 * contain a secret. `Body` is the type of the response body. An operation repeats only its own
 * responses, so the type of a stored response is always correct.
 */
export interface StoredResponse<Body = unknown> {
  /** Never set. It lets the compiler distinguish between responses with different bodies. */
  readonly of?: Body
  status: number
  body: string
  kept?: string
  replayed?: boolean
}

/** How long a repeated request waits for the first before it fails and asks the caller to retry. */
const WAIT_MS = 5_000

// Combines requests with equal keys in this process, so that a hundred concurrent repeats hold one
// connection, not a hundred.
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
 * during the first waits up to 5 s for it, even if another process is running the first. A failed
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
 * Like `once`, for a request that has already been combined with this process's other requests for
 * the same key.
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

/** Thrown by `write` below for an effect that a batch can't write. */
export class NotBatchable extends Error {}

/** An effect that is written in one statement with others, together with its claim. */
interface Batched<Result> {
  /** Adds the effect to the batch. Returns `undefined` if its key has been used before. */
  write(): Promise<Result | undefined>
  /**
   * Runs the same effect outside the batch, where it can wait for rows that other transactions
   * hold.
   */
  alone(tx: Tx): Promise<Result>
}

/** Like `once`, but for an effect that a batch writes, including its claim and response. */
export async function onceInBatch<Body>(
  db: Database,
  claim: Claim | undefined,
  { write, alone }: Batched<StoredResponse<Body>>,
): Promise<StoredResponse<Body>> {
  if (!claim) return (await tryBatch(write)) ?? db.transaction(alone)
  return joinInFlight(claim, async () => {
    const written = await tryBatch(write, () => findAnswerInBatch(db, claim))
    return written ?? onceInDatabase(db, claim, alone)
  })
}

/**
 * Writes in the batch. If the key has been used before, returns the result of `earlier`, even if
 * the request would now be refused, for example because a page has become inactive. Returns
 * undefined if the caller must continue outside the batch. This is the case if a batch can't write
 * the effect, if another process has an open transaction that holds the key or a row that the
 * effect needs, or if another process has just claimed the key.
 */
async function tryBatch<Result, Earlier = never>(
  write: () => Promise<Result | undefined>,
  earlier?: () => Promise<Earlier | undefined>,
): Promise<Result | Earlier | undefined> {
  try {
    const written = await write()
    if (written !== undefined) return written
  } catch (error) {
    if (mustRunAlone(error)) return undefined
    // After an unknown outcome, an error from this lookup would wrongly claim that nothing was
    // done.
    const isRefusal = error instanceof Problem && error.kind !== 'internal'
    const first = isRefusal ? await earlier?.() : undefined
    if (first === undefined) throw error
    return first
  }
  return earlier?.()
}

const mustRunAlone = (error: unknown): boolean =>
  error instanceof NotBatchable ||
  isLockTimeout(error) ||
  isUniqueViolation(error, 'idempotency_keys_pkey')

/**
 * The part of a `with` clause that selects the rows of `incoming` whose keys have not been used, or
 * that have no key. `incoming` has `business_id, live` and CLAIM_COLUMNS.
 */
export const freshRows = (columns = 'i.*'): string => `
  select ${columns}
  from incoming i left join lateral (
    select true as is_used from idempotency_keys k
    where k.business_id = i.business_id and k.live = i.live and k.scope = i.scope and k.key = i.key
    limit 1) used on true
  where used.is_used is null`

/** Whether the key of a row has been used. `row` has `business_id, live, scope, key`. */
export const isKeyUsed = (row: string): string => `exists (
  select from idempotency_keys k
  where k.business_id = ${row}.business_id and k.live = ${row}.live and k.scope = ${row}.scope
    and k.key = ${row}.key)`

/**
 * The part of a `with` clause that claims the keys of `rows`, which has `business_id, live,
 * created_at` and CLAIM_COLUMNS. If another transaction claims one of them at the same time,
 * that claim fails here, and the whole statement with it.
 */
export const claimRows = (rows: string, status: string, body: string): string => `
  insert into idempotency_keys
    (business_id, live, scope, key, fingerprint, status, body, created_at, expires_at)
  select business_id, live, scope, key, fingerprint, ${status},
    convert_to(${body}, 'UTF8'), created_at, key_expires_at
  from ${rows} where key is not null`

/** A claim's columns in a JSON record. */
export const CLAIM_COLUMNS = 'key text, scope text, fingerprint bytea, key_expires_at timestamptz'

export const claimValues = (claim: Claim | undefined) => ({
  key: claim?.key,
  scope: claim?.scope,
  fingerprint: claim && `\\x${claim.fingerprint.toString('hex')}`,
  key_expires_at: claim?.expiresAt,
})

interface Finished<Body> {
  answer: StoredResponse<Body>
  /** Whether the response is stored. If not, a repeated request calls `finish` again. */
  isFinal: boolean
}

/**
 * The effect failed without leaving a trace. Its key is free again, so a repeated request starts
 * over.
 */
interface CameToNothing {
  failure: Error
}

/** An effect that continues outside the database. */
interface Phases<Body> {
  /**
   * Writes the effect's first part and returns the effect's number; commits with the claim. A batch
   * stores the number in the claim itself.
   */
  begin: ((tx: Tx) => Promise<number>) | Batched<number>
  /**
   * Continues the effect, given only its number. Can run several times, even simultaneously: if a
   * process ends halfway, a repeated request continues the effect.
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
  const { write, alone } = typeof begin === 'function' ? { alone: begin } : begin
  if (!claim) {
    const id = (write && (await tryBatch(write))) ?? (await db.transaction(alone))
    return (await afterBegin(async () => succeeded(await finish(id)))).answer
  }
  return joinInFlight(claim, async () => {
    const written = write && (await tryBatch(write, () => findBegun(db, claim)))
    const begun = written ?? (await beginAlone(db, claim, alone))
    if (typeof begun !== 'number') return begun
    return afterBegin(async () => {
      const finished = await finish(begun)
      if ('failure' in finished) await deleteBegun(db, claim, begun)
      const { answer, isFinal } = succeeded(finished)
      return isFinal ? storeFirst(db, claim, answer) : answer
    })
  })
}

/**
 * Claims the key and begins the operation, or returns what the first request with the key began.
 */
function beginAlone(db: Database, claim: Claim, begin: (tx: Tx) => Promise<number>) {
  return retryOnLockTimeout(claim.key, () =>
    db.transaction(async (tx) => {
      if (!(await isClaimed(tx, claim))) return (await findBegun(tx, claim)) ?? gone(claim)
      const id = await begin(tx)
      await storeBegun(tx, claim, id)
      return id
    }),
  )
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

/** The claim timed out while waiting for another transaction, which holds the key. */
class KeyHeld extends Error {}

/** Waits for a key that another process holds, retrying after lock timeouts for up to WAIT_MS. */
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

/** Returns the response stored for a key that has been used; undefined if the key is new. */
async function findAnswer(
  db: Pick<Db, 'maybe'>,
  claim: Claim,
): Promise<StoredResponse<never> | undefined> {
  return answerIn(claim, await findEarlier(db, claim))
}

/** Like `findAnswer`, but simultaneous calls share one statement. */
export const findAnswerInBatch = async (db: Database, claim: Claim) =>
  answerIn(claim, sameRequest(claim, (await earlierRows(db).add(claim))[0]))

function answerIn(claim: Claim, earlier: Earlier | undefined): StoredResponse<never> | undefined {
  if (!earlier) return undefined
  if (earlier.status === null) throw stillRunning(claim.key)
  return answerOf(earlier)
}

/**
 * Returns the response stored for a key that has been used, or the number of the effect that it
 * started; undefined if the key is new.
 */
async function findBegun(
  db: Pick<Db, 'maybe'>,
  claim: Claim,
): Promise<StoredResponse<never> | number | undefined> {
  const earlier = await findEarlier(db, claim)
  if (!earlier) return undefined
  if (!earlier.body) throw stillRunning(claim.key)
  return earlier.status === null ? Number(earlier.body.toString()) : answerOf(earlier)
}

async function findEarlier(db: Pick<Db, 'maybe'>, claim: Claim): Promise<Earlier | undefined> {
  const { businessId, live, scope, key } = claim
  const earlier = await db.maybe<Earlier>`
    select fingerprint, status, body from idempotency_keys
    where business_id = ${businessId} and live = ${live} and scope = ${scope} and key = ${key}`
  return sameRequest(claim, earlier)
}

const earlierRows = readInBatches<Claim, Earlier>(
  ({ businessId }) => businessId,
  (db, claims) => db.many`
    select n, e.fingerprint, e.status, e.body
    from unnest(
      ${plainArray(claims.map(({ businessId }) => businessId))}::bigint[],
      ${plainArray(claims.map(({ live }) => live))}::boolean[],
      ${textArray(claims.map(({ scope }) => scope))}::text[],
      ${textArray(claims.map(({ key }) => key))}::text[]
    ) with ordinality as i (business_id, live, scope, key, n)
    cross join lateral (
      select * from idempotency_keys k
      where k.business_id = i.business_id and k.live = i.live and k.scope = i.scope
        and k.key = i.key
      limit 1) e`,
)

/** Throws `key_reused` if the key was used with another request. */
function sameRequest(
  { fingerprint, fingerprintAsSent }: Claim,
  earlier: Earlier | undefined,
): Earlier | undefined {
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

/** Claims the key for this transaction, or returns the stored response if the key has been used. */
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

/** Returns the response stored for a key that has already been used. */
const earlierAnswer = async (db: Pick<Db, 'maybe'>, claim: Claim): Promise<StoredResponse<never>> =>
  (await findAnswer(db, claim)) ?? gone(claim)

/** Throws because the row of the key has gone, which means that the key is free. */
function gone({ key }: Claim): never {
  throw stillRunning(key)
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
  db: Database,
  claim: Claim,
  answer: StoredResponse<Body>,
): Promise<StoredResponse<Body>> {
  const isFirst = await firstAnswers(db).add({ claim, answer })
  return isFirst ? answer : earlierAnswer(db, claim)
}

/** Stores responses for keys that don't have one yet. Returns whether each one was stored. */
const firstAnswers = perDatabase((db) =>
  openBatch<{ claim: Claim; answer: StoredResponse }, boolean>({
    db,
    businessOf: ({ claim }) => claim.businessId,
    async write(items) {
      const text = (pick: (claim: Claim) => string) =>
        textArray(items.map(({ claim }) => pick(claim)))
      // As base64, because Citus refuses `convert_to` in an update.
      const stored = await db.many<{ n: number }>`
        update idempotency_keys k set status = a.status, body = decode(a.body, 'base64')
        from unnest(
          ${plainArray(items.map((_, i) => i))}::integer[],
          ${plainArray(items.map(({ claim }) => claim.businessId))}::bigint[],
          ${plainArray(items.map(({ claim }) => claim.live))}::boolean[],
          ${text(({ scope }) => scope)}::text[], ${text(({ key }) => key)}::text[],
          ${plainArray(items.map(({ answer }) => answer.status))}::smallint[],
          ${textArray(items.map(({ answer }) => bytesOf(answer).toString('base64')))}::text[]
        ) as a (n, business_id, live, scope, key, status, body)
        where k.business_id = a.business_id and k.live = a.live and k.scope = a.scope
          and k.key = a.key and k.status is null
        returning n`
      const numbers = new Set(stored.map(({ n }) => n))
      return items.map((_, i) => numbers.has(i))
    },
    bytesOf: ({ answer }) => answer.body.length,
  }),
)

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
export async function deleteExpired(
  db: Db,
  now: Date,
  only: number | undefined,
  limit: number,
): Promise<number> {
  const find = () => db.many<StoredKey>`
    select business_id, live, scope, key from idempotency_keys
    where expires_at <= ${now}
      and (${only ?? null}::bigint is null or (business_id = ${only ?? null} and not live))
    order by expires_at limit ${limit}`
  const remove = (keys: StoredKey[]) => db.many`
    delete from idempotency_keys where (business_id, live, scope, key) in (
      select business_id, live, scope, key from idempotency_keys
      where ${isStoredKey(keys)} and expires_at <= ${now} for update skip locked)
    returning live`
  return (await takeDue(db, find, remove)).length
}

interface StoredKey {
  business_id: number
  live: boolean
  scope: string
  key: string
}

const isStoredKey = keyCondition<StoredKey>({ scope: 'text', key: 'text' })
