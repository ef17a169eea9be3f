import { describe, expect, test } from 'vitest'
import { newSentReference, openResponder, shown, valueIn } from '../connector/connector.fixture.ts'
import type { EntryKind, ProviderEntry } from '../connector/http-connector.ts'
import { paystack } from './connector.ts'
import { openPaystack, payoutOrder } from './paystack.fixture.ts'

const { double, call, chargeOrder, paidCharge } = await openPaystack()
const { client, respondWith } = await openResponder()
const { bank, owner, disputes } = double.provider
const HOUR_MS = 3_600_000

const all = () => ({ from: new Date('2026-01-01'), until: new Date('2027-01-01') })
const page = (kind: EntryKind, range = all(), cursor: string | null = null) =>
  paystack.reports!.entries(call(), kind, range, cursor)
async function entryOf(kind: EntryKind, is: (entry: ProviderEntry) => boolean) {
  const { entries } = valueIn(await page(kind))
  return entries.find(is)
}

describe("Paystack's entries", () => {
  test('have payouts however they ended', async () => {
    owner.topUp(100_000_000n)
    for (const [word, status, fee_minor] of [
      ['success', 'Successful', 1_000n],
      ['reversed', 'Reversed', 0n],
      ['failed', 'Failed', 0n],
      ['blocked', 'Failed', 0n],
    ] as const) {
      const order = payoutOrder(6_000n)
      await paystack.payouts!.payOut(call(), order)
      bank.settle(order.reference, word)
      const entry = await entryOf('payout', (one) => one.reference === order.reference)
      expect(entry).toMatchObject({ status, fee_minor, amount_minor: 6_000n })
    }
  })

  test("have refunds by our reference, but not by another person's note", async () => {
    const charge = await paidCharge()
    const ours = newSentReference('RFD')
    for (const reference of [ours, 'Ada called']) {
      const order = { reference, charge, paymentId: null, amount_minor: 1_000n, reason: null }
      await paystack.refunds!.refund(call(), { ...order, currency: 'NGN' })
    }
    const { entries } = valueIn(await page('refund'))
    expect(entries.map(({ reference }) => reference)).toEqual([null, ours])
    expect(entries[1]).toMatchObject({ status: 'Pending', amount_minor: 1_000n })
  })

  test('have disputes, which take money when they are lost', async () => {
    const { reference } = await paidCharge()
    const [won, lost] = [1_000n, 2_000n].map((minor) => disputes.open(reference, minor, HOUR_MS))
    expect(valueIn(await page('dispute')).entries).toMatchObject([
      ...[{ providerId: lost, status: 'Pending' }],
      ...[{ providerId: won, status: 'Pending', amount_minor: 1_000n, reference }],
    ])
    disputes.decide(won!, 'won')
    disputes.decide(lost!, 'lost')
    expect(valueIn(await page('dispute')).entries).toMatchObject([
      ...[{ status: 'Successful', amount_minor: 2_000n }, { status: 'Failed' }],
    ])
  })

  test('say which payments a settlement contains', async () => {
    const { refs } = await paidCharge()
    owner.settleToBank()
    const [settlement] = valueIn(await page('settlement')).entries
    const settled = (cursor: string | null) =>
      paystack.reports!.settled!(call(), settlement!.providerId, cursor)
    expect(valueIn(await settled(null)).providerIds).toContain(refs.id)
  })

  test.each([
    ['made days before it was paid', { createdAt: -3 }],
    ['made days after the day that it is for', { at: -3 }],
  ])('have a settlement that was %s', async (_, daysBefore) => {
    await paidCharge()
    const now = double.now()
    const times = Object.entries(daysBefore).map(
      ([name, days]) => [name, new Date(now.getTime() + days * 24 * HOUR_MS)] as const,
    )
    const range = {
      from: new Date(now.getTime() - HOUR_MS),
      until: new Date(now.getTime() + HOUR_MS),
    }
    const before = valueIn(await page('settlement', range)).entries
    owner.settleToBank(Object.fromEntries(times))
    expect(valueIn(await page('settlement', range)).entries).toHaveLength(before.length + 1)
  })

  test('are not read from another page than was asked for', async () => {
    const row = { id: 1, status: 'success', amount: 100, currency: 'NGN', createdAt: '2026-11-01' }
    const anywhere = { ...call(), http: client() }
    const read = (cursor: string | null) =>
      paystack.reports!.entries(anywhere, 'payout', all(), cursor)
    respondWith(200, { status: true, data: [row], meta: { page: 1 } })
    expect(valueIn(await read(null)).next).toBe('2')
    expect(shown(await read('2'))).toBe('unknown unreadable')
    expect(shown(await paystack.reports!.settled!(anywhere, '1', '2'))).toBe('unknown unreadable')
    // Nothing is missed on an empty page, whatever number it has.
    respondWith(200, { status: true, data: [], meta: { page: 1 } })
    expect(valueIn(await read('2'))).toEqual({ entries: [], next: null })
  })

  test('come in pages', async () => {
    await double.advance(HOUR_MS)
    const range = { ...all(), from: double.now() }
    const references: string[] = []
    for (let i = 0; i < 101; i++) {
      const order = chargeOrder()
      references.push(order.reference)
      await paystack.collections!.openHostedPage!(call(), {
        ...order,
        returnUrl: 'https://shop.example',
      })
    }
    const first = valueIn(await page('charge', range))
    expect([first.entries.length, first.next]).toEqual([100, '2'])
    const second = valueIn(await page('charge', range, first.next))
    expect([second.entries.length, second.next]).toEqual([1, null])
    const found = [...first.entries, ...second.entries].map(({ reference }) => reference)
    expect(found.toSorted()).toEqual(references.toSorted())
    expect(first.entries[0]).toMatchObject({ status: 'Pending', fee_minor: null })
    const none = valueIn(await page('charge', { from: new Date(0), until: new Date(1) }))
    expect(none).toEqual({ entries: [], next: null })
  })
})
