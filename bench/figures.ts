/** What a benchmark measured, beside its reference from the same run. */
export interface Figure {
  /** The number of its goal in results.ts, if it has one. */
  goal?: number
  what: string
  value: number
  unit: string
  reference?: { name: string; value: number }
  /** Of the value to the reference's: the median of the rounds. Required with a reference. */
  ratio?: number
  /** The goal for the ratio, or without a reference for the value. */
  atLeast?: number | undefined
  atMost?: number | undefined
}

/** The options of `npm run bench`. */
export interface Options {
  /** How long each measurement takes. */
  seconds: number
  /** Of how many rounds to take the median. */
  rounds: number
  /** How many of the most expensive statements of each route to print. */
  statements: number
  /** Where to write a CPU profile of the server for each route. */
  profile: string | undefined
  /** The rows of the large shop of the lists. */
  rows: number
  /** How long to load every route in turn. */
  soakMinutes: number
}

export const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!

/** Undefined if the figure has no limit. */
export function isReached({ value, reference, ratio, atLeast, atMost }: Figure) {
  if (atLeast === undefined && atMost === undefined) return undefined
  const measured = reference ? (ratio ?? Number.NaN) : value
  return measured >= (atLeast ?? Number.NEGATIVE_INFINITY) && measured <= (atMost ?? Infinity)
}

export const HEAD = ['what', 'Tradepost', 'reference', 'ratio', 'goal', 'reached']
const WIDTHS = [44, 12, 26, 9, 8, 0]

export function cellsOf(figure: Figure): string[] {
  const { what, value, unit, reference, ratio, atLeast, atMost } = figure
  const limit = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`
  const reached = isReached(figure)
  return [
    what,
    printNumber(value) + unit,
    reference ? `${reference.name} ${printNumber(reference.value)}${unit}` : '',
    ratio === undefined ? '' : `× ${printNumber(ratio)}`,
    ...(reached === undefined ? ['', ''] : [limit, reached ? 'yes' : 'no']),
  ]
}

/** Three digits before a thousand: 0.213, 81.3, 12,345. */
export const printNumber = (value: number) =>
  value.toLocaleString('en', {
    ...(value < 1_000 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 }),
  })

/** Prints the figures in the terminal as soon as they are known, and returns them. */
export function report(figures: Figure[]): Figure[] {
  for (const figure of figures) {
    const cells = cellsOf(figure).map((cell, i) => cell.padEnd(WIDTHS[i]!))
    console.log(cells.join(' ').trimEnd())
  }
  return figures
}
