import { describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'

// Low enough that 800 requests exceed it even on the slowest machine.
const server = await startServer({ rateLimit: 1, trustProxy: ['127.0.0.1'] })
const { get } = server

/**
 * Sends many requests at once, each from the address that a proxy reports; returns the statuses.
 */
async function askFrom(path: string, addressOf: (i: number) => string, count: number) {
  const all = Array.from({ length: count }, (_, i) =>
    get(path, { 'x-forwarded-for': addressOf(i), authorization: '' }),
  )
  return (await Promise.all(all)).map(({ status }) => status)
}

const PAGE = '/i/nothing-is-here'

describe.each(['/media/none', `/brand/${'x'.repeat(22)}/none.png`])('%s', (path) => {
  test('429 for very many from one address, with ten times the limit of pages', async () => {
    const address = path.startsWith('/media') ? '203.0.113.1' : '203.0.113.2'
    const statuses = await askFrom(path, () => address, 800)
    expect(new Set(statuses)).toEqual(new Set([404, 429]))
    expect(statuses.filter((status) => status === 404).length).toBeGreaterThanOrEqual(20)
    // Pages have their own limit, and so has each address.
    expect(await askFrom(PAGE, () => address, 1)).toEqual([404])
    expect(await askFrom(path, () => '203.0.113.9', 1)).toEqual([404])
  })
})

describe('an IPv6 address', () => {
  const of = (network: string) => (i: number) => `2001:db8:1:${network}::${(i + 1).toString(16)}`

  test.each([
    ['payers', PAGE],
    ['people', '/console/me'],
  ])('429 for %s that use a new address of the same network each time', async (_, path) => {
    const network = path === PAGE ? 'a' : 'b'
    const statuses = await askFrom(path, of(network), 300)
    expect(statuses).toContain(429)
    expect(await askFrom(path, of(`${network}0`), 1)).not.toContain(429)
  })
})
