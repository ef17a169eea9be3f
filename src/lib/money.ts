import { invalid } from './problem.ts'

/** An amount in the smallest unit of its currency: kobo, cents, yen. Never a float. */
export type Minor = bigint

/**
 * The largest single amount: a hundred billion naira. Sums of 100,000 such amounts fit in an int8.
 */
export const AMOUNT_MINOR_MAX: Minor = 10_000_000_000_000n

/**
 * The ISO 4217 currencies, by number of decimals. Intl has fewer decimals for some, such as IDR.
 */
const CURRENCIES: Record<number, string> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2: `
    AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD
    CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL
    GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR
    LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD
    PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC
    SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR
    ZMW ZWG`,
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
}

const DECIMALS: ReadonlyMap<string, number> = new Map(
  Object.entries(CURRENCIES).flatMap(([decimals, codes]) =>
    (codes.match(/\w+/g) ?? []).map((code) => [code, Number(decimals)] as const),
  ),
)

export const isCurrency = (code: string): boolean => DECIMALS.has(code)

/** Returns a currency's decimals according to ISO 4217: NGN 2, JPY 0, KWD 3. */
export function decimalsOf(currency: string): number {
  const decimals = DECIMALS.get(currency)
  if (decimals === undefined) throw new Error(`Unknown number of decimals for currency ${currency}`)
  return decimals
}

interface ParseOptions {
  field?: string
  /** Allows zero, for fields where "nothing to pay" is a valid value. */
  zero?: boolean
}

/**
 * Reads an amount in major units, as a JSON number or a decimal string, into minor units.
 *
 * A number is read as JavaScript prints it, without arithmetic, so 0.29 becomes 29n and never 28n.
 * Throws `invalid` naming the field.
 */
export function parseAmount(
  value: number | string,
  currency: string,
  { field = 'amount', zero = false }: ParseOptions = {},
): Minor {
  const refuse = (message: string) => invalid({ [field]: [message] })
  const decimals = decimalsOf(currency)
  const parts = /^(\d{1,15})(?:\.(\d{1,30}))?$/.exec(String(value))
  if (!parts) throw refuse(faultOf(String(value), currency, zero))

  const [, whole = '', fraction = ''] = parts
  if (fraction.length > decimals) throw refuse(tooPrecise(currency, decimals))
  const minor = BigInt(whole + fraction.padEnd(decimals, '0'))
  if (minor === 0n && !zero) throw refuse('must be more than 0')
  if (minor > AMOUNT_MINOR_MAX) {
    throw refuse(`must be at most ${printMinor(AMOUNT_MINOR_MAX, currency)}${unitOf(currency)}`)
  }
  return minor
}

function faultOf(text: string, currency: string, zero: boolean): string {
  if (!/^-\d+(?:\.\d+)?$/.test(text)) {
    return `must be an amount in digits, such as 1500.50${unitOf(currency)}`
  }
  return zero ? 'must not be negative' : 'must be more than 0'
}

function tooPrecise(currency: string, decimals: number): string {
  return `must have at most ${decimals} decimals in ${currency}${unitOf(currency)}`
}

/** A hint for callers who are used to sending minor units. */
const unitOf = (currency: string): string =>
  currency === 'NGN' ? ' (amounts are in naira, not kobo)' : ''

/**
 * Converts minor units into the JSON number that the contract promises: 150050n NGN is 1500.5. A
 * division of two exact numbers gives the double nearest to the result, as reading its digits does.
 */
export function toAmount(minor: Minor, currency: string): number {
  const units = Number(minor)
  return Number.isSafeInteger(units)
    ? units / 10 ** decimalsOf(currency)
    : Number(printMinor(minor, currency))
}

/**
 * Formats amounts as the API does: each in major units, and in minor units with the suffix `Minor`.
 */
export function amountsOf<Name extends string>(currency: string, minors: Record<Name, Minor>) {
  const shown: Record<string, number> = {}
  for (const name in minors) {
    shown[name] = toAmount(minors[name], currency)
    shown[`${name}Minor`] = Number(minors[name])
  }
  return shown as Record<Name | `${Name}Minor`, number>
}

/**
 * Formats minor units as a decimal string with all the currency's decimals: 150050n NGN is
 * `1500.50`.
 */
export function printMinor(minor: Minor, currency: string): string {
  const decimals = decimalsOf(currency)
  const sign = minor < 0n ? '-' : ''
  const digits = (minor < 0n ? -minor : minor).toString().padStart(decimals + 1, '0')
  if (decimals === 0) return sign + digits
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** Formats an amount for people: `₦1,500.50`. The digits are exact, however large the amount is. */
export function formatAmount(minor: Minor, currency: string, locale = 'en-NG'): string {
  return printerOf(currency, locale).format(printMinor(minor, currency) as unknown as number)
}

// Creating a formatter costs 30 µs, and using it 1 µs. The number of formatters is limited because
// browsers can send any locale.
const printers = new Map<string, Intl.NumberFormat>()
const PRINTERS_MAX = 100

function printerOf(currency: string, locale: string): Intl.NumberFormat {
  const known = printers.get(currency + locale)
  if (known) return known
  const decimals = decimalsOf(currency)
  const printer = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  })
  if (printers.size >= PRINTERS_MAX) printers.clear()
  printers.set(currency + locale, printer)
  return printer
}

/** Returns `basisPoints` of an amount, rounding halves up: 1.5% of 333 kobo is 5 kobo. */
export function percentageOf(minor: Minor, basisPoints: number): Minor {
  return (minor * BigInt(basisPoints) + 5_000n) / 10_000n
}

/**
 * Splits `minor` by `weights`, each of which is a part of `whole`: 100 for percentages, or the sum
 * of the weights to split the full amount. The parts add up to the exact sum, rounded down. Units
 * lost by rounding each part down go to the largest remainders, starting with the first if they are
 * equal.
 */
export function portions(
  minor: Minor,
  weights: readonly bigint[],
  whole = weights.reduce((sum, weight) => sum + weight, 0n),
): Minor[] {
  if (whole === 0n) return weights.map(() => 0n)
  const parts = weights.map((weight) => (minor * weight) / whole)
  const remainders = weights.map((weight) => (minor * weight) % whole)
  const left = Number(remainders.reduce((sum, remainder) => sum + remainder, 0n) / whole)
  const byRemainder = [...remainders.keys()].sort(
    (a, b) => Number(remainders[b]! - remainders[a]!) || a - b,
  )
  for (const i of byRemainder.slice(0, left)) parts[i]! += 1n
  return parts
}

/** An amount of whole naira, dollars or yen. */
export const wholeUnits = (units: number, currency: string): Minor =>
  BigInt(units) * 10n ** BigInt(decimalsOf(currency))

/** Hundredths of a percent: 1250 is 12.5%. Never a float. */
export type BasisPoints = number

const PERCENT_DECIMALS = 2

/**
 * Reads a percentage from 0 to 100 into basis points. It can be a number, read as JavaScript prints
 * it and without arithmetic, or a decimal string. Throws `invalid` naming the field.
 */
export function parsePercentage(value: number | string, field: string): BasisPoints {
  const [, whole = '', fraction = ''] = /^(\d{1,3})(?:\.(\d{1,2}))?$/.exec(String(value)) ?? []
  const points = Number(whole + fraction.padEnd(PERCENT_DECIMALS, '0'))
  if (whole === '' || points > 10_000) {
    throw invalid({ [field]: ['must be a percentage from 0 to 100 with at most 2 decimals'] })
  }
  return points
}

/** Formats a percentage as the API shows it: 1250 is 12.5. */
export function printPercentage(points: BasisPoints): number {
  const digits = String(points).padStart(PERCENT_DECIMALS + 1, '0')
  return Number(`${digits.slice(0, -PERCENT_DECIMALS)}.${digits.slice(-PERCENT_DECIMALS)}`)
}
