import { createHmac, randomBytes } from 'node:crypto'

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
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
      return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
    })
    .join(' ')
}
