import { type Static, type TObject, type TSchema, Type } from 'typebox'

/**
 * The key in a field's schema for the function that normalises its values, so that 58, "58" and
 * "058" count as equal. It is a symbol, so that it does not appear in the API description.
 */
export const NORMALISE = Symbol('same')

export const normalisedBy = <T extends TSchema>(schema: T, same: (value: never) => unknown): T =>
  ({ ...schema, [NORMALISE]: same }) as T

/**
 * Lets a field in the object be sent under other names: `{bankCode: ['bank', 'bank_code']}`.
 * Handlers always see the first name, and errors use the name that the caller wrote. Sending two
 * names with different values results in 400.
 */
export function withAliases<T extends TObject>(
  schema: T,
  spellings: Record<string, readonly string[]>,
) {
  const {
    properties,
    required = [],
    ...rest
  } = schema as T & {
    properties: Record<string, TSchema>
    required?: string[]
  }
  const others = Object.entries(spellings).flatMap(([name, aliases]) =>
    aliases.map((alias) => [alias, aliasOf(properties[name]!, name)] as const),
  )
  const isSpelt = (name: string) => Object.hasOwn(spellings, name)
  return Type.Unsafe<Static<T>>({
    ...rest,
    properties: { ...properties, ...Object.fromEntries(others) },
    required: required.filter((name) => !isSpelt(name)),
    'x-needs': required
      .filter(isSpelt)
      .map((name) => ({ oneOf: [name, ...(spellings[name] ?? [])] })),
  })
}

const aliasOf = (field: TSchema, name: string) => ({
  ...field,
  'x-spelling-of': name,
  description: `The same as ${name}.`,
})

/**
 * Returns whether two account holder names are the same: the same words in any order, ignoring case
 * and accents. `OBI, Àdá` matches `Ada Obi`.
 */
export const isSameName = (one: string, other: string): boolean => wordsOf(one) === wordsOf(other)

const wordsOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .sort()
    .join(' ')

const BYTES_MAX = 255

// Control characters, and characters that change the reading direction: with these, `fdp.exe` would
// read `exe.pdf`.
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/

/**
 * Returns what is wrong with a file name, as the end of a sentence that begins with "filename";
 * undefined if nothing is wrong.
 */
export function fileNameError(name: string): string | undefined {
  if (name.trim() === '' || /^\.+$/.test(name)) return 'must be a name'
  if (Buffer.byteLength(name) > BYTES_MAX) return `must have at most ${BYTES_MAX} bytes as UTF-8`
  if (/[/\\]/.test(name)) return 'must be a name without directories: no slashes'
  if (CONTROL.test(name)) return 'must not contain NUL, line breaks or other control characters'
  if (DIRECTION.test(name)) return 'must not contain characters that change the reading direction'
  if (!name.isWellFormed()) return 'must not contain unpaired surrogates'
  return undefined
}
