// Control and format characters, line separators, lone surrogates: nothing in a header needs them,
// and some turn the text around (U+202E) or hide part of it. Some scripts need the two joiners.
const UNPRINTABLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** A text on one line for a header: a subject, a name. */
export const headerText = (text: string, charactersMax = 200): string =>
  cut(text.replace(UNPRINTABLE, ' ').replace(/\s+/g, ' ').trim(), charactersMax)

/** As `headerText`, without what makes a name look like an address or ends a quoted one. */
export const displayName = (text: string): string =>
  headerText(text.replace(/[<>"@\\,;:]/g, ' '), 100)

function cut(text: string, charactersMax: number): string {
  const characters = [...text]
  if (characters.length <= charactersMax) return text
  return `${characters
    .slice(0, charactersMax - 1)
    .join('')
    .trimEnd()}…`
}
