// Control and format characters, line separators and lone surrogates. Headers don't need them, and
// some of them reverse the text (U+202E) or hide part of it. The two joiners are allowed because
// some scripts need them.
const UNPRINTABLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** Reduces a string to one line for use in a header, such as a subject or a name. */
export const headerText = (text: string, charactersMax = 200): string =>
  cut(text.replace(UNPRINTABLE, ' ').replace(/\s+/g, ' ').trim(), charactersMax)

/**
 * Like `headerText`, but also removes characters that make a name look like an address or end a
 * quoted name.
 */
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
