import { OneLine, VISIBLE_START } from '../../../lib/schemas.ts'

// Control characters, line and paragraph separators, and marks that change the direction of text.
// With one of these marks in a name, the rest of the page could read backwards.
const NOT_SHOWN =
  '\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff'
const LABEL = `${VISIBLE_START}[^${NOT_SHOWN}]*$`

/**
 * Normalises a label to its stored form (NFC), so that labels that look the same are equal and
 * searches find them. Passes undefined and null through.
 */
export const labelOf = <T extends string | null | undefined>(text: T): T =>
  (text?.normalize('NFC') ?? text) as T

/** A name shown to buyers: one line that cannot change the direction of the text around it. */
export const Label = (lengthMax: number, options: object = {}) =>
  OneLine(lengthMax, {
    pattern: LABEL,
    ...options,
  })
