import { ConfigurationError, WebhookVerificationError } from './errors.ts'
import type { EventData } from './operations.ts'

/** The body that an endpoint receives, in a Standard Webhooks envelope. */
export interface Envelope<Type extends string, Data> {
  /** `evt_…`. The same in each attempt, and equal to the `webhook-id` header. */
  id: string
  type: Type
  /** When the event happened, as ISO 8601 in UTC. */
  timestamp: string
  mode: 'test' | 'live'
  businessId: number
  /** The event's position among the events of its object, counted from 1; only a restored backup leaves a gap. */
  sequence: number
  data: Data
}

/**
 * An event of any type. `type` determines `data`. Newer servers can send types that this union does
 * not contain.
 */
export type WebhookEvent = {
  [Type in keyof EventData & string]: Envelope<Type, EventData[Type]>
}[keyof EventData & string]

/** Headers as they come from `fetch`, Node, Express, Fastify and Hono. */
export type HeadersLike = Headers | Record<string, string | readonly string[] | undefined>

export interface VerifyOptions {
  /** The maximum age of the request. Also limits how far the sender's clock can be ahead. */
  toleranceSeconds?: number
  /** The current time, for tests. */
  now?: Date
}

const TOLERANCE_SECONDS = 300
/**
 * Further signatures are ignored: senders use at most two secrets, and the second only for a day.
 */
const SIGNATURES_MAX = 16

/**
 * Verifies that a webhook comes from Tradepost, is complete and is recent. Returns its event.
 *
 * `body` must be the received bytes, before any parsing. `secrets` is the endpoint's `whsec_…` or,
 * during a rotation, both secrets. One secret must match one of the signatures. Throws a
 * WebhookVerificationError if none of them matches, if a header is missing, or if the timestamp is
 * more than five minutes from the current time. An event can arrive more than once, so store its
 * `id`.
 */
export async function verifyWebhook(
  body: string | ArrayBuffer | Uint8Array,
  headers: HeadersLike,
  secrets: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, now = new Date() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = signaturesIn(headerOf(headers, 'webhook-signature'))
  const bytes = bytesOf(body)
  const keys = await Promise.all([secrets].flat().map(keyOf))
  if (keys.length === 0) throw new ConfigurationError('Verifying a webhook requires its secret.')
  checkAge(timestamp, toleranceSeconds, now)

  const signed = signedContent(id, timestamp, bytes)
  // Doesn't reveal where a signature differs: `verify` takes the same time wherever the first
  // difference is, and every signature is tried.
  const matches = await Promise.all(
    keys.flatMap((key) => signatures.map((one) => crypto.subtle.verify('HMAC', key, one, signed))),
  )
  if (!matches.includes(true)) {
    throw new WebhookVerificationError('No signature of the webhook matches a secret.')
  }
  return eventOf(bytes)
}

/** Returns the headers that Tradepost would send with `body`, for testing a receiver. */
export async function signWebhook(
  body: string,
  { id, secret, timestamp = new Date() }: { id: string; secret: string; timestamp?: Date },
): Promise<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const seconds = `${Math.floor(timestamp.getTime() / 1000)}`
  const signed = signedContent(id, seconds, bytesOf(body))
  const signature = await crypto.subtle.sign('HMAC', await keyOf(secret), signed)
  const text = btoa(String.fromCharCode(...new Uint8Array(signature)))
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${text}` }
}

function headerOf(headers: HeadersLike, name: string): string {
  const found = headers instanceof Headers ? headers.get(name) : plainHeader(headers, name)
  if (found) return found
  throw new WebhookVerificationError(`The webhook has no ${name} header.`)
}

function plainHeader(headers: Exclude<HeadersLike, Headers>, name: string): string | undefined {
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof found === 'string' ? found : found?.join(' ')
}

function bytesOf(body: string | ArrayBuffer | Uint8Array): Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (body instanceof Uint8Array) return new Uint8Array(body)
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  throw new ConfigurationError(
    'Verify the body as received, as text or bytes: after parsing and printing it differs.',
  )
}

/** Parses `v1,<base64> v1,<base64>` and ignores other versions. */
function signaturesIn(header: string): Uint8Array<ArrayBuffer>[] {
  return header
    .split(' ')
    .slice(0, SIGNATURES_MAX)
    .filter((part) => part.startsWith('v1,'))
    .flatMap((part) => fromBase64(part.slice(3)) ?? [])
}

async function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''))
  if (!bytes || bytes.length === 0) {
    throw new ConfigurationError('A webhook secret must be whsec_ followed by base64.')
  }
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  return crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign', 'verify'])
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function checkAge(timestamp: string, toleranceSeconds: number, now: Date): void {
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN
  const age = now.getTime() / 1000 - seconds
  if (Number.isNaN(age))
    throw new WebhookVerificationError('The timestamp of the webhook is invalid.')
  if (age > toleranceSeconds) throw new WebhookVerificationError('The webhook is too old.')
  if (age < -toleranceSeconds)
    throw new WebhookVerificationError('The timestamp of the webhook is in the future.')
}

function signedContent(id: string, timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${id}.${timestamp}.`)
  const content = new Uint8Array(head.length + body.length)
  content.set(head)
  content.set(body, head.length)
  return content
}

function eventOf(bytes: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent
  } catch {
    throw new WebhookVerificationError('The signed webhook is not JSON.')
  }
}
