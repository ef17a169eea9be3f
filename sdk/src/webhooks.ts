import { ConfigurationError, WebhookVerificationError } from './errors.ts'
import type { EventData } from './operations.ts'

/** What an endpoint gets, as Standard Webhooks wraps it. */
export interface Envelope<Type extends string, Data> {
  /** `evt_…`; the same at each attempt, and the same as the header `webhook-id`. */
  id: string
  type: Type
  /** When it happened, ISO 8601 in UTC. */
  timestamp: string
  mode: 'test' | 'live'
  businessId: number
  /** Counts the events of the object it happened to, from 1 and without gaps. */
  sequence: number
  data: Data
}

/**
 * An event of any type; `type` says which, and so what `data` is. A newer server may send types
 * that this union does not know.
 */
export type WebhookEvent = {
  [Type in keyof EventData & string]: Envelope<Type, EventData[Type]>
}[keyof EventData & string]

/** As `fetch`, Node, Express, Fastify and Hono hand headers over. */
export type HeadersLike = Headers | Record<string, string | readonly string[] | undefined>

export interface VerifyOptions {
  /** How old the sending may be, and how far ahead its clock. */
  toleranceSeconds?: number
  /** For tests: what time it is. */
  now?: Date
}

const TOLERANCE_SECONDS = 300
/** Further ones are not looked at: a sender signs with two secrets at most, for a day. */
const SIGNATURES_MAX = 16

/**
 * Proves that a webhook comes from Tradepost, is whole and is new, and gives its event.
 *
 * `body` must be the bytes as they came, before any parsing. `secrets` is the endpoint's `whsec_…`, or
 * while it is being rotated both: one of them has to match one of the signatures. Throws
 * WebhookVerificationError when none does, when a header is missing, or when the sending is more
 * than five minutes from now. The same event can come more than once: remember its `id`.
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
  if (keys.length === 0) throw new ConfigurationError('Verifying a webhook needs its secret.')
  checkAge(timestamp, toleranceSeconds, now)

  const signed = signedContent(id, timestamp, bytes)
  // `verify` takes the same time wherever the first difference is; all of them are tried.
  const matches = await Promise.all(
    keys.flatMap((key) => signatures.map((one) => crypto.subtle.verify('HMAC', key, one, signed))),
  )
  if (!matches.includes(true)) {
    throw new WebhookVerificationError('No signature of the webhook matches a secret.')
  }
  return eventOf(bytes)
}

/** The headers with which Tradepost would send `body`, for the tests of a receiver. */
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
  throw new WebhookVerificationError(`The webhook has no header ${name}.`)
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

/** `v1,<base64> v1,<base64>`; other versions are for other verifiers. */
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
    throw new ConfigurationError('A secret of webhooks is whsec_ and base64.')
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
  if (Number.isNaN(age)) throw new WebhookVerificationError('Its timestamp is no time.')
  if (age > toleranceSeconds) throw new WebhookVerificationError('The webhook is too old.')
  if (age < -toleranceSeconds) throw new WebhookVerificationError('The webhook is from the future.')
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
    throw new WebhookVerificationError('The webhook is signed, and no JSON.')
  }
}
