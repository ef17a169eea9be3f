import { addressesOf, type Row, repeated } from './parse.ts'

/** A URL of the server, in the server's notation: parameters as `:reference`. */
export interface Mounted {
  method: string
  url: string
  operation: string
  status: number
  errors: string
}

/**
 * Returns the differences between docs/CONTRACT.md and the mounted operations, one sentence each
 * that begins with the operation's name. The operations in `notImplemented` must not be mounted
 * yet.
 */
export function differences(
  rows: Row[],
  mounted: Mounted[],
  notImplemented: readonly string[],
): string[] {
  const known = new Set(rows.map((row) => row.operation))
  const awaited = new Set(notImplemented)
  const unknown = new Set(
    mounted.filter(({ operation }) => !known.has(operation)).map(unknownOperation),
  )
  return [
    ...repeated([...notImplemented]).map((text) => `${text} in not-implemented.ts`),
    ...notImplemented
      .filter((id) => !known.has(id))
      .map((id) => `${id} is in not-implemented.ts but not in CONTRACT.md`),
    ...unknown,
    ...rows.flatMap((row) => {
      const own = mounted.filter(({ operation }) => operation === row.operation)
      return awaited.has(row.operation) ? tooEarly(row, own) : rowDifferences(row, own)
    }),
  ]
}

const unknownOperation = (entry: Mounted): string =>
  `${entry.operation} is mounted at ${addressOf(entry)} but not in CONTRACT.md`

function tooEarly({ operation }: Row, own: Mounted[]): string[] {
  if (own.length === 0) return []
  return [`${operation} is mounted: remove it from not-implemented.ts`]
}

function rowDifferences(row: Row, own: Mounted[]): string[] {
  const wanted = addressesOf(row)
  const found = own.map(addressOf)
  return [
    ...wanted
      .filter((at) => !found.includes(at))
      .map((at) => `${row.operation} is missing at ${at}`),
    ...own.flatMap((entry) => entryDifferences(row, wanted, entry)),
  ]
}

function entryDifferences(row: Row, wanted: string[], entry: Mounted): string[] {
  const at = addressOf(entry)
  if (!wanted.includes(at)) return [`${row.operation} should not be at ${at}`]
  const faults: string[] = []
  if (entry.status !== row.status) {
    faults.push(`${row.operation} returns ${entry.status} instead of ${row.status} at ${at}`)
  }
  if (entry.errors !== row.errors) {
    faults.push(`${row.operation} fails as ${entry.errors} instead of ${row.errors} at ${at}`)
  }
  return faults
}

/**
 * The URL in the notation of CONTRACT.md: parameters in braces, including optional ones, and no
 * trailing slash.
 */
function addressOf({ method, url }: Mounted): string {
  const path = url.replace(/:([A-Za-z]+)\??/g, '{$1}').replace(/(?<=.)\/$/, '')
  return `${method} ${path}`
}
