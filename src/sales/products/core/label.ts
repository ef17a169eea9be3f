import { OneLine, SEEN } from '../../../lib/schemas.ts'

// Controls, the separators of lines and paragraphs, and the marks that turn the direction of a
// text: with one of those in a name, what follows it on a page reads backwards.
const NOT_SHOWN =
  '\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff'
const LABEL = `${SEEN}[^${NOT_SHOWN}]*$`

/**
 * A label as it is kept: composed, so that what looks the same is the same, and finds itself.
 * Undefined and null stay what they are.
 */
export const labelOf = <T extends string | null | undefined>(text: T): T =>
  (text?.normalize('NFC') ?? text) as T

/** What buyers read as the name of something: one line that cannot turn the text around it. */
export const Label = (lengthMax: number, options: object = {}) =>
  OneLine(lengthMax, {
    pattern: LABEL,
    ...options,
  })
