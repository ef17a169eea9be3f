import { BASE62, randomText } from '../lib/random.ts'

/** Eight digits of base 62 are milliseconds for the next 6,800 years. */
const TIME_LENGTH = 8

/**
 * `evt_`, the event's own time and 95 random bits; Standard Webhooks allows no dot in an id. With
 * the time the key of the table finds it, so that no index is written for references alone.
 */
export function newEventReference(at: Date): string {
  let [digits, rest] = ['', at.getTime()]
  while (digits.length < TIME_LENGTH) {
    digits = BASE62[rest % 62] + digits
    rest = Math.trunc(rest / 62)
  }
  return `evt_${digits}${randomText(16)}`
}

const FORMAT = /^evt_([0-9A-Za-z]{8})[0-9A-Za-z]{16}$/

/** When the event with a reference happened; undefined for what is no reference of an event. */
export function timeIn(reference: string): Date | undefined {
  const [, digits] = FORMAT.exec(reference) ?? []
  if (!digits) return undefined
  return new Date([...digits].reduce((time, digit) => time * 62 + BASE62.indexOf(digit), 0))
}
