/** At most this long (RFC 5321). */
export const EMAIL_LENGTH_MAX = 254

const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'

/**
 * One plain address. Whatever a header or a list of addresses could be broken with (CR, LF, comma,
 * angle brackets, quotes) is not in it.
 */
export const EMAIL_PATTERN = `^[A-Za-z0-9.!#$%&'*+/=?^_\`{|}~-]{1,64}@${LABEL}(?:\\.${LABEL}){1,8}$`

const PATTERN = new RegExp(EMAIL_PATTERN)

/** Whether a text is exactly one plain address. */
export const isEmail = (text: string): boolean =>
  text.length <= EMAIL_LENGTH_MAX && PATTERN.test(text)
