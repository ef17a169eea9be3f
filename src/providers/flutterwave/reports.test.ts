import { describe, expect, test } from 'vitest'
import { shown, valueIn } from '../connector/connector.fixture.ts'
import type { EntryKind, ProviderEntry, Range } from '../connector/http-connector.ts'
import { flutterwave } from './connector.ts'
import { openFlutterwave, payoutOrder } from './flutterwave.fixture.ts'

const { double, call, chargeOrder, openPage, paidCharge } = await openFlutterwave()
const { bank, disputes, owner, payer } = double.provider
const { entries } = flutterwave.reports!
const DAY_MS = 24 * 3_600_000

/** Moves to the next day, so that no two tests share a day. */
async function newDay(): Promise<Range> {
  await double.advance(DAY_MS)
  const from = new Date(double.now().getTime() - 3_600_000)
  return { from, until: new Date(double.now().getTime() + 3_600_000) }
}

async function all(kind: EntryKind, range: Range): Promise<ProviderEntry[]> {
  const found: ProviderEntry[] = []
  let cursor: string | null = null
  do {
    const page: { entries: readonly ProviderEntry[]; next: string | null } = valueIn(
      await entries(call(), kind, range, cursor),
    )
    found.push(...page.entries)
    cursor = page.next
  } while (cursor !== null)
  return found
}

describe('the entries', () => {
  test('of charges have fees, tries that failed, and all pages', async () => {
    const range = await newDay()
    const paid = await paidCharge()
    const order = chargeOrder()
    payer.payHosted(valueIn(await openPage(order)).url, false)
    const found = await all('charge', range)
    expect(found).toHaveLength(2)
    expect(found).toContainEqual({
      kind: 'charge',
      providerId: paid.refs.id,
      reference: paid.reference,
      status: 'Successful',
      amount_minor: 500_000n,
      fee_minor: 10_750n,
      currency: 'NGN',
      at: double.now(),
      settlementId: null,
    })
    expect(found.find((one) => one.reference === order.reference)).toMatchObject({
      status: 'Failed',
      fee_minor: null,
    })
    for (let i = 0; i < 11; i++) await paidCharge()
    const many = await all('charge', range)
    expect(new Set(many.map(({ providerId }) => providerId)).size).toBe(13)
  })

  test('of payouts have fees rounded to kobo, and what failed', async () => {
    const range = await newDay()
    owner.topUp(10_000_000n)
    const orders = [payoutOrder(1_000_000n), payoutOrder(), payoutOrder()]
    for (const order of orders) await flutterwave.payouts!.payOut(call(), order)
    bank.settle(orders[0]!.reference, 'SUCCESSFUL')
    bank.settle(orders[1]!.reference, 'FAILED')
    const found = await all('payout', range)
    const byReference = orders.map(({ reference }) =>
      found.find((one) => one.reference === reference),
    )
    expect(byReference).toMatchObject([
      { status: 'Successful', amount_minor: 1_000_000n, fee_minor: 2_688n },
      { status: 'Failed', amount_minor: 500_000n },
      { status: 'Pending', fee_minor: 1_075n },
    ])
    expect(found).toHaveLength(3)
  })

  test('of disputes take money when they are opened, and give it back if they are won', async () => {
    const range = await newDay()
    const { reference } = await paidCharge()
    const id = disputes.open(reference, 2_000n, DAY_MS)
    expect(await all('dispute', range)).toMatchObject([
      { providerId: id, reference, status: 'Successful', amount_minor: 2_000n },
    ])
    disputes.decide(id, 'won')
    expect(await all('dispute', range)).toMatchObject([{ providerId: id, status: 'Reversed' }])
  })

  test('of settlements are those to the bank, without fees', async () => {
    owner.settleToWallet()
    const range = await newDay()
    await paidCharge()
    owner.settleToWallet()
    expect(await all('settlement', range)).toEqual([])
    const charge = await paidCharge()
    disputes.open(charge.reference, 10_000n, DAY_MS)
    owner.settleToBank()
    const [settlement] = await all('settlement', range)
    const entry = double.books.entries.findLast(({ kind }) => kind === 'settlement')!
    expect(settlement).toMatchObject({
      providerId: entry.providerId,
      settlementId: entry.providerId,
      reference: null,
      status: 'Successful',
      amount_minor: -entry.amount_minor,
      currency: 'NGN',
    })
  })

  test('of a moment before midnight in Lagos are on that day', async () => {
    // 23:30 in Lagos.
    const midnight = Math.ceil(double.now().getTime() / DAY_MS) * DAY_MS - 3_600_000
    await double.advance(midnight - 1_800_000 - double.now().getTime())
    await paidCharge()
    const [from, until] = [new Date(midnight - DAY_MS), new Date(midnight)]
    const found = await all('charge', { from, until })
    expect(found.some(({ at }) => at.getTime() === midnight - 1_800_000)).toBe(true)
    const next = { from: until, until: new Date(midnight + DAY_MS) }
    expect(await all('charge', next)).toEqual([])
  })
})

describe('a page', () => {
  test('that could not be read is asked for again', async () => {
    const range = { from: new Date('2026-11-01'), until: double.now() }
    double.fault({ on: 'GET *', kind: 'status', status: 503, times: 2 })
    expect(shown(await entries(call(), 'charge', range, null))).toBe('done')
    double.fault({ on: 'GET *', kind: 'status', status: 503 })
    expect(shown(await entries(call(), 'charge', range, null))).toBe('notNow provider_down')
  })
})
