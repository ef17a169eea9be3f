import { GONE, redactField, redactText } from './redact.ts'

/**
 * Path and query as they came, less what is secret. What is escaped is looked at as the server
 * reads it, so that `%73k_test_…` is a key, too.
 */
export function redactUrl(url: string): string {
  const at = url.indexOf('?')
  if (at === -1) return redactPath(url)
  const pairs = url.slice(at + 1).split('&')
  return `${redactPath(url.slice(0, at))}?${pairs.map(redactPair).join('&')}`
}

/** A whole address, such as that of an endpoint: also without a name and password in it. */
export const redactAddress = (address: string): string =>
  redactUrl(address).replace(/^(https?:\/\/)[^/?#@]*@/i, `$1${GONE}@`)

const redactPath = (path: string): string =>
  path
    .split('/')
    .map((step) => kept(step, redactText))
    .join('/')

function redactPair(pair: string): string {
  const at = pair.indexOf('=')
  if (at === -1) return kept(pair, redactText)
  const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
  return `${kept(name, redactText)}=${kept(value, (text) => redactField(decoded(name), text))}`
}

/** As it was sent, unless something in it had to go. */
function kept(sent: string, redact: (text: string) => string): string {
  const text = decoded(sent)
  const shown = redact(text)
  return shown === text ? sent : shown.replace(/[&?#/=\s]/g, (sign) => encodeURIComponent(sign))
}

function decoded(sent: string): string {
  try {
    return decodeURIComponent(sent.replaceAll('+', ' '))
  } catch {
    return sent
  }
}
