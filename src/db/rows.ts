import pg from 'pg'

/** What a row is made of: for each column, its text, or null. */
type Texts = readonly (string | null)[]
type Parse = (text: string) => unknown
type ReadRow = (texts: Texts) => object
type Field = Pick<pg.FieldDef, 'name' | 'dataTypeID'>

const INT8 = 20
const TEXT = 25
const DATE = 1082
const TIMESTAMPTZ = 1184

const asText = pg.types.getTypeParser(TEXT)
const parseAnyTime = pg.types.getTypeParser(TIMESTAMPTZ) as (text: string) => Date
/** A day, without the time zone of this process. */
pg.types.setTypeParser(DATE, String)
pg.types.setTypeParser(TIMESTAMPTZ, parseTime)

/**
 * Reads a timestamptz. The parser of pg's types matches three patterns for each one, which took
 * longer than all else in a row.
 */
export function parseTime(text: string): Date {
  // `2026-11-02 10:10:05.120123+00`, from the year 1000 to 9999.
  const isUsual = text.charAt(4) === '-' && text.charAt(0) !== '0' && text.endsWith('+00')
  if (!isUsual) return parseAnyTime(text)
  let ms = 0
  for (let i = FRACTION, unit = 100; unit >= 1 && i < text.length - 3; i++, unit /= 10) {
    ms += digit(text, i) * unit
  }
  const year = 100 * digits(text, 0) + digits(text, 2)
  const month = digits(text, 5) - 1
  const day = digits(text, 8)
  return new Date(
    Date.UTC(year, month, day, digits(text, 11), digits(text, 14), digits(text, 17), ms),
  )
}

/** Where the fraction of a second starts. */
const FRACTION = 20

const digit = (text: string, at: number): number => text.charCodeAt(at) - 48
const digits = (text: string, at: number): number => 10 * digit(text, at) + digit(text, at + 1)

/**
 * pg returns int8 as text, because not every value fits in a double. This reads it as a bigint or a
 * number, depending on the column's name.
 */
const parserOf = ({ name, dataTypeID }: Field): Parse =>
  dataTypeID === INT8
    ? name.endsWith('_minor')
      ? BigInt
      : Number
    : pg.types.getTypeParser(dataTypeID)

const known = new Map<string, ReadRow>()

/** Returns what reads rows with these columns. Statements are in the code, so there are few. */
export function rowReader(fields: readonly Field[]): ReadRow {
  let key = ''
  for (const { name, dataTypeID } of fields) key += `${name}\n${dataTypeID}\n`
  const read = known.get(key) ?? compile(fields)
  known.set(key, read)
  return read
}

/**
 * Compiles an object literal. Rows that get their columns one by one take several times as long and
 * as much memory.
 */
function compile(fields: readonly Field[]): ReadRow {
  const parsers = fields.map(parserOf)
  const columns = fields.map(({ name }, i) => {
    const value = parsers[i] === asText ? '' : `texts[${i}] === null ? null : parsers[${i}]`
    return `${JSON.stringify(name)}: ${value}(texts[${i}])`
  })
  const source = `return (texts) => ({ ${columns.join(', ')} })`
  return new Function('parsers', source)(parsers)
}
