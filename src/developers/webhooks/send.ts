import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import type { ClientRequest } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { Db } from '../../db/database.ts'
import type { EncryptedColumn } from '../../encryption/columns.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { Problem } from '../../lib/problem.ts'
import { BrokenExchange, exchange, type Received, TIMED_OUT } from '../../safe-fetch/exchange.ts'
import {
  type Allows,
  http,
  https,
  isPublicAddress,
  NOT_PUBLIC_ERROR,
  type Resolve,
  readPublicUrl,
  safeLookup,
} from '../../safe-fetch/guard.ts'
import {
  type SecretColumn,
  selectOldSecrets,
  selectSecrets,
  updateEncrypted,
  updateOldSecret,
} from './queries.ts'
import type { ClaimedRow } from './queries-deliver.ts'

interface SenderOptions {
  allows: Allows
  /** Covers everything from the first step to the last byte of the response. */
  timeoutMs: number
  /** Resolves host names; uses the machine's resolver by default. */
  resolve?: Resolve | undefined
  /** Certificates to trust instead of Node's. */
  ca?: string | undefined
}

interface Outgoing {
  url: string
  headers: Record<string, string>
  body: string
}

/** The result of an attempt. It succeeded if `status` is 2xx and `error` is null. */
export interface Outcome {
  /** Null if there was no response. */
  status: number | null
  /** A human-readable message that says why the attempt failed, if the status does not. */
  error: string | null
  /** The start of the response, decoded as UTF-8. */
  response: string | null
  /** The header as received. */
  retryAfter: string | undefined
}

interface Sender {
  /** Makes one attempt, and never throws. Returns undefined if `close` ended the attempt. */
  send(outgoing: Outgoing): Promise<Outcome | undefined>
  /** Ends attempts in progress. */
  close(): void
}

const RESPONSE_BYTES_MAX = 16 * 1024

/** How many idle connections are kept per endpoint, and for how long. */
const KEPT_MAX = 64
const KEPT_MS = 10_000

/**
 * Sends to any address that `allows` accepts, over pooled connections. Checks the addresses of a
 * host name on each new connection, and does not follow redirects.
 */
export function openSender(options: SenderOptions): Sender {
  const { allows, timeoutMs, resolve, ca } = options
  const kept = { keepAlive: true, maxFreeSockets: KEPT_MAX, timeout: KEPT_MS }
  const plain = new http.Agent(kept)
  const secure = new https.Agent({ ...kept, ...(ca && { ca }) })
  const lookup = safeLookup(allows, resolve)
  const underWay = new Set<ClientRequest>()
  let isClosed = false

  function open(url: URL, headers: Record<string, string>, isFresh: boolean): ClientRequest {
    const shared = { method: 'POST', lookup, headers }
    return url.protocol === 'https:'
      ? https.request(url, { ...shared, ...(ca && { ca }), agent: !isFresh && secure })
      : http.request(url, { ...shared, agent: !isFresh && plain })
  }

  async function send({ url: address, headers, body }: Outgoing): Promise<Outcome | undefined> {
    let url: URL
    try {
      url = readPublicUrl(address, allows)
    } catch (error) {
      return failed(error)
    }
    const untilMs = performance.now() + timeoutMs
    const all = { ...headers, 'content-length': String(Buffer.byteLength(body)) }
    const attempt = (isFresh: boolean) => {
      const request = open(url, all, isFresh)
      underWay.add(request)
      const limits = { timeoutMs: untilMs - performance.now(), bytesMax: RESPONSE_BYTES_MAX }
      return exchange(request, body, limits).finally(() => underWay.delete(request))
    }
    try {
      const received = await attempt(false).catch((error) => {
        // The other side may have closed a pooled connection before the request arrived.
        if (isStale(error) && !isClosed) return attempt(true)
        throw error
      })
      return outcomeOf(received)
    } catch (error) {
      return isClosed ? undefined : failed(error)
    }
  }

  return {
    send,
    close() {
      isClosed = true
      for (const request of underWay) request.destroy()
      plain.destroy()
      secure.destroy()
    },
  }
}

const isStale = (error: unknown): boolean =>
  error instanceof BrokenExchange &&
  error.isReused &&
  error.status === null &&
  ['ECONNRESET', 'EPIPE'].includes((error.cause as NodeJS.ErrnoException).code ?? '')

function outcomeOf({ status, headers, body }: Received): Outcome {
  const error = REDIRECTED.has(status)
    ? 'The endpoint sent a redirect; redirects are not followed.'
    : null
  return { status, error, response: textOf(body), retryAfter: headers['retry-after'] }
}

const REDIRECTED: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** The database cannot store NUL. */
const textOf = (body: Buffer): string => body.toString('utf8').replaceAll('\0', '')

function failed(error: unknown): Outcome {
  const broken = error instanceof BrokenExchange ? error : undefined
  return {
    status: broken?.status ?? null,
    error: wordsFor(broken?.cause ?? error),
    response: broken?.body ? textOf(broken.body) : null,
    retryAfter: undefined,
  }
}

const WORDS: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was interrupted.',
  EPIPE: 'The connection was interrupted.',
  ENOTFOUND: 'The host name does not exist.',
  EAI_AGAIN: 'The host name could not be resolved.',
  EHOSTUNREACH: 'The address cannot be reached.',
  ENETUNREACH: 'The address cannot be reached.',
  ETIMEDOUT: 'The address cannot be reached.',
}

function wordsFor(cause: unknown): string {
  if (cause === TIMED_OUT) return 'The response took too long.'
  if (cause === NOT_PUBLIC_ERROR || cause instanceof Problem) return 'The address is not public.'
  const { code = '' } = cause as NodeJS.ErrnoException
  if (WORDS[code]) return WORDS[code]
  if (code.startsWith('HPE_')) return 'The response is not valid HTTP.'
  if (/CERT|SIGNATURE|SSL|TLS|ISSUER|EPROTO/.test(code)) return `TLS failed (${code}).`
  return `The request could not be sent${code && ` (${code})`}.`
}

const PREFIX = 'whsec_'

/**
 * Generates an endpoint's secret: `whsec_` and 32 random bytes in base64 (Standard Webhooks 1.0).
 */
export const newWebhookSecret = (): string => PREFIX + randomBytes(32).toString('base64')

/**
 * Returns the `webhook-signature` header with one signature per secret, so that a receiver with
 * only one of the secrets finds a match. `timestampSeconds` is the time of the attempt. `body` must
 * be the exact bytes that are sent.
 */
export function signaturesOf(
  secrets: readonly KeyObject[],
  id: string,
  timestampSeconds: number,
  body: string,
): string {
  const signed = `${id}.${timestampSeconds}.${body}`
  return secrets
    .map((secret) => {
      const hmac = createHmac('sha256', secret).update(signed)
      return `v1,${hmac.digest('base64')}`
    })
    .join(' ')
}

/**
 * Returns the headers for an attempt. `at` is its time by the server's clock, which receivers
 * compare with their own. The business's clock determines when the previous secret expires.
 */
export function headersOf(
  { reference: id, previous_until, ahead_ms }: ClaimedRow,
  { secret, previous }: SigningKeys,
  body: string,
  at: Date,
): Record<string, string> {
  const isRotating = previous_until && addMs(at, ahead_ms) < previous_until
  const secrets = isRotating && previous ? [secret, previous] : [secret]
  const timestampSeconds = Math.floor(at.getTime() / 1000)
  return {
    'content-type': 'application/json',
    'user-agent': 'Tradepost',
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signaturesOf(secrets, id, timestampSeconds, body),
  }
}

/** Returns the key that signs with a secret. */
export const signingKeyOf = (secret: string): KeyObject =>
  createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64'))

/** The row of an event, which never changes. */
interface EventOfEnvelope {
  business_id: number
  live: boolean
  reference: string
  type: string
  sequence: number
  /** JSON. */
  data: string
  created_at: Date
}

/**
 * Returns the body for an event. Each attempt gets the same bytes, because they depend only on the
 * event's row, with `data` as stored.
 */
export function bodyOf(event: EventOfEnvelope): string {
  const { reference: id, type, created_at: timestamp, live, sequence } = event
  const mode = live ? 'live' : 'test'
  const head = { id, type, timestamp, mode, businessId: event.business_id, sequence }
  return `${JSON.stringify(head).slice(0, -1)},"data":${event.data}}`
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')

/**
 * Returns a function that accepts the IP addresses that an endpoint can have: public ones and, if
 * the operator allows this in test mode, those of this machine.
 */
export function allowsFor({ live }: Pick<Tenant, 'live'>, loopbackAllowed: boolean): Allows {
  return live || !loopbackAllowed
    ? isPublicAddress
    : (address) => isPublicAddress(address) || isLoopback(address)
}

function isLoopback(address: string): boolean {
  // For IPv6, accepts only one address, because a block list would also match forms that contain an
  // IPv4 address.
  return isIP(address) === 4 ? loopback.check(address, 'ipv4') : address === '::1'
}

/** The same for both secrets of an endpoint, because a rotation moves one to the other. */
export const aboutSecret = (webhookId: number): string => `webhooks.secret ${webhookId}`

/** The keys with which a delivery is signed. */
interface SigningKeys {
  secret: KeyObject
  previous: KeyObject | undefined
}

const KEYS_MAX = 10_000

/**
 * Decrypts endpoints' secrets. Keeps the keys, because decrypting a secret and creating its key
 * take several times as long as signing with it.
 */
export function openSigningKeys(db: Db, keyring: Keyring) {
  const keys = new Map<string, KeyObject>()

  async function keyOf(
    webhookId: number,
    encrypted: Buffer | null,
    plain: string | null,
  ): Promise<KeyObject | undefined> {
    if (!encrypted) return plain === null ? undefined : signingKeyOf(plain)
    const name = `${webhookId} ${encrypted.toString('latin1')}`
    const known = keys.get(name)
    if (known) return known
    const key = signingKeyOf(await keyring.decrypt(db, aboutSecret(webhookId), encrypted))
    if (keys.size >= KEYS_MAX) keys.clear()
    keys.set(name, key)
    return key
  }

  /** Throws if the endpoint has been deleted meanwhile. */
  return async function signingKeysOf(claim: ClaimedRow): Promise<SigningKeys> {
    const { webhook_id: id } = claim
    const secret = await keyOf(id, claim.secret_encrypted, claim.secret_plain)
    if (!secret) throw new Error(`the endpoint ${id} has no secret`)
    const { previous_secret_encrypted, previous_secret_plain } = claim
    return { secret, previous: await keyOf(id, previous_secret_encrypted, previous_secret_plain) }
  }
}

const named = <T extends { id: number }>(row: T) => ({ ...row, about: aboutSecret(row.id) })

const columnOf = (column: SecretColumn): EncryptedColumn => ({
  name: `webhooks.${column}_encrypted`,
  select: async (db, wanted) => (await selectSecrets(db, column, wanted)).map(named),
  update: (tx, row, value) => updateEncrypted(tx, column, row, value),
  old: {
    select: async (db, limit) => (await selectOldSecrets(db, column, limit)).map(named),
    update: (tx, row, value) => updateOldSecret(tx, column, row, value),
  },
})

export const webhookSecrets: readonly EncryptedColumn[] = [
  columnOf('secret'),
  columnOf('previous_secret'),
]
