import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { fc } from '../../test/property.ts'
import { canonical } from './json.ts'
import { machine } from './machine.ts'
import { pageOf, rangeOf, TOTAL_MAX, windowOf } from './paging.ts'
import { conflict, invalid, notFound, unavailable } from './problem.ts'
import { BASE62, newReference, randomText, Secret } from './tokens.ts'

describe('canonical JSON', () => {
  /** The same value with the keys of every object in another order. */
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled)
    if (value === null || typeof value !== 'object') return value
    const entries = Object.entries(value).reverse()
    return Object.fromEntries(entries.map(([key, inner]) => [key, shuffled(inner)]))
  }

  test('is the same for any order of keys, and parses to the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonical(shuffled(value))).toBe(canonical(value))
        expect(JSON.parse(canonical(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test('differs for different values', () => {
    const values = [1, '1', null, [], {}, [1, 2], [2, 1], { a: 1 }, { a: '1' }, { b: 1 }, [{}], '']
    expect(new Set(values.map(canonical)).size).toBe(values.length)
  })
})

describe('a state machine', () => {
  const spec = {
    noun: 'invoice',
    initial: ['Draft'],
    states: ['Draft', 'Sent', 'Paid'],
    moves: {
      send: { from: ['Draft', 'Sent'], to: 'Sent' },
      pay_rest: { from: ['Sent'], to: 'Paid' },
    },
  } as const

  test('explains why a move is refused', () => {
    expect(machine(spec).refused('pay_rest', 'Draft')).toMatchObject({
      kind: 'conflict',
      code: 'invoice_state',
      message: 'This invoice is Draft. To pay rest it, it must be Sent.',
      fields: { status: ['is Draft'] },
    })
  })

  test('knows its final states', () => {
    const { isFinal } = machine(spec)
    expect(spec.states.filter(isFinal)).toEqual(['Paid'])
  })

  test('with an unreachable state stops the server from starting', () => {
    const moves = { send: spec.moves.send }
    expect(() => machine({ ...spec, moves } as never)).toThrow('Unreachable invoice states: Paid')
  })
})

describe('random text', () => {
  test('has the requested length, in base 62, with every character equally likely', () => {
    const counts = new Map<string, number>()
    for (const letter of randomText(620_000)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
    expect([...counts.keys()].sort().join('')).toBe(BASE62)
    // 10,000 expected; seven standard deviations are 700.
    for (const count of counts.values()) expect(Math.abs(count - 10_000)).toBeLessThan(700)
  })

  test('makes references that do not repeat', () => {
    const references = Array.from({ length: 10_000 }, () => newReference('INV'))
    expect(new Set(references).size).toBe(10_000)
    expect(references[0]).toMatch(/^INV_[0-9A-Za-z]{20}$/)
  })
})

describe('a secret', () => {
  test('shows its value only through reveal', () => {
    const secret = new Secret('hunter2')
    const shown = [
      String(secret),
      `${secret}`,
      JSON.stringify({ secret }),
      inspect({ secret }, { showHidden: true, depth: 9 }),
      Object.values(secret).join(),
      [secret].join(),
    ]
    for (const text of shown) expect(text).not.toContain('hunter2')
    expect(secret.reveal()).toBe('hunter2')
  })
})

describe('a page', () => {
  const all = Array.from({ length: 45 }, (_, i) => i)
  const page = (number: number, limit: number) => {
    const { offset, take } = windowOf({ page: number, limit })
    return pageOf(all.slice(offset, offset + take), { page: number, limit }, all.length)
  }

  test.each([
    [1, 20, 20, { pageCount: 3, hasNext: true, hasPrevious: false }],
    [2, 20, 20, { pageCount: 3, hasNext: true, hasPrevious: true }],
    [3, 20, 5, { pageCount: 3, hasNext: false, hasPrevious: true }],
    [4, 20, 0, { pageCount: 3, hasNext: false, hasPrevious: true }],
    [1, 45, 45, { pageCount: 1, hasNext: false, hasPrevious: false }],
    [1, 100, 45, { pageCount: 1, hasNext: false, hasPrevious: false }],
  ])('%i of %i has %i rows', (number, limit, rows, meta) => {
    const found = page(number, limit)
    expect(found.rows).toEqual(all.slice((number - 1) * limit, (number - 1) * limit + rows))
    expect(found.meta).toMatchObject({
      total: 45,
      totalIsExact: true,
      page: number,
      limit,
      ...meta,
    })
  })

  test('of a list past the limit says that its total is not exact', () => {
    const one = { page: 1, limit: 1 }
    expect(pageOf([1], one, TOTAL_MAX).meta).toMatchObject({ total: TOTAL_MAX, totalIsExact: true })
    const { meta } = pageOf([1, 2], one, TOTAL_MAX + 1)
    expect(meta).toMatchObject({ total: TOTAL_MAX, totalIsExact: false, hasNext: true })
  })

  test('of a list past the limit lets a loop up to pageCount read every row', () => {
    const limit = 100
    const rows = TOTAL_MAX + 250
    const seen: number[] = []
    for (let page = 1, pageCount = 1; page <= pageCount; page++) {
      const from = (page - 1) * limit
      const here = Array.from(
        { length: Math.max(0, Math.min(limit + 1, rows - from)) },
        (_, i) => from + i,
      )
      const found = pageOf(here, { page, limit }, TOTAL_MAX + 1)
      pageCount = found.meta.pageCount
      expect(found.meta.hasNext).toBe(page < pageCount)
      seen.push(...found.rows)
    }
    expect(seen).toEqual(Array.from({ length: rows }, (_, i) => i))
  })

  test('of an empty list is valid', () => {
    expect(pageOf([], { page: 1, limit: 20 }, 0).meta).toMatchObject({ total: 0, pageCount: 0 })
  })
})

describe('a range of dates', () => {
  test('ends after its last day, and can be open', () => {
    const { from, until } = rangeOf({ startDate: '2026-01-01', endDate: '2026-01-01' }, 'UTC')
    expect(until!.getTime() - from!.getTime()).toBe(86_400_000)
    expect(rangeOf({}, 'UTC')).toEqual({ from: undefined, until: undefined })
  })

  test('that ends before it starts is refused', () => {
    const dates = { startDate: '2026-01-02', endDate: '2026-01-01' }
    expect(() => rangeOf(dates, 'UTC')).toThrow('startDate must not be after endDate')
  })
})

describe('a problem', () => {
  test('repeats its fields in the message, for envelopes without `errors`', () => {
    const problem = invalid({
      amount: ['is required'],
      note: ['must be a string', 'must be short'],
    })
    expect(problem.message).toBe('amount is required; note must be a string, must be short')
  })

  test('names its noun in words', () => {
    expect(notFound('virtual_account')).toMatchObject({
      kind: 'not_found',
      code: 'virtual_account_not_found',
      message: 'No such virtual account.',
    })
  })

  test('keeps its cause for the log', () => {
    const cause = new Error('ECONNREFUSED')
    expect(unavailable('closing', 'Later.', cause)).toMatchObject({ cause, retryAfterSeconds: 1 })
    expect(conflict('key_state', 'No.').cause).toBeUndefined()
  })
})
