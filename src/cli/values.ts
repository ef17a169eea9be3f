import { InvalidArgumentError } from 'commander'
import type { TransferTier } from '../business/account/payment-settings.ts'
import { parseAmount } from '../lib/money.ts'
import { Problem } from '../lib/problem.ts'
import { isEmail } from '../lib/schemas.ts'

/** Parsers for options. Each throws a message that is printed after the option's name. */

/** Reads up to 15 digits, because a number can represent these exactly. */
export function readId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a number.')
  return Number(text)
}

export function readEmail(text: string): string {
  const email = text.trim().toLowerCase()
  if (!isEmail(email)) throw new InvalidArgumentError('It must be an email address.')
  return email
}

/** Combines `a,b` and repeated options into one list. */
export function readList(text: string, before: string[] = []): string[] {
  const parts = text.split(',').map((part) => part.trim())
  return [...before, ...parts.filter((part) => part !== '')]
}

const UNIT_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 }
const DAYS_MAX = 3650

/** Reads `90d`, `12h` or `30m`. Returns milliseconds. */
export function readDurationMs(text: string): number {
  const [, count, unit] = /^(\d{1,7})([mhd])$/.exec(text) ?? []
  const ms = Number(count) * (UNIT_MS[unit ?? ''] ?? Number.NaN)
  if (ms > 0 && ms <= DAYS_MAX * UNIT_MS.d!) return ms
  throw new InvalidArgumentError(
    `It must be a duration such as 90d, 12h or 30m, at most ${DAYS_MAX}d.`,
  )
}

/** Reads a whole number, up to 9999. */
export function readWhole(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

/** Reads a whole number from 1 to 9999. */
export function readCount(text: string): number {
  const count = readWhole(text)
  if (count < 1) throw new InvalidArgumentError('It must be at least 1.')
  return count
}

/** Reads a moment such as 2026-11-28T10:15:00Z, which has to name its time zone. */
export function readMoment(text: string): Date {
  const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(text)
  const at = new Date(text)
  if (isMoment && !Number.isNaN(at.getTime())) return at
  throw new InvalidArgumentError(
    'It must be a time with its zone, such as 2026-11-28T10:15:00Z or 2026-11-28T11:15:00+01:00.',
  )
}

/** Reads whole hours, up to 999. */
export function readHours(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of hours.')
  return Number(text)
}

/** Reads a percentage as basis points: `1.5` is 150. */
export function readPercent(text: string): number {
  const [, whole, fraction = ''] = /^(\d{1,3})(?:\.(\d{1,2}))?$/.exec(text) ?? []
  const basisPoints = Number(`${whole}${fraction.padEnd(2, '0')}`)
  if (basisPoints >= 0 && basisPoints <= 10_000) return basisPoints
  throw new InvalidArgumentError('It must be from 0 to 100, with at most 2 decimals.')
}

/** Reads naira as a decimal string, and converts them to kobo. */
export function readNaira(text: string): bigint {
  try {
    return parseAmount(text, 'NGN', { zero: true })
  } catch (error) {
    if (error instanceof Problem) throw new InvalidArgumentError(`It ${error.fields.amount?.[0]}.`)
    throw error
  }
}

/**
 * Reads `5000:10,50000:25,*:50`: the transfer fee for amounts up to each limit, ascending, and for
 * all larger amounts.
 */
export function readTiers(text: string): TransferTier[] {
  const tiers = text.split(',').map((part): TransferTier => {
    const [upTo = '', fee = '', ...more] = part.split(':').map((side) => side.trim())
    if (more.length > 0 || fee === '') throw badTiers()
    return { upTo_minor: upTo === '*' ? null : readNaira(upTo), fee_minor: readNaira(fee) }
  })
  const limits = tiers.map(({ upTo_minor }) => upTo_minor)
  const isRising = limits.every((limit, i) =>
    limit === null ? i === limits.length - 1 : limit > (limits[i - 1] ?? 0n),
  )
  if (!isRising || limits.at(-1) !== null) throw badTiers()
  return tiers
}

const badTiers = () =>
  new InvalidArgumentError(
    'It must be a list such as 5000:10,50000:25,*:50, in ascending order, with * for the rest.',
  )

/** Returns a size for people to read. */
export function sizeOf(bytes: number): string {
  const mib = Math.round(bytes / 1024 / 1024)
  return mib < 1 ? `${Math.ceil(bytes / 1024)} KiB` : `${mib.toLocaleString('en-GB')} MiB`
}
