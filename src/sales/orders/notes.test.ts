import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { memberOf } from '../../business/people/people.fixture.ts'
import { goods, openShop } from '../checkout/checkout.fixture.ts'

const server = await startServer({ jobs: false })

async function ordered() {
  const shop = await openShop(server)
  const { products } = await goods(shop)
  const { orderReference } = await shop.begun({ customerEmail: 'bola@notes.example', products })
  const owner = await memberOf(server, 'owner', shop.businessId)
  return {
    ...shop,
    owner,
    order: orderReference as string,
    path: notesOf(orderReference as string),
  }
}

const notesOf = (order: string) => `/console/orders/${order}/notes`

describe('notes on an order', () => {
  test('200 stores each with author and time, newest first, and in the audit log', async () => {
    const { owner, businessId, order, path } = await ordered()
    const support = await memberOf(server, 'support', businessId)
    expect((await owner.get(path)).body.data).toEqual([])

    const first = await owner.post(path, { text: '  Leave it at the gate.  ' })
    expect(first).toMatchObject({ status: 200, body: { data: { text: 'Leave it at the gate.' } } })
    expect((await support.post(path, { text: 'Called the buyer.' })).status).toBe(200)

    const { data } = (await support.get(path)).body
    expect(data).toMatchObject([
      { text: 'Called the buyer.', authorId: support.id, createdAt: expect.any(String) },
      {
        text: 'Leave it at the gate.',
        authorId: owner.id,
        author: expect.stringMatching(/^Person/),
      },
    ])
    const audit = (await owner.get('/console/audit?action=order_note')).body.data
    expect(audit).toMatchObject([
      { action: 'order_note.create', object: order, detail: 'Added a note', mode: 'test' },
      { action: 'order_note.create', object: order },
    ])
    expect(JSON.stringify(audit)).not.toContain('gate')
  })

  test('400 for an empty or too long note, and stores nothing', async () => {
    const { owner, path } = await ordered()
    for (const text of ['', '   ', '\u200b', 'x'.repeat(2_001)]) {
      const { status, body } = await owner.post(path, { text })
      expect(status, text.slice(0, 5)).toBe(400)
      expect(body.errors).toHaveProperty('text')
    }
    expect((await owner.post(path, { text: 'x'.repeat(2_000) })).status).toBe(200)
    expect((await owner.get(path)).body.data).toHaveLength(1)
  })

  test('403 for a read-only role; 404 for another business, mode or order', async () => {
    const { owner, businessId, path } = await ordered()
    const viewer = await memberOf(server, 'viewer', businessId)
    expect((await viewer.get(path)).status).toBe(200)
    expect((await viewer.post(path, { text: 'Hello.' })).status).toBe(403)

    const other = await ordered()
    for (const asked of [other.owner.get(path), other.owner.post(path, { text: 'Hello.' })]) {
      expect(await asked).toMatchObject({ status: 404, body: { errorCode: 'order_not_found' } })
    }
    owner.choose(businessId, 'live')
    expect((await owner.get(path)).status).toBe(404)
    expect((await owner.post(path, { text: 'Hello.' })).status).toBe(404)
    owner.choose(businessId)
    expect((await owner.get(path)).body.data).toEqual([])
    expect((await owner.get(notesOf('ORD_nothing'))).status).toBe(404)
  })

  test('200 stores each of many simultaneous notes once', async () => {
    const { owner, path } = await ordered()
    const texts = Array.from({ length: 20 }, (_, i) => `Note ${i}`)
    const replies = await Promise.all(texts.map((text) => owner.post(path, { text })))
    expect(replies.map(({ status }) => status)).toEqual(texts.map(() => 200))
    const { data } = (await owner.get(path)).body as { data: { text: string }[] }
    expect(data.map(({ text }) => text).sort()).toEqual(texts.sort())
  })
})
