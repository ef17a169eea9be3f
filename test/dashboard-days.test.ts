import { expect, test } from 'vitest'
import { dayText, instantIn, isApiDate, parseDay, timeIn } from '../dashboard/src/ui/typed-days.ts'

test.each([
  ['2026-11-02', '2026-11-02'],
  ['2/11/2026', '2026-11-02'],
  ['02.11.2026', '2026-11-02'],
  ['2 Nov 2026', '2026-11-02'],
  ['2 november, 2026', '2026-11-02'],
  ['Nov 2, 2026', '2026-11-02'],
  ['29 Feb 2028', '2028-02-29'],
  ['29 Feb 2026', undefined],
  ['31/04/2026', undefined],
  ['2026-13-01', undefined],
  ['soon', undefined],
  ['', undefined],
])('the day %s is read as %s', (typed, value) => {
  expect(parseDay(typed, false)?.value).toBe(value)
})

test('a date without a year is in this year and not yet complete', () => {
  const year = new Date().getFullYear()
  expect(parseDay('2 Nov', false)).toEqual({ value: `${year}-11-02`, isWhole: false })
})

test('a date with a time is read; without one it starts at midnight', () => {
  for (const typed of ['2026-11-02T14:30', '2 Nov 2026, 14:30', '2/11/2026 14:30']) {
    expect(parseDay(typed, true), typed).toEqual({ value: '2026-11-02T14:30', isWhole: true })
  }
  expect(parseDay('2 Nov 2026', true)).toEqual({ value: '2026-11-02T00:00', isWhole: false })
  expect(parseDay('2 Nov 2026, 25:00', true)).toBeUndefined()
})

test('a stored date is shown in the usual format, anything else as typed', () => {
  expect(dayText('2026-11-02')).toBe('2 Nov 2026')
  expect(dayText('2026-11-02T14:30')).toBe('2 Nov 2026, 14:30')
  expect(dayText('soon')).toBe('soon')
  expect(isApiDate('2026-13-45')).toBe(false)
})

test.each([
  ['Africa/Lagos', '2026-11-02T00:30', '2026-11-01T23:30:00.000Z'],
  ['Asia/Kolkata', '2026-11-02T14:30', '2026-11-02T09:00:00.000Z'],
  // The clocks go forward at 02:00 on 8 March, and back at 02:00 on 1 November.
  ['America/New_York', '2026-03-08T01:30', '2026-03-08T06:30:00.000Z'],
  ['America/New_York', '2026-03-08T03:30', '2026-03-08T07:30:00.000Z'],
  ['America/New_York', '2026-11-01T00:30', '2026-11-01T04:30:00.000Z'],
  ['America/New_York', '2026-11-01T03:30', '2026-11-01T08:30:00.000Z'],
])('in %s, %s is %s', (timeZone, time, instant) => {
  expect(instantIn(timeZone, time)).toBe(instant)
  expect(timeIn(timeZone, instant)).toBe(time)
})

test('text that is not a date is left for the server to refuse', () => {
  expect(instantIn('Africa/Lagos', 'soon')).toBe('soon')
})
