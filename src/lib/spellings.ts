import type { Static, TObject } from 'typebox'
import { type TSchema, Type } from 'typebox'

/**
 * Under a field's schema: gives its value in one form, so that 58, "58" and "058" count as equal.
 * A symbol, so that it does not appear in the API description.
 */
export const SAME = Symbol('same')

/** A field whose equal values come in several forms. */
export const sameBy = <T extends TSchema>(schema: T, same: (value: never) => unknown): T =>
  ({ ...schema, [SAME]: same }) as T

/**
 * A field of the object may also be sent under other names: `{bankCode: ['bank', 'bank_code']}`.
 * Whatever the caller used, handlers see the first name, and errors name what the caller wrote.
 * Sending two names with different values is 400.
 */
export function spelt<T extends TObject>(schema: T, spellings: Record<string, readonly string[]>) {
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
