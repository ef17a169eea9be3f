import type { TSchema } from 'typebox'
import { type Fields, invalid, Problem } from '../lib/problem.ts'
import { fingerprinter } from './fingerprint.ts'

/** The names that a caller wrote, by the names that handlers know: `bankCode` to `bank`. */
export type Written = ReadonlyMap<string, string>

interface Notes {
  written: Map<string, string>
  faults: Fields
}

/** Answers a copy, because the log of requests shows the body as it was sent. */
type Fold = (value: unknown, at: string, notes: Notes) => unknown
type Step = (fields: Record<string, unknown>, at: string, notes: Notes) => void

type Field = TSchema & { 'x-spelling-of'?: string }

/**
 * Makes the step that moves each field of a validated body or query to its first name, wherever
 * the schema lists other names. Throws 400 where two names of one field have different values.
 */
export function folder(schema: TSchema | undefined) {
  const fold = schema && foldOf(schema)
  return (value: unknown): { value: unknown; written: Written } => {
    if (!fold) return { value, written: NONE }
    const notes: Notes = { written: new Map(), faults: {} }
    const folded = fold(value, '', notes)
    if (Object.keys(notes.faults).length > 0) throw invalid(notes.faults)
    return { value: folded, written: notes.written }
  }
}

const NONE: Written = new Map()

/** Nothing for a schema without other names, so that most requests are not walked through. */
function foldOf(schema: TSchema): Fold | undefined {
  const { properties = {}, items } = schema as {
    properties?: Record<string, Field>
    items?: TSchema
  }
  const each = items && foldOf(items)
  if (each) {
    return (value, at, notes) =>
      Array.isArray(value) ? value.map((item, i) => each(item, `${at}${i}.`, notes)) : value
  }
  const steps = Object.entries(properties).flatMap(([name, field]) => stepOf(name, field) ?? [])
  if (steps.length === 0) return undefined
  return (value, at, notes) => {
    if (value === null || typeof value !== 'object') return value
    const fields = { ...value } as Record<string, unknown>
    for (const step of steps) step(fields, at, notes)
    return fields
  }
}

function stepOf(name: string, field: Field): Step | undefined {
  const first = field['x-spelling-of']
  if (first !== undefined) return renaming(name, first, field)
  const inner = foldOf(field)
  if (!inner) return undefined
  return (fields, at, notes) => {
    if (fields[name] !== undefined) fields[name] = inner(fields[name], `${at}${name}.`, notes)
  }
}

function renaming(name: string, first: string, field: Field): Step {
  const fingerprint = fingerprinter([field])
  return (fields, at, { written, faults }) => {
    const given = fields[name]
    if (given === undefined) return
    delete fields[name]
    if (fields[first] === undefined) {
      fields[first] = given
      written.set(at + first, at + name)
    } else if (!fingerprint([given]).equals(fingerprint([fields[first]]))) {
      const before = written.get(at + first) ?? at + first
      faults[at + name] = [`is not the same as ${before}; send only one of them`]
    }
  }
}

/** A failure that names fields as the caller wrote them. */
export function asWritten(error: unknown, written: Written): unknown {
  if (!(error instanceof Problem)) return error
  const { kind, code, message, fields, retryAfterSeconds, headers, cause } = error
  if (!Object.keys(fields).some((field) => written.has(field))) return error
  const named = Object.fromEntries(
    Object.entries(fields).map(([field, says]) => [written.get(field) ?? field, says]),
  )
  return new Problem(kind, code, messageOf(message, fields, named), {
    fields: named,
    headers,
    cause,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}

/** A message that repeats the fields, as those of `invalid` and `notFound` do, with other names. */
function messageOf(message: string, fields: Fields, named: Fields): string {
  if (message === invalid(fields).message) return invalid(named).message
  const end = endOf(fields)
  return message.endsWith(end) ? message.slice(0, -end.length) + endOf(named) : message
}

const endOf = (fields: Fields): string => `: ${Object.keys(fields).join(', ')}.`
