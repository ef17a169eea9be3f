import { type Static, Type } from 'typebox'
import { isUniqueViolation } from '../../../db/failures.ts'
import { foldCase } from '../../../lib/ngrams.ts'
import { conflict, type Fields, invalid } from '../../../lib/problem.ts'
import { type Option, VALUES_MAX } from '../record/parts.ts'
import { Label, labelOf } from '../record/schemas.ts'

const OPTIONS_MAX = 3
const VARIANTS_MAX = 250

export const OptionName = Label(50)
export const OptionValue = Label(50)

export const NewOptions = Type.Array(
  Type.Object({
    name: OptionName,
    values: Type.Array(OptionValue, { minItems: 1, maxItems: VALUES_MAX }),
  }),
  {
    minItems: 1,
    maxItems: OPTIONS_MAX,
    description: `A variant is created for each combination, up to ${VARIANTS_MAX}.`,
  },
)
export type NewOptions = Static<typeof NewOptions>

/** The fields of a caller's own business and mode, which every list accepts as parameters. */
export const TENANT_FIELDS: readonly string[] = ['businessId', 'isLive']

/** Parameters of the variant filter, which no option can be named after. */
const RESERVED = ['productId', 'inStock', 'page', 'limit', ...TENANT_FIELDS].map((name) =>
  name.toLowerCase(),
)

/** Normalises a name or value to its stored form. */
export const normalisedLabel = (text: string): string => labelOf(text).trim()

export const labelKey = (text: string): string => foldCase(text.trim())

/**
 * Returns names and values in their stored form. Throws 400 for a name that the variant filter
 * uses, and 409 for one that already exists in the product or in the request, ignoring case.
 */
export function validateOptions(
  wanted: NewOptions,
  had: readonly Pick<Option, 'name'>[],
): { name: string; values: string[] }[] {
  const names = had.map(({ name }) => name)
  return wanted.map(({ name, values }, i) => {
    checkName(name, names, `options.${i}.name`)
    names.push(name)
    const seen: string[] = []
    for (const [j, value] of values.entries()) {
      refuseTaken(value, seen, `options.${i}.values.${j}`)
      seen.push(value)
    }
    return { name: normalisedLabel(name), values: values.map(normalisedLabel) }
  })
}

export function checkName(name: string, taken: readonly string[], field: string): void {
  if (RESERVED.includes(labelKey(name))) {
    throw invalid({ [field]: ['is reserved for the variant filter; choose another name'] })
  }
  refuseTaken(name, taken, field)
}

export function refuseTaken(text: string, taken: readonly string[], field: string): void {
  if (taken.some((one) => labelKey(one) === labelKey(text))) throw optionTaken(text.trim(), field)
}

const optionTaken = (text: string, field: string) =>
  conflict('option_taken', `${text} already exists (names and values are not case-sensitive).`, {
    [field]: ['already exists'],
  })

/**
 * Writes names or values. Throws the same 409 for two that are equal only by PostgreSQL’s own case
 * rules.
 */
export async function catchTaken<T>(field: string, writing: Promise<T>): Promise<T> {
  try {
    return await writing
  } catch (error) {
    const isTaken = NAMES.some((index) => isUniqueViolation(error, index))
    throw isTaken ? optionTaken('A name or value', field) : error
  }
}

const NAMES = ['product_options_name', 'product_option_values_value']

/** Throws 400 naming the exceeded limit, under the field as the caller wrote it. */
export function checkSize(counts: readonly number[], field: string): void {
  const fields: Fields = {}
  if (counts.length > OPTIONS_MAX) {
    fields[field] = [
      `would make ${counts.length} options; a product can have at most ${OPTIONS_MAX}`,
    ]
  } else if (counts.some((count) => count > VALUES_MAX)) {
    fields[field] = [
      `would make ${Math.max(...counts)} values; an option can have at most ${VALUES_MAX}`,
    ]
  } else {
    const variants = counts.reduce((product, count) => product * count, 1)
    if (variants > VARIANTS_MAX) {
      fields[field] = [
        `would make ${variants} variants; a product can have at most ${VARIANTS_MAX}`,
      ]
    }
  }
  if (Object.keys(fields).length > 0) throw invalid(fields)
}

/** Returns all combinations of one value per option. The last option varies fastest. */
export const combinations = (options: readonly Option[]): number[][] =>
  options.reduce<number[][]>(
    (rows, { values }) => rows.flatMap((row) => values.map(({ id }) => [...row, id])),
    [[]],
  )
