import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import {
  ConfigurationError,
  signWebhook,
  verifyWebhook,
  WebhookVerificationError,
} from '../../sdk/src/index.ts'
import { newWebhookSecret, signaturesOf, signingKeyOf } from '../../src/developers/webhooks/send.ts'

const secret = newWebhookSecret()
const id = 'evt_1'
const body = JSON.stringify({
  id,
  type: 'invoice.paid',
  timestamp: '2026-11-22T07:00:00.000Z',
  mode: 'test',
  businessId: 101,
  sequence: 3,
  data: { reference: 'INV_1', note: '₦ 5,000 – “thanks”' },
})
const now = new Date('2026-11-22T07:00:01Z')
const headersAt = (timestamp: Date, secrets = [secret]) => {
  const seconds = Math.floor(timestamp.getTime() / 1000)
  return {
    'webhook-id': id,
    'webhook-timestamp': `${seconds}`,
    'webhook-signature': signaturesOf(secrets.map(signingKeyOf), id, seconds, body),
  }
}
const headers = headersAt(now)
const refused = (about: Parameters<typeof verifyWebhook>, reason: RegExp) =>
  expect(verifyWebhook(...about)).rejects.toThrow(reason)

describe('a webhook is accepted', () => {
  test('if the server signed it', async () => {
    const event = await verifyWebhook(body, headers, secret, { now })
    expect(event).toEqual(JSON.parse(body))
  })

  test('if the Standard Webhooks library signed it, and vice versa', async () => {
    const other = new Webhook(secret)
    const timestamp = new Date()
    const seconds = `${Math.floor(timestamp.getTime() / 1000)}`
    const theirs = {
      'webhook-id': id,
      'webhook-timestamp': seconds,
      'webhook-signature': other.sign(id, timestamp, body),
    }
    await expect(verifyWebhook(body, theirs, secret)).resolves.toMatchObject({ id })
    const ours = await signWebhook(body, { id, secret, timestamp })
    expect(ours).toEqual(theirs)
    expect(other.verify(body, ours)).toEqual(JSON.parse(body))
  })

  test.each([
    ['text', body],
    ['bytes', new TextEncoder().encode(body)],
    ['a Buffer that is part of a larger one', Buffer.from(`--${body}--`).subarray(2, -2)],
    ['an ArrayBuffer', new TextEncoder().encode(body).buffer],
  ])('as %s', async (_name, bytes) => {
    await expect(verifyWebhook(bytes, headers, secret, { now })).resolves.toMatchObject({ id })
  })

  test.each([
    ['Headers', new Headers(headers)],
    ['Node’s', { host: 'shop', ...headers, cookie: undefined }],
    ['capitals', Object.fromEntries(Object.entries(headers).map(([k, v]) => [k.toUpperCase(), v]))],
    ['lists', Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, [v]]))],
  ])('with headers as %s', async (_name, given) => {
    await expect(verifyWebhook(body, given, secret, { now })).resolves.toMatchObject({ id })
  })

  test('while secrets are rotated, whichever side changes first', async () => {
    const [before, after] = [newWebhookSecret(), newWebhookSecret()]
    const both = headersAt(now, [after, before])
    for (const known of [before, after, [before, after], [newWebhookSecret(), before]]) {
      await expect(verifyWebhook(body, both, known, { now })).resolves.toMatchObject({ id })
    }
    const old = headersAt(now, [before])
    await expect(verifyWebhook(body, old, [after, before], { now })).resolves.toMatchObject({ id })
    await refused([body, old, after, { now }], /No signature/)
  })

  test('within five minutes in either direction, or the given tolerance', async () => {
    const at = (seconds: number) => ({ now: new Date(now.getTime() + seconds * 1000) })
    for (const seconds of [-300, -1, 299, 300]) {
      await expect(verifyWebhook(body, headers, secret, at(seconds))).resolves.toMatchObject({ id })
    }
    await refused([body, headers, secret, at(301)], /too old/)
    await refused([body, headers, secret, at(-301)], /future/)
    const options = { ...at(3600), toleranceSeconds: 7200 }
    await expect(verifyWebhook(body, headers, secret, options)).resolves.toMatchObject({ id })
  })
})

describe('a webhook is refused', () => {
  const signature = headers['webhook-signature']
  const cases: [string, Record<string, string>][] = [
    ['another id', { 'webhook-id': 'evt_2' }],
    ['another timestamp', { 'webhook-timestamp': `${Number(headers['webhook-timestamp']) + 1}` }],
    [
      'a timestamp followed by other text',
      { 'webhook-timestamp': `${headers['webhook-timestamp']}0` },
    ],
    ['an invalid timestamp', { 'webhook-timestamp': 'now' }],
    ['a timestamp with a fraction', { 'webhook-timestamp': `${headers['webhook-timestamp']}.5` }],
    ['a signature of another version', { 'webhook-signature': signature.replace('v1,', 'v1a,') }],
    ['a truncated signature', { 'webhook-signature': signature.slice(0, -4) }],
    ['a signature that is not base64', { 'webhook-signature': 'v1,%%%' }],
    ['an empty signature', { 'webhook-signature': 'v1,' }],
    ['no signature', { 'webhook-signature': ' ' }],
    ['no id', { 'webhook-id': '' }],
  ]
  test.each(cases)('with %s', async (_name, other) => {
    const verifying = verifyWebhook(body, { ...headers, ...other }, secret, { now })
    await expect(verifying).rejects.toBeInstanceOf(WebhookVerificationError)
  })

  test('with a changed body, even by a space', async () => {
    await refused([body.replace('INV_1', 'INV_2'), headers, secret, { now }], /No signature/)
    await refused([` ${body}`, headers, secret, { now }], /No signature/)
    await refused(['', headers, secret, { now }], /No signature/)
  })

  test('with another secret', async () => {
    await refused([body, headers, newWebhookSecret(), { now }], /No signature/)
  })

  test('if it is signed but not JSON', async () => {
    const text = 'hello'
    const signed = await signWebhook(text, { id, secret, timestamp: now })
    await refused([text, signed, secret, { now }], /not JSON/)
  })

  test('as a mistake of the caller: a parsed body, no secret, a secret that is not base64', async () => {
    const wrong: Parameters<typeof verifyWebhook>[] = [
      [JSON.parse(body), headers, secret, { now }],
      [body, headers, [], { now }],
      [body, headers, 'whsec_', { now }],
      [body, headers, 'whsec_%%%', { now }],
    ]
    for (const about of wrong) {
      await expect(verifyWebhook(...about)).rejects.toBeInstanceOf(ConfigurationError)
    }
  })
})
