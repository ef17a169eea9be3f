import { invalid } from './problem.ts'

/** Hundredths of a percent: 1250 is 12.5 %. Never a float. */
export type BasisPoints = number

const DECIMALS = 2

/**
 * Reads a percentage of 0 to 100, a number as JavaScript prints it or decimal text, into basis
 * points; no arithmetic is done on the number itself. Throws `invalid` naming the field.
 */
export function parsePercentage(value: number | string, field: string): BasisPoints {
  const [, whole = '', fraction = ''] = /^(\d{1,3})(?:\.(\d{1,2}))?$/.exec(String(value)) ?? []
  const points = Number(whole + fraction.padEnd(DECIMALS, '0'))
  if (whole === '' || points > 10_000) {
    throw invalid({ [field]: ['must be a percentage of 0 to 100 with at most 2 decimals'] })
  }
  return points
}

/** As the API shows it: 1250 is 12.5. */
export function printPercentage(points: BasisPoints): number {
  const digits = String(points).padStart(DECIMALS + 1, '0')
  return Number(`${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`)
}
