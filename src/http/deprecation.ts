/** An operation that goes on as it is until a day, and what is to be used instead. */
export interface Deprecation {
  /** The path of its successor, of the same service: `/bank`. */
  successor: `/${string}`
  since: Date
  /** When it may stop answering. */
  until: Date
}

/**
 * The headers that say so on every answer: `Deprecation` by RFC 9745, `Sunset` by RFC 8594, and
 * the successor in the family that `url`, the mounted address of `path`, is of.
 */
export function deprecationHeaders(
  { successor, since, until }: Deprecation,
  url: string,
  path: string,
): Record<string, string> {
  const address = `${url.slice(0, -path.length)}${successor}`
  return {
    deprecation: `@${since.getTime() / 1000}`,
    sunset: until.toUTCString(),
    link: `<${address}>; rel="successor-version"`,
  }
}
