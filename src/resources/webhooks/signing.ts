import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { addMs } from '../../lib/clock.ts'
import type { ClaimedRow } from './queries-deliver.ts'

const PREFIX = 'whsec_'

/** A secret of an endpoint: `whsec_` and 32 random bytes in base64 (Standard Webhooks 1.0). */
export const newSecret = (): string => PREFIX + randomBytes(32).toString('base64')

/**
 * The header `webhook-signature`: one signature for each secret, so that a receiver that knows one
 * of them finds its own. `timestampSeconds` is that of the attempt; what is signed is what is sent.
 */
export function signaturesOf(
  secrets: readonly string[],
  id: string,
  timestampSeconds: number,
  body: string,
): string {
  const signed = `${id}.${timestampSeconds}.${body}`
  return secrets
    .map((secret) => {
      const hmac = createHmac('sha256', keyOf(secret)).update(signed)
      return `v1,${hmac.digest('base64')}`
    })
    .join(' ')
}

/**
 * The headers of an attempt at `at`, by the server's clock, which receivers compare with theirs.
 * When the former secret ends goes by the clock of the business.
 */
export function headersOf(claim: ClaimedRow, body: string, at: Date): Record<string, string> {
  const { reference: id, secret, previous_secret, previous_until, ahead_ms } = claim
  const isRotating = previous_until && addMs(at, ahead_ms) < previous_until
  const secrets = isRotating && previous_secret ? [secret, previous_secret] : [secret]
  const timestampSeconds = Math.floor(at.getTime() / 1000)
  return {
    'content-type': 'application/json',
    'user-agent': 'Tradepost',
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signaturesOf(secrets, id, timestampSeconds, body),
  }
}

// Making the key takes four times as long as signing with it.
const keys = new Map<string, KeyObject>()
const KEYS_MAX = 1_000

function keyOf(secret: string): KeyObject {
  const known = keys.get(secret)
  if (known) return known
  if (keys.size >= KEYS_MAX) keys.clear()
  const key = createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64'))
  keys.set(secret, key)
  return key
}
