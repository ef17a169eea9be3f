import { describe, expect, test } from 'vitest'
import { readFees } from '../business/account/fees.ts'
import { OPEN_MS } from '../payments/attempts/attempt.ts'
import { calendarOf, DAY_MS, momentsOf } from './calendar.ts'
import { customersOf } from './customers.ts'
import { storyOf } from './life.ts'
import { fateOf, stepsOf } from './plots.ts'
import { randomOf } from './random.ts'
import type { Shop, Story } from './story.ts'

const UNTIL_MS = Date.parse('2026-03-01T00:00:00+01:00')
const ROWS = 4_000

const shopOf = (seed: number): Shop => ({
  tenant: { businessId: 1, live: false },
  seed,
  terms: {
    name: 'Adire & Oak',
    email: null,
    phone: null,
    currency: 'NGN',
    time_zone: 'Africa/Lagos',
    fee_bearer: 'business',
    virtual_account_policy: 'exact',
    transfer_approval_above_minor: null,
    fee_rules: readFees(null),
  },
  publicUrl: 'http://127.0.0.1',
  untilMs: UNTIL_MS,
  nowMs: UNTIL_MS + 12 * 3_600_000,
})

function storiesOf(seed: number): Story[] {
  const customers = customersOf(seed, ROWS)
  const days = calendarOf(ROWS, UNTIL_MS)
  const recentFrom = days.find(({ isRecent }) => isRecent)!.from
  let id = 0
  return days.flatMap((day) =>
    momentsOf(day, seed).map((createdMs, i) => {
      const index = day.from + i
      const fate = fateOf(seed, index, day, recentFrom)
      return storyOf(shopOf(seed), customers, { index, createdMs, fate }, () => ++id)
    }),
  )
}

describe.each([1, 2, 3])('the stories of seed %d', (seed) => {
  const stories = storiesOf(seed)

  test('take in what is due and no more', () => {
    const wrong = stories.filter(({ invoice, transactions }) => {
      const kept = transactions.filter((row) => row.paid_at && row.excess_minor === 0n)
      const paid_minor = kept.reduce((sum, row) => sum + row.amount_minor, 0n)
      const isFit = transactions.every((row) => row.amount_minor > 0n && row.payable_minor > 0n)
      return !isFit || paid_minor !== invoice.paid_minor || paid_minor > invoice.amount_minor
    })
    expect(wrong.map(({ invoice }) => invoice.id)).toEqual([])
  })

  test('leave nothing open that a sweep would end', () => {
    const open = stories.filter(
      ({ shop, invoice, transactions, accounts }) =>
        transactions.some(({ status }) => status === 'Pending') ||
        accounts.some(({ status }) => status === 'Open') ||
        (invoice.next_step_at && invoice.next_step_at.getTime() <= shop.nowMs),
    )
    expect(open.map(({ invoice }) => invoice.id)).toEqual([])
  })

  test('are told in the order of time, each object from 1 without a gap', () => {
    const disordered = stories.filter(({ events, invoice }) => {
      const sequences = new Map<number, number>()
      let before = invoice.created_at
      return events.some(({ object_id, sequence, created_at }) => {
        const isNext = sequence === (sequences.get(object_id) ?? 0) + 1 && created_at >= before
        sequences.set(object_id, sequence)
        before = created_at
        return !isNext
      })
    })
    expect(disordered.map(({ invoice }) => invoice.id)).toEqual([])
  })

  test('end with the history: after it only the schedule tells of what fell due', () => {
    const late = stories.flatMap(({ events }) =>
      events.filter(({ created_at }) => created_at.getTime() > UNTIL_MS).map(({ type }) => type),
    )
    expect(late.filter((type) => type !== 'invoice.overdue')).toEqual([])
    const mails = stories.flatMap((story) => story.mails)
    expect(mails.filter(({ created_at }) => created_at.getTime() >= UNTIL_MS)).toEqual([])
  })

  test('have a reference each', () => {
    const references = stories.flatMap(({ invoice, transactions, deposits }) => [
      invoice.reference,
      ...transactions.map(({ reference }) => reference),
      ...deposits.map(({ provider_reference }) => provider_reference),
    ])
    expect(new Set(references).size).toBe(references.length)
  })
})

test.each([950_00n, 3_200_00n, 24_650_00n, 465_000_00n])(
  'parts of %d are round',
  (amount_minor) => {
    for (let seed = 0; seed < 20; seed++) {
      const random = randomOf(seed, 0, 0)
      const scene = { random, createdMs: 0, overdueMs: null, untilMs: 90 * DAY_MS, amount_minor }
      const [, start] = stepsOf('part_open', scene, OPEN_MS)
      const part_minor = start && 'attempt' in start ? start.attempt.part_minor! : 0n
      expect(part_minor).toBeGreaterThan(0n)
      expect(part_minor).toBeLessThan(amount_minor)
      expect(part_minor % 100_00n).toBe(0n)
    }
  },
)

test('December sells most, Sundays least, and every day has its invoices once', () => {
  const days = calendarOf(100_000, UNTIL_MS)
  const sold = (is: (noon: Date) => boolean) => {
    const some = days.filter(({ startMs }) => is(new Date(startMs + DAY_MS / 2)))
    return some.reduce((sum, { count }) => sum + count, 0) / some.length
  }
  const whole = sold(() => true)
  expect(sold((noon) => noon.getUTCMonth() === 11)).toBeGreaterThan(1.5 * whole)
  expect(sold((noon) => noon.getUTCDay() === 0)).toBeLessThan(0.5 * whole)
  expect(days.reduce((from, day) => (day.from === from ? from + day.count : Number.NaN), 0)).toBe(
    100_000,
  )
})

test('customers have an address each, at names that are kept for examples', () => {
  const customers = customersOf(1, 60_000)
  expect(new Set(customers.map(({ email }) => email)).size).toBe(customers.length)
  const strange = customers.filter(
    ({ email }) => !/^[a-z0-9.-]+@(example\.(com|org|net)|[a-z0-9-]+\.example)$/.test(email),
  )
  expect(strange).toEqual([])
})
