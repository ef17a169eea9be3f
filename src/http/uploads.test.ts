import { type ClientRequest, request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { isTooSlow } from './uploads.ts'

const PRODUCTS = '/api/payment-service/external/v1/products'
const UPLOAD = `${PRODUCTS}/product-upload-media`
const FILES = `${PRODUCTS}/add-digital-download-files`

const server = await startServer({ jobs: false })

type Part = [head: string, content: string]
const named = (name: string) => `Content-Disposition: form-data; name="${name}"`
const fileNamed = (filename: string) => `${named('file')}; filename="${filename}"`

/** Bytes that no client would send: text in Latin-1. */
const form = (...parts: Part[]) =>
  Buffer.from(
    [...parts.map(([head, text]) => `--xx\r\n${head}\r\n\r\n${text}\r\n`), '--xx--\r\n'].join(''),
    'latin1',
  )

const TYPE = { 'content-type': 'multipart/form-data; boundary=xx' }

async function shop() {
  const { keys } = await server.newBusiness()
  const caller = server.as(keys.testSecret)
  const product = { name: 'Book', price: 5, type: 'digital' }
  const { productId } = (await caller.post(`${PRODUCTS}/create-product`, product)).body.data
  const send = (...parts: Part[]) => caller.post(FILES, form(...parts), TYPE)
  return { ...caller, key: keys.testSecret, productId: String(productId), send }
}

describe('a multipart body', () => {
  test.each<[string, Part, string]>([
    ['a file name', [fileNamed('a\xff.pdf'), 'x'], 'filename'],
    ['a field', [named('note'), 'a\xff'], 'note'],
  ])('400 for %s that is not UTF-8', async (_what, part, field) => {
    const { send, productId } = await shop()
    const { status, body } = await send([named('productId'), productId], part)
    expect([status, body.errorCode, body.errors]).toEqual([
      400,
      'invalid_text',
      { [field]: ['must be valid UTF-8'] },
    ])
  })

  test('400 for a field whose name is over 100 characters', async () => {
    const { send, productId } = await shop()
    const { status, body } = await send(
      [named('productId'), productId],
      [named('x'.repeat(101)), 'y'],
    )
    expect([status, body.errors]).toEqual([
      400,
      { ['x'.repeat(40)]: ['must have a name of at most 100 characters'] },
    ])
  })

  test('200 keeps a quotation mark that a browser escaped in a file name', async () => {
    const { send, productId } = await shop()
    const { status, body } = await send(
      [named('productId'), productId],
      [fileNamed('5%22 of 100%.txt'), 'x'],
    )
    expect([status, body.data.name]).toEqual([200, '5" of 100%.txt'])
  })

  test('415 for an encoded body', async () => {
    const { post, productId } = await shop()
    const bytes = form([named('productId'), productId], [fileNamed('a.txt'), 'x'])
    const { status, body } = await post(FILES, bytes, { ...TYPE, 'content-encoding': 'gzip' })
    expect([status, body.errorCode]).toEqual([415, 'unsupported_content_type'])
    const plain = await post(FILES, bytes, { ...TYPE, 'content-encoding': 'identity' })
    expect(plain.status).toBe(200)
  })

  test('413 for JSON that is too large explains how to send more', async () => {
    const { post, productId } = await shop()
    const base64 = 'A'.repeat(1024 * 1024)
    const { status, body } = await post(UPLOAD, { productId, base64 })
    expect([status, body.errorCode]).toEqual([413, 'body_too_large'])
    expect(body.message).toContain('multipart/form-data')
  })
})

describe('upload slots', () => {
  test('200 with the time at which a long upload ended, in its events', async () => {
    const { key, send, productId } = await shop()
    const part: Part[] = [
      [named('productId'), productId],
      [fileNamed('b.txt'), 'x'],
    ]
    const began = server.clock.now()
    const held = await Promise.all(Array.from({ length: 8 }, () => holdPlace(key)))
    // All of them are being received once there is no place for another one.
    await expect.poll(async () => (await send(...part)).status).toBe(503)
    server.clock.advance(120_000)
    const [first, ...others] = held
    for (const one of others) one.destroy()
    const response = new Promise<{ statusCode?: number }>((got) => first!.once('response', got))
    first!.end(`\r\n--xx\r\n${named('productId')}\r\n\r\n${productId}\r\n--xx--\r\n`)
    expect((await response).statusCode).toBe(200)
    const { at } = await server.db.one<{ at: Date }>`
      select max(created_at) as at from events where object_id = ${Number(productId)}`
    expect(at.getTime()).toBeGreaterThanOrEqual(began.getTime() + 120_000)
  })

  test('503 for the ninth upload of one business, while another business has its own', {
    timeout: 30_000,
  }, async () => {
    const [slow, other] = [await shop(), await shop()]
    const part: Part[] = [
      [named('productId'), slow.productId],
      [fileNamed('a.txt'), 'x'],
    ]
    const held = await Promise.all(Array.from({ length: 8 }, () => holdPlace(slow.key)))
    try {
      const ninth = await slow.send(...part)
      expect([ninth.status, ninth.body.errorCode]).toEqual([503, 'uploads_busy'])
      expect(ninth.headers.get('retry-after')).toMatch(/^\d+$/)
      const theirs = await other.send(
        [named('productId'), other.productId],
        [fileNamed('a.txt'), 'x'],
      )
      expect(theirs.status).toBe(200)
    } finally {
      for (const one of held) one.destroy()
    }
    await expect.poll(async () => (await slow.send(...part)).status, { timeout: 10_000 }).toBe(200)
  })

  test.each([
    [true, 0, 30_001],
    [true, 30_000, 30_001],
    [true, 3_599_000, 3_600_000],
    [false, 0, 30_000],
    [false, 31_000, 30_001],
    [false, 3_600_000, 3_600_000],
  ])('an upload that is too slow: %s for %i bytes in %i ms', (wanted, bytes, ms) => {
    expect(isTooSlow(bytes, ms)).toBe(wanted)
  })

  /** Starts sending a file, and pauses once the server has started receiving it. */
  async function holdPlace(key: string): Promise<ClientRequest> {
    const sending = request(server.url + FILES, {
      method: 'POST',
      headers: { ...TYPE, authorization: `Bearer ${key}`, expect: '100-continue' },
    })
    sending.on('error', () => {})
    const going = new Promise((go) => sending.once('continue', go))
    sending.flushHeaders()
    await going
    sending.write(`--xx\r\n${fileNamed('a.txt')}\r\n\r\nx`)
    return sending
  }
})
