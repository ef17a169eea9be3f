import { describe, expect, test } from 'vitest'
import { fc } from '../../test/property.ts'
import { dayIn, hourOfDay, isDay, parseTimestamp, startOfDay, timeZoneNamed } from './dates.ts'

const LAGOS = 'Africa/Lagos'
const moment = (text: string, timeZone = LAGOS, end = false) =>
  parseTimestamp(text, timeZone, 'startDate', end).toISOString()

// Since 1972, every UTC offset in the world is a whole number of minutes.
const day = fc
  .date({ min: new Date('1973-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))
const timeZone = fc.constantFrom(
  LAGOS,
  'UTC',
  'America/New_York',
  'America/Sao_Paulo',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'Pacific/Kiritimati',
  'Australia/Lord_Howe',
  'Africa/Cairo',
  'America/Havana',
)

describe('a day', () => {
  test.each(['2026-02-28', '2028-02-29', '2000-02-29', '1900-01-01', '2026-12-31'])(
    '%s exists',
    (text) => {
      expect(isDay(text)).toBe(true)
    },
  )

  test.each([
    '2026-02-29',
    '2100-02-29',
    '2026-02-30',
    '2026-04-31',
    '2026-13-01',
    '2026-00-01',
    '2026-01-00',
    '2026-1-1',
    '26-01-01',
    '1899-12-31',
    '0000-01-01',
    '2026-01-01 ',
    '2026-01-01T00:00:00Z',
    '٢٠٢٦-٠١-٠١',
    '',
  ])('%s does not', (text) => {
    expect(isDay(text)).toBe(false)
  })

  test('starts in its time zone, and its first moment belongs to that day', () => {
    fc.assert(
      fc.property(day, timeZone, (text, zone) => {
        const start = startOfDay(text, zone)
        // Samoa skipped a whole day when it crossed the date line.
        if (zone === 'Pacific/Apia' && text === '2011-12-30') return
        expect(dayIn(zone, start)).toBe(text)
        expect(dayIn(zone, new Date(start.getTime() - 1)) < text).toBe(true)
      }),
    )
  })

  test.each([
    ['2026-03-08', 'America/New_York', '2026-03-08T05:00:00.000Z'],
    ['2026-03-09', 'America/New_York', '2026-03-09T04:00:00.000Z'],
    // The clock skips midnight here: the day starts at one.
    ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
    ['2026-04-24', 'Africa/Cairo', '2026-04-23T22:00:00.000Z'],
    // And here midnight comes twice.
    ['2026-11-01', 'America/Havana', '2026-11-01T04:00:00.000Z'],
    ['2026-01-01', 'Asia/Kathmandu', '2025-12-31T18:15:00.000Z'],
    ['2026-01-01', LAGOS, '2025-12-31T23:00:00.000Z'],
  ])('%s in %s starts at %s', (text, zone, start) => {
    expect(startOfDay(text, zone).toISOString()).toBe(start)
  })
})

describe('an hour of a day', () => {
  test.each([
    ['2026-01-01', 9, LAGOS, '2026-01-01T08:00:00.000Z'],
    ['2026-07-01', 9, 'America/New_York', '2026-07-01T13:00:00.000Z'],
    ['2026-03-08', 9, 'America/New_York', '2026-03-08T13:00:00.000Z'],
    // The hour from two to three does not exist that night: the result is three.
    ['2026-03-08', 2, 'America/New_York', '2026-03-08T07:00:00.000Z'],
    // One o'clock comes twice that night: the result is the first.
    ['2026-11-01', 1, 'America/New_York', '2026-11-01T05:00:00.000Z'],
  ])('%s at %i in %s is %s', (text, hour, zone, at) => {
    expect(hourOfDay(text, hour, zone).toISOString()).toBe(at)
  })
})

describe('a moment', () => {
  test.each([
    ['2026-01-01', '2025-12-31T23:00:00.000Z'],
    ['2026-01-01T00:00Z', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T00:00:00.5Z', '2026-01-01T00:00:00.500Z'],
    ['2026-01-01T00:00:00.123456789Z', '2026-01-01T00:00:00.123Z'],
    ['2026-01-01T00:00:00+01:00', '2025-12-31T23:00:00.000Z'],
    ['2026-01-01T00:00:00-05:30', '2026-01-01T05:30:00.000Z'],
  ])('%s is %s', (text, at) => {
    expect(moment(text)).toBe(at)
  })

  test.each([
    'now',
    '1767225600',
    '2026-01-01T00:00:00',
    '2026-01-01 00:00:00Z',
    '2026-01-01T00:00:00z',
    '2026-01-01T24:00:01Z',
    '2026-01-01T23:60:00Z',
    '2026-02-29T00:00:00Z',
    '2026-01-01T00:00:00+1',
    '2026-01-01T00:00:00+25:00',
    '2026-W01-1',
    'Thu, 01 Jan 2026 00:00:00 GMT',
  ])('%s is refused, naming its field', (text) => {
    expect(() => moment(text)).toThrow('startDate must be a date')
  })

  test('used as an end includes the whole day, or the instant itself', () => {
    expect(moment('2026-01-01', LAGOS, true)).toBe('2026-01-01T23:00:00.000Z')
    expect(moment('2026-12-31', LAGOS, true)).toBe('2026-12-31T23:00:00.000Z')
    expect(moment('2026-03-08', 'America/New_York', true)).toBe('2026-03-09T04:00:00.000Z')
    expect(moment('2026-01-01T00:00:00Z', LAGOS, true)).toBe('2026-01-01T00:00:00.001Z')
  })
})

describe('today', () => {
  test('changes at midnight of the time zone, also when read repeatedly', () => {
    const zones = [LAGOS, 'UTC', LAGOS]
    const days = (at: string) => zones.map((zone) => dayIn(zone, new Date(at)))
    expect(days('2025-12-31T22:59:59.999Z')).toEqual(['2025-12-31', '2025-12-31', '2025-12-31'])
    expect(days('2025-12-31T23:00:00.000Z')).toEqual(['2026-01-01', '2025-12-31', '2026-01-01'])
    expect(days('2026-01-01T00:00:00.000Z')).toEqual(['2026-01-01', '2026-01-01', '2026-01-01'])
    expect(days('2025-12-31T22:59:59.999Z')).toEqual(['2025-12-31', '2025-12-31', '2025-12-31'])
  })
})

describe('a time zone', () => {
  test('must exist', () => {
    const known = ['Africa/Lagos', 'UTC', 'Europe/Kyiv', 'Asia/Kolkata', 'Asia/Calcutta']
    expect(known.map(timeZoneNamed)).toEqual(known)
    expect(['africa/LAGOS', 'utc'].map(timeZoneNamed)).toEqual(['Africa/Lagos', 'UTC'])
    expect(['Lagos', '', 'Africa/', 'Mars/Olympus', '__proto__'].some(timeZoneNamed)).toBe(false)
  })
})
