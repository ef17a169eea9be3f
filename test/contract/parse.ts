/** One operation of docs/CONTRACT.md. `source` is `decision` if the operation has a †. */
export interface Row {
  method: string
  /** Empty for a bare path. */
  service: string
  /** Starts with a slash and ends without one; parameters as `{reference}`. */
  path: string
  families: Families
  status: number
  errors: string
  operation: string
  source: 'contract' | 'decision'
}
type Families = keyof typeof PREFIXES

const COLUMNS = ['Method', 'Service', 'Path', 'Families', 'Success', 'Errors', 'Operation']
const PREFIXES = {
  both: ['/external/v1', '/v1'],
  external: ['/external/v1'],
  plain: ['/v1'],
  bare: [],
}

const METHOD = /^(GET|POST|PUT)$/
const SERVICE = /^(user|payment|transaction|auth)-service$/
const PATH = /^(\/([A-Za-z0-9._-]+|\{[a-z][A-Za-z]*\}))+$/
const STATUS = /^(20[0-9]|30[0-9])$/
const ERRORS = /^(fields|flag|text|coded|oauth)$/
const OPERATION = /^[a-z]+(_[a-z0-9]+)+$/

/**
 * Reads every table of operations in a Markdown text. Throws one error that names the line of each
 * malformed row, and each operation id and URL that occurs twice; also if there are no operations.
 */
export function parseContract(markdown: string): Row[] {
  const faults: string[] = []
  const rows: Row[] = []
  let inside = false

  for (const [index, line] of markdown.split('\n').entries()) {
    const cells = cellsOf(line)
    if (cells[0] === 'Method') {
      inside = cells.join() === COLUMNS.join()
      if (!inside) faults.push(`line ${index + 1}: the columns are not ${COLUMNS.join(', ')}`)
    } else if (cells.length === 0) {
      inside = false
    } else if (inside && !isRule(line)) {
      const row = rowOf(cells)
      if (typeof row === 'string') faults.push(`line ${index + 1}: ${row}`)
      else rows.push(row)
    } else if (METHOD.test(cells[0]!)) {
      faults.push(`line ${index + 1}: an operation outside a table of operations`)
    }
  }

  if (rows.length === 0) faults.push('no operations found')
  faults.push(...repeated(rows.map((row) => row.operation)))
  faults.push(...repeated(rows.flatMap(addressesOf)))
  if (faults.length > 0) throw new Error(`CONTRACT.md: ${faults.join('; ')}`)
  return rows
}

/** Returns the URLs where the operation should be mounted: `GET /api/user-service/v1/profile`. */
export function addressesOf({ method, service, path, families }: Row): string[] {
  if (families === 'bare') return [`${method} ${path}`]
  return PREFIXES[families].map((prefix) => `${method} /api/${service}${prefix}${path}`)
}

/** Returns `<value> occurs 2 times` for each value that occurs more than once. */
export function repeated(values: string[]): string[] {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].filter(([, n]) => n > 1).map(([value, n]) => `${value} occurs ${n} times`)
}

function cellsOf(line: string): string[] {
  const text = line.trim()
  if (!text.startsWith('|')) return []
  const end = text.endsWith('|') ? -1 : undefined
  return text
    .slice(1, end)
    .split('|')
    .map((cell) => cell.trim())
}

const isRule = (line: string): boolean => /^[\s|:-]+$/.test(line)

/** Returns the row, or its fault. */
function rowOf(marked: string[]): Row | string {
  if (marked.length !== COLUMNS.length) {
    return `${marked.length} cells instead of ${COLUMNS.length}`
  }
  const cells = marked.map((cell) => cell.replace(/ †$/, ''))
  const [method, service, written, families, status, errors, operation] = cells as Cells
  const path = written.replace(/(?<=.)\/$/, '')
  const bare = families === 'bare'

  if (!METHOD.test(method)) return `unknown method "${method}"`
  if (!isFamilies(families)) return `unknown families "${families}"`
  if (bare ? service !== '-' : !SERVICE.test(service)) {
    return `service "${service}" does not go with families "${families}"`
  }
  if (!PATH.test(path)) return `malformed path "${written}"`
  if (!STATUS.test(status)) return `unknown success status "${status}"`
  if (!ERRORS.test(errors)) return `unknown error envelope "${errors}"`
  if (!OPERATION.test(operation)) return `operation "${operation}" is not verb_noun`

  const source = marked.at(-1)!.endsWith('†') ? 'decision' : 'contract'
  return {
    method,
    service: bare ? '' : service,
    path,
    families,
    status: Number(status),
    errors,
    operation,
    source,
  }
}
type Cells = [string, string, string, string, string, string, string]

const isFamilies = (text: string): text is Families => Object.hasOwn(PREFIXES, text)
