import { describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { exchange, lines } from '../../test/raw.ts'
import { isKeyInUrl } from './auth.ts'

const server = await startServer()
const { get, url } = server
const PATHS = ['/', '/docs', '/openapi.json', '/health/live', '/api/nothing', '/i/1', '/console/me']

test('every response forbids content sniffing', async () => {
  for (const path of PATHS) {
    const { headers } = await get(path)
    expect([path, headers.get('x-content-type-options')]).toEqual([path, 'nosniff'])
    expect(headers.has('strict-transport-security')).toBe(false)
  }
  const { headers } = await exchange(url, lines('NONSENSE'))
  expect(headers.get('x-content-type-options')).toBe('nosniff')
})

test('every response of an https server makes browsers stay on https', async () => {
  const secure = await startServer({ publicUrl: 'https://pay.example.com' })
  for (const path of PATHS) {
    const { headers } = await secure.get(path)
    expect([path, headers.get('strict-transport-security')]).toEqual([path, 'max-age=31536000'])
  }
})

test('200 for the reference allows only its own scripts, by their hashes', async () => {
  const { text, headers } = await get('/docs')
  const policy = headers.get('content-security-policy')!
  const scripts = policy.split('; ').find((one) => one.startsWith('script-src'))
  const count = text.match(/<script(?![^>]*\ssrc=)/g)?.length
  expect(scripts?.match(/'sha256-[\w+/]{43}='/g)?.length).toBe(count)
  expect(scripts).not.toContain('unsafe')
})

describe('a page at a URL with odd escapes', () => {
  test.each([
    ['/i/a%0d%0ab/pay', '/i/a%0D%0Ab'],
    ['/i/%00/pay', '/i/%00'],
    ['/i/%e2%80%ae/pay', '/i/%E2%80%AE'],
    ['/i/..%2f..%2fx/pay', '/i/..%2F..%2Fx'],
    ['/checkout/%0aa/pay', '/checkout/%0Aa'],
  ])('303 from %s to %s', async (from, to) => {
    const { status, headers } = await get(from)
    expect([status, headers.get('location')]).toEqual([303, to])
  })
})

test('a key in a URL is found, however it is escaped', () => {
  for (const key of ['sk_test_x', 'sk%5Ftest%5Fx', '%73k_live_x', 'pt%5ftest_x']) {
    expect(isKeyInUrl(`/transactions?a=${key}`)).toBe(true)
  }
  expect(isKeyInUrl('/transactions?a=task_test')).toBe(false)
})
