import { describe, expect, test } from 'vitest'
import {
  answerOf,
  answerOfError,
  compareEvents,
  compareReplay,
  type Entry,
  reconcile,
} from './journal.ts'

const entry = (more: Partial<Entry>): Entry => ({
  kind: 'invoice',
  marker: 'm1',
  key: 'k1',
  path: '/invoices',
  body: {},
  sent: 1,
  answer: 'done',
  status: 201,
  text: '{"id":1}',
  reference: 'INV_1',
  isFinal: true,
  ...more,
})
const rows = (...all: [marker: string, reference: string][]) =>
  new Map([['invoice', all.map(([marker, reference]) => ({ marker, reference }))]])
const wordsOf = (entries: Entry[], stored: ReturnType<typeof rows>) =>
  reconcile(entries, stored).map(({ promise, what }) => `${promise} ${what.split(' ')[0]}`)

describe('the journal', () => {
  test('is content with one row of each request that was done, and none of the others', () => {
    const entries = [
      entry({}),
      entry({ marker: 'm2', answer: 'refused', status: 409 }),
      entry({ marker: 'm3', answer: 'unavailable', status: 503 }),
    ]
    expect(reconcile(entries, rows(['m1', 'INV_1'], ['other', 'INV_9']))).toEqual([])
  })

  test.each([
    ['a row that is missing', entry({}), rows(), 'P1 LOST:'],
    ['another record', entry({}), rows(['m1', 'INV_2']), 'P1 LOST:'],
    ['two rows', entry({}), rows(['m1', 'INV_1'], ['m1', 'INV_2']), 'P3 DOUBLED:'],
    [
      'two rows of a 503',
      entry({ answer: 'unavailable' }),
      rows(['m1', 'a'], ['m1', 'b']),
      'P3 DOUBLED:',
    ],
    ['a row of a 503', entry({ answer: 'unavailable' }), rows(['m1', 'INV_1']), 'P1 GHOST:'],
    ['a row of a refusal', entry({ answer: 'refused' }), rows(['m1', 'INV_1']), 'P1 GHOST:'],
    ['a request that nobody decided', entry({ answer: 'unknown' }), rows(), 'P8 UNDECIDED:'],
    ['a 500', entry({ answer: 'broken', status: 500 }), rows(), 'P8 500:'],
  ])('reports %s', (_, one, stored, expected) => {
    expect(wordsOf([one], stored)).toEqual([expected])
  })

  test('compares the rows of one kind only', () => {
    const stored = new Map([['transfer', [{ marker: 'm1', reference: 'INV_1' }]]])
    expect(wordsOf([entry({})], stored)).toEqual(['P1 LOST:'])
  })

  test('reports a repeat with another status or other bytes', () => {
    expect(compareReplay(entry({}), 201, '{"id":1}')).toEqual([])
    expect(compareReplay(entry({}), 201, '{"id": 1}')).toHaveLength(1)
    expect(compareReplay(entry({}), 200, '{"id":1}')).toHaveLength(1)
  })

  test('reports webhooks that are missing, and those of nothing', () => {
    expect(compareEvents(new Set(['a']), new Set(['a']))).toEqual([])
    expect(compareEvents(new Set(['a', 'b']), new Set(['b', 'c']))).toEqual([
      { promise: 'P5', what: 'the webhook of a never arrived' },
      { promise: 'P5', what: 'a webhook of c, which has no row' },
    ])
  })

  test.each([
    [201, undefined, 'done'],
    [503, 'unavailable', 'unavailable'],
    [500, 'outcome_unknown', 'unknown'],
    [500, 'OUTCOME_UNKNOWN', 'unknown'],
    [409, 'request_in_progress', 'unknown'],
    [409, 'insufficient_balance', 'refused'],
    [500, 'internal', 'broken'],
  ])('takes %i %s for %s', (status, code, expected) => {
    expect(answerOf(status, code)).toBe(expected)
  })

  test.each([
    ['ECONNREFUSED', 'unavailable'],
    ['ECONNRESET', 'unknown'],
  ])('takes %s for %s', (code, expected) => {
    expect(answerOfError(Object.assign(new Error(code), { code }))).toBe(expected)
  })
})
