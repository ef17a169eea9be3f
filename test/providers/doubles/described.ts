import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** A schema of OpenAPI 3.0. */
// biome-ignore lint/suspicious/noExplicitAny: read from a file
type Schema = any

interface DescribedOperation {
  parameters: {
    name: string
    in: 'path' | 'query' | 'header'
    required?: boolean
    schema: Schema
  }[]
  body?: Schema
  /** The field of a form that has a file. There is no JSON then. */
  upload?: string
  /** By status; `default` for every other one. */
  answers: Record<string, Schema>
}

/** What a published description lacks or gets wrong. Exactly one kind of change each. */
interface Correction {
  /** One operation, or several with the same mistake; `*` for all. */
  on: string | string[]
  /** The answer of success, or all that report an error. */
  part: 'parameters' | 'body' | 'answer' | 'errors'
  /** The object that is wrong: `data.customer`. Lists are passed through. */
  at?: string
  /** Properties or query parameters to add or to replace. */
  add?: Record<string, Schema>
  optional?: string[] | 'all'
  nullable?: string[] | 'all'
  /** A schema in place of the object. */
  replace?: Schema
  why: string
}

interface DescribedRequest {
  params: Record<string, string>
  query: Record<string, string>
  /** Undefined if there is none. */
  body: unknown
}

export interface Description {
  /** Finds an operation, such as `GET /transfer/verify/{reference}`, by a request's path. */
  match(
    method: string,
    path: string,
  ): { operation: string; params: Record<string, string> } | undefined
  /** Whether an operation takes a file in a form, instead of JSON. */
  isUpload(operation: string): boolean
  /** Returns what is wrong with a request, in words; empty if it is as described. */
  requestFaults(operation: string, request: DescribedRequest): string[]
  /** The same for an answer. */
  answerFaults(operation: string, status: number, body: unknown): string[]
}

const FOLDER = join(import.meta.dirname, '../descriptions')

/** Reads the description of a provider, with our corrections. */
export function readDescription(provider: string): Description {
  const read = (path: string) => JSON.parse(readFileSync(join(FOLDER, path), 'utf8'))
  const published = read(`${provider}.json`)
  const { operations: added, corrections } = read(`corrections/${provider}.json`)
  // Some operations are missing altogether, and of some only a part is.
  for (const [name, parts] of Object.entries<Partial<DescribedOperation>>(added)) {
    published[name] = { parameters: [], answers: {}, ...published[name], ...parts }
  }
  return openDescription(published, corrections)
}

/** Opens a description. Throws for a correction that corrects nothing, as after an update. */
export function openDescription(
  published: Record<string, DescribedOperation>,
  corrections: Correction[] = [],
): Description {
  const operations = structuredClone(published)
  for (const correction of corrections) {
    const all = correction.on === '*' ? Object.keys(operations) : [correction.on].flat()
    for (const on of all) correct(operations, on, correction)
  }
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allErrors: true,
  })
  formats.default(ajv)
  const compiled = new Map<string, ValidateFunction>()
  const patterns = Object.keys(operations).map((operation) => patternOf(operation))

  /** Compiles each schema when it is first needed: all of them take half a second. */
  function faults(key: string, schema: Schema, value: unknown, isClosed: boolean): string[] {
    let validate = compiled.get(key)
    if (!validate) {
      validate = ajv.compile(toJsonSchema(schema, isClosed))
      compiled.set(key, validate)
    }
    return validate(value) ? [] : (validate.errors ?? []).map(inWords)
  }

  return {
    match(method, path) {
      const found = patterns
        .filter((one) => one.method === method && one.path.test(path))
        // `/transfer/bulk` before `/transfer/{code}`.
        .sort((a, b) => a.names.length - b.names.length)[0]
      if (!found) return undefined
      const values = found.path.exec(path)!.slice(1).map(decodeURIComponent)
      const params = Object.fromEntries(found.names.map((name, i) => [name, values[i]!]))
      return { operation: found.operation, params }
    },
    isUpload: (operation) => operations[operation]?.upload !== undefined,
    requestFaults(operation, { params, query, body }) {
      const described = operations[operation]!
      const given = { path: params, query, header: {} as Record<string, string> }
      const parameters = described.parameters.filter((one) => one.in !== 'header')
      const ofParameters = parameters.flatMap((one) => {
        const text = given[one.in][one.name]
        if (text === undefined) return one.required ? [`${one.name} is missing`] : []
        const value = fromText(text, one.schema)
        return faults(`${operation} ${one.in} ${one.name}`, one.schema, value, false).map(
          (fault) => `${one.name} ${fault}`,
        )
      })
      const known = new Set(parameters.filter((one) => one.in === 'query').map(({ name }) => name))
      const unknown = Object.keys(query).filter((name) => !known.has(name))
      return [
        ...ofParameters,
        ...unknown.map((name) => `${name} is not a parameter of ${operation}`),
        ...bodyFaults(operation, described, body),
      ]
    },
    answerFaults(operation, status, body) {
      const { answers } = operations[operation]!
      const schema = answers[status] ?? answers.default
      // Descriptions seldom have every error.
      if (schema === undefined) return status < 300 ? [`status ${status} is not described`] : []
      return faults(`${operation} ${status}`, schema, body, false)
    },
  }

  function bodyFaults(operation: string, described: DescribedOperation, body: unknown): string[] {
    const { upload } = described
    if (upload !== undefined) {
      const hasFile = `${body}`.includes(`name="${upload}"; filename="`)
      return hasFile ? [] : [`the form has no file ${upload}`]
    }
    if (described.body) return faults(`${operation} body`, described.body, body ?? null, true)
    return body === undefined ? [] : ['takes no body']
  }
}

function patternOf(operation: string) {
  const [method = '', template = ''] = operation.split(' ')
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  return {
    operation,
    method,
    names,
    path: new RegExp(`^${template.replace(/\{\w+\}/g, '([^/]+)')}$`),
  }
}

/** Query and path parameters arrive as text. */
function fromText(text: string, { type }: Schema): unknown {
  if ((type === 'integer' || type === 'number') && /^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  return text
}

function inWords({ instancePath, message = '', params }: ErrorObject): string {
  const field = instancePath.slice(1).replaceAll('/', '.')
  const { unevaluatedProperty: unknown, allowedValues } = params
  if (unknown !== undefined) return `${[field, unknown].filter(Boolean).join('.')} is unknown`
  const words = allowedValues ? `must be one of ${allowedValues.join(', ')}` : message
  return field ? `${field} ${words}` : words
}

// ------------------------------------------------------- from OpenAPI 3.0 to JSON Schema

/**
 * Turns `nullable` into a type, and drops what JSON Schema does not know. In a closed schema, an
 * object with a property that is not described is wrong, since a misspelt optional field would
 * otherwise go unnoticed.
 */
function toJsonSchema(schema: Schema, isClosed: boolean): Schema {
  const { nullable, discriminator: _, xml: __, ...rest } = schema
  const out: Schema = { ...rest }
  // Some files have `required: true` on a property, which belongs to parameters.
  if (!Array.isArray(out.required)) delete out.required
  const inner = (one: Schema) => toJsonSchema(one, isClosed)
  if (out.properties) {
    const properties = Object.entries<Schema>(out.properties)
    out.properties = Object.fromEntries(properties.map(([key, value]) => [key, inner(value)]))
  }
  if (out.items) out.items = inner(out.items)
  for (const list of ['allOf', 'oneOf', 'anyOf']) {
    // What one part describes is unknown to the others, so only the whole can be closed.
    if (out[list]) out[list] = out[list].map((part: Schema) => openAtTop(inner(part)))
  }
  if (isClosed && (out.properties || out.allOf)) out.unevaluatedProperties = false
  if (!nullable) return out
  if (out.type) out.type = [out.type, 'null']
  if (out.enum) out.enum = [...out.enum, null]
  return out
}

function openAtTop({ unevaluatedProperties: _, ...schema }: Schema): Schema {
  return schema
}

// ------------------------------------------------------------------------- corrections

function correct(
  operations: Record<string, DescribedOperation>,
  on: string,
  { part, at, add, optional = [], nullable = [], replace, why }: Correction,
): void {
  const operation = operations[on]
  const place = `${on} ${part} ${at ?? ''} (${why})`
  if (!operation) throw new Error(`there is nothing to correct: ${place}`)
  if (part === 'parameters') {
    const names = Object.keys(add!)
    operation.parameters = operation.parameters.filter(({ name }) => !names.includes(name))
    for (const [name, schema] of Object.entries(add!)) {
      operation.parameters.push({ name, in: 'query', schema })
    }
    return
  }
  const found = rootsOf(operation, part).flatMap((root) => follow(root, at?.split('.') ?? []))
  if (found.length === 0 && part !== 'errors') throw new Error(`there is no ${place}`)
  for (const schema of found) {
    if (replace) {
      for (const key of Object.keys(schema)) delete schema[key]
      Object.assign(schema, replace)
    }
    if (add) schema.properties = { ...schema.properties, ...add }
    const all = propertiesOf(schema)
    for (const inner of partsOf(schema)) {
      if (!inner.required || !inner.properties) continue
      const kept = (name: string) => optional !== 'all' && !optional.includes(name)
      inner.required = inner.required.filter(kept)
    }
    for (const name of nullable === 'all' ? Object.keys(all) : nullable) {
      if (!all[name]) throw new Error(`there is no ${name} in ${place}`)
      all[name].nullable = true
    }
  }
}

/** An answer without properties is not described at all. */
function rootsOf({ body, answers }: DescribedOperation, part: Correction['part']): Schema[] {
  if (part === 'body') return body ? [body] : []
  return Object.entries(answers)
    .filter(([status, schema]) => status.startsWith('2') === (part === 'answer') && schema.type)
    .map(([, schema]) => schema)
}

/** Returns the schemas at a path, in each part that has it. */
function follow(schema: Schema, [first, ...rest]: string[]): Schema[] {
  if (first === undefined) return [schema]
  const next = partsOf(schema).flatMap((part) => part.properties?.[first] ?? [])
  return next.flatMap((one) => follow(one.items ?? one, rest))
}

function partsOf(schema: Schema): Schema[] {
  const inner = [...(schema.allOf ?? []), ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]
  return [schema, ...inner.flatMap(partsOf)]
}

const propertiesOf = (schema: Schema): Record<string, Schema> =>
  Object.assign({}, ...partsOf(schema).map(({ properties }) => properties))
