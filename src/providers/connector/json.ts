import { type ExactNumber, exactNumber, isExactNumber, parseExactly } from '../../lib/json.ts'
import { decimalsOf, type Minor, printMinor } from '../../lib/money.ts'

/**
 * JSON whose numbers keep their digits. As doubles, ids above 2^53 would become other ids, and
 * amounts such as 26.875 could be rounded the wrong way.
 */

/** Prints a body. Bigints become numbers: amounts in minor units. Throws for a fraction. */
export const printJson = (value: unknown): string =>
  JSON.stringify(value, (key, one) => {
    if (typeof one === 'bigint') return exactNumber(String(one))
    if (typeof one === 'number' && !Number.isSafeInteger(one)) {
      throw new Error(`${key} is not an exact number`)
    }
    return one
  })

/** Returns an amount as a number in major units, for providers that speak of naira. */
export const majorNumber = (minor: Minor, currency: string): ExactNumber =>
  exactNumber(printMinor(minor, currency))

/**
 * Reads a response or notice. Text that is not JSON becomes one string, so that its words can still
 * be searched, and none of its fields are found.
 */
export function readJson(text: string): Json {
  try {
    return new Json(parseExactly(text))
  } catch {
    return new Json(text)
  }
}

/**
 * A value in JSON, whose fields are found by path: `body.text('data', 'id')`. A field that is
 * missing, null or of another kind is undefined, as is an amount that cannot be read.
 */
export class Json {
  readonly #value: unknown

  constructor(value: unknown) {
    this.#value = value
  }

  /** Returns whether it is an object, as every response of a provider is. */
  get isObject(): boolean {
    return isRecord(this.#value)
  }

  /** Returns the value at a path, all of whose fields are missing if there is none. */
  at(...path: string[]): Json {
    return new Json(this.#at(path))
  }

  /**
   * Returns a string, or a number as it is written. Leaves out NUL and halves of surrogate pairs,
   * which PostgreSQL cannot store.
   */
  text(...path: string[]): string | undefined {
    const value = this.#at(path)
    if (isExactNumber(value)) return value.rawJSON
    return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : undefined
  }

  flag(...path: string[]): boolean | undefined {
    const value = this.#at(path)
    return typeof value === 'boolean' ? value : undefined
  }

  /** Returns an amount that is a whole number of minor units, as a number or a string. */
  minor(...path: string[]): Minor | undefined {
    const found = scaled(this.text(...path), 0)
    return found?.isExact ? found.minor : undefined
  }

  /**
   * Returns an amount in major units, as a number or a string. Half a minor unit is rounded up, and
   * down if the amount is negative.
   */
  major(currency: string, ...path: string[]): Minor | undefined {
    return scaled(this.text(...path), decimalsOf(currency))?.minor
  }

  list(...path: string[]): readonly Json[] | undefined {
    const value = this.#at(path)
    return Array.isArray(value) ? value.map((one) => new Json(one)) : undefined
  }

  /** Returns whether a pattern matches any string in it. */
  says(pattern: RegExp): boolean {
    return says(this.#value, pattern)
  }

  toJSON(): unknown {
    return this.#value
  }

  #at(path: readonly string[]): unknown {
    return path.reduce<unknown>(
      (value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined),
      this.#value,
    )
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value)

function says(value: unknown, pattern: RegExp): boolean {
  if (typeof value === 'string') return pattern.test(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some((one) => says(one, pattern))
}

/** At most two digits of exponent, because a longer one could fill the memory. */
const DECIMAL = /^(-?)(\d{1,30})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,2}))?$/

/** The largest amount that a column can store. */
const MINOR_MAX = 2n ** 63n - 1n

/** Moves the decimal point, without floating point. */
function scaled(
  text: string | undefined,
  decimals: number,
): { minor: Minor; isExact: boolean } | undefined {
  const [, sign, whole, fraction = '', exponent = '0'] = DECIMAL.exec(text ?? '') ?? []
  if (!whole) return undefined
  const digits = BigInt(whole + fraction)
  const shift = decimals + Number(exponent) - fraction.length
  const scale = 10n ** BigInt(Math.abs(shift))
  const size = shift >= 0 ? digits * scale : (digits + scale / 2n) / scale
  if (size > MINOR_MAX) return undefined
  return { minor: sign ? -size : size, isExact: shift >= 0 || digits % scale === 0n }
}
