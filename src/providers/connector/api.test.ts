import { afterAll, expect, test } from 'vitest'
import { aboutWord, dateOf } from './api.ts'

const { TZ } = process.env
afterAll(() => {
  if (TZ === undefined) delete process.env.TZ
  else process.env.TZ = TZ
})

test.each([
  ['2026-11-02T09:00:00.000Z', '2026-11-02T09:00:00.000Z'],
  ['2026-11-02T10:00:00+01:00', '2026-11-02T09:00:00.000Z'],
  ['2026-11-02T10:00:00+0100', '2026-11-02T09:00:00.000Z'],
  ['2026-11-02T09:00', '2026-11-02T09:00:00.000Z'],
  ['2026-11-02 09:00:00', '2026-11-02T09:00:00.000Z'],
  ['2026-11-02', '2026-11-02T00:00:00.000Z'],
])('%s is the same wherever this server is', (text, expected) => {
  for (const zone of ['UTC', 'Africa/Lagos', 'America/New_York']) {
    process.env.TZ = zone
    expect(dateOf(text)).toEqual(new Date(expected))
  }
})

test.each([undefined, '', 'N/A', '5', '02/11/2026', '2026-13-01', '2026-11-02 9:24:04 AM'])(
  '%s is no date',
  (text) => expect(dateOf(text)).toBeNull(),
)

test.each([
  ['awaiting-moonrise', true, {}],
  ['awaiting-moonrise', false, { unknownWord: 'awaiting-moonrise' }],
  ['Waiting for Ada Obi', false, { unknownWord: 'several words' }],
  ['ada@example.com', false, { unknownWord: 'several words' }],
])('the word %j for a state, if we know it: %s', (word, isKnown, expected) => {
  expect(aboutWord(word, isKnown)).toEqual(expected)
})
