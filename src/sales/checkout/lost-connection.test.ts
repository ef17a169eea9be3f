import { afterEach, describe, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startProxy } from '../../../test/db-proxy.ts'
import { startSecond, startServer } from '../../../test/harness.ts'
import { openShop } from './checkout.fixture.ts'

const server = await startServer({ jobs: false })
const line = await startProxy(server.connection)
const { url } = await startSecond(server, { connection: line.connection })

afterEach(async () => {
  line.restore()
  expect(await findings(server)).toEqual([])
})

const CUTS = [
  ['after its statement has run', line.cutAfter],
  ['before its statement runs', line.cutBefore],
] as const

describe.each(CUTS)('a connection that is lost %s', (when, cut) => {
  test.each([
    ['with a key', { 'idempotency-key': 'cart-1' }],
    ['without a key', {}],
  ])('500 for a checkout with a reference %s', async (how, key) => {
    const shop = await openShop(server, { url })
    const productId = await shop.product({ quantity: 5 })
    const body = {
      products: [{ productId, quantity: 1 }],
      reference: `${when}-${how}`.replaceAll(' ', '-'),
    }
    // The statement is prepared from then on. The request log will write this body later, so the
    // body must not contain the text that cuts the connection.
    await shop.begun({ ...body, reference: 'the-first' })
    const lost = cut(body.reference)
    const reply = await shop.begin(body, key)
    await lost
    expect([reply.status, reply.body.errorCode]).toEqual([500, 'outcome_unknown'])

    line.restore()
    const isWritten = when.startsWith('after')
    const again = await shop.begin(body, key)
    const isRefused = isWritten && how === 'without a key'
    expect([again.status, again.body.errorCode]).toEqual(
      isRefused ? [409, 'checkout_reference_used'] : [201, undefined],
    )
    expect(again.headers.get('idempotent-replayed')).toBe(isWritten && !isRefused ? 'true' : null)
    expect(await shop.stock(productId)).toMatchObject({ reserved: 2 })
  })
})
