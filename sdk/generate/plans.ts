import { methodOf, pascal, recordName } from './names.ts'
import type { Operation, Parameter, Schema } from './openapi.ts'
import { canonical } from './types.ts'

/** How the SDK represents one operation. */
export interface Plan {
  operation: Operation
  group: string
  method: string
  params: Parameter[]
  input?: Input
  answer: ResponsePlan
  /** Whether the operation takes an Idempotency-Key. */
  isIdempotent: boolean
  /** Whether the operation only reads, although its method is POST. */
  isRead: boolean
}

interface Input {
  name: string
  /** The schema of the body, or of the query. */
  schema: Schema
  /** The schema of the form, if the body can also contain files. */
  form?: Schema
  sentAs: 'body' | 'query' | 'form' | 'either' | 'urlencoded'
  /** Fields that are sent in the query even though there is a body. */
  query: string[]
  isOptional: boolean
}

type ResponsePlan =
  /**
   * The result is `data`. `beside` contains the fields alongside `data` that are not also inside
   * it.
   */
  | { kind: 'record'; schema: Schema; beside: Schema }
  /** The result is the whole body. */
  | { kind: 'body'; schema: Schema }
  | { kind: 'list'; schema: Schema; paging: Paging; meta: Schema }
  | { kind: 'file'; mediaType: string }

/** `whole` lists have pages only if the caller requests one. */
type Paging = 'page' | 'cursor' | 'whole'

export function planOf(operation: Operation): Plan {
  const { operationId, method, tags, parameters = [] } = operation
  const inputOfIt = inputOf(operation)
  return {
    operation,
    ...methodOf(operationId, tags[0] ?? 'other'),
    params: parameters.filter((one) => one.in === 'path'),
    ...(inputOfIt && { input: inputOfIt }),
    answer: answerOf(operation),
    isIdempotent: method !== 'GET' && parameters.some(({ name }) => name === 'Idempotency-Key'),
    isRead: operation['x-reads'] === true,
  }
}

function inputOf(operation: Operation): Input | undefined {
  const { operationId, method, parameters = [], requestBody } = operation
  const query = parameters.filter((one) => one.in === 'query')
  const content = requestBody?.content ?? {}
  const form = content['multipart/form-data']?.schema
  const urlencoded = content['application/x-www-form-urlencoded']?.schema
  const body = content['application/json']?.schema ?? urlencoded
  if (!form && query.length === 0 && !Object.keys(body?.properties ?? {}).length) return undefined
  const schema = merged(asObject(query, operationId), body ?? { type: 'object', properties: {} })
  return {
    name: `${pascal(operationId)}Input`,
    schema,
    ...(form && { form: asForm(merged(asObject(query, operationId), form), body !== undefined) }),
    sentAs: sentAs(content, method),
    query: requestBody ? query.map(({ name }) => name) : [],
    isOptional: !form && !mustHave(schema),
  }
}

function sentAs(content: object, method: string): Input['sentAs'] {
  const isJson = 'application/json' in content
  if ('multipart/form-data' in content) return isJson ? 'either' : 'form'
  if ('application/x-www-form-urlencoded' in content) return 'urlencoded'
  return method === 'GET' ? 'query' : 'body'
}

/** Lists load further pages automatically, so callers don't need to specify the first page. */
const PAGING = ['page', 'limit']

function asObject(query: Parameter[], operation: string): Schema {
  const open = OPEN_QUERIES[operation]
  return {
    type: 'object',
    properties: Object.fromEntries(
      query.map(({ name, schema, description }) => [
        name,
        description ? { ...schema, description } : schema,
      ]),
    ),
    required: query
      .filter(({ name, required }) => required && !PAGING.includes(name))
      .map(({ name }) => name),
    ...(open && { additionalProperties: open }),
  }
}

/** Queries whose parameter names are chosen by the caller, which OpenAPI cannot express. */
const OPEN_QUERIES: Record<string, Schema> = {
  filter_product_variants: { type: ['string', 'number', 'boolean'] },
}

const merged = (first: Schema, second: Schema): Schema => ({
  ...second,
  properties: { ...first.properties, ...second.properties },
  required: [...(first.required ?? []), ...(second.required ?? [])],
  ...(first.additionalProperties !== undefined && {
    additionalProperties: first.additionalProperties,
  }),
})

/** Returns a form with files, without the fields that only make sense in a JSON body. */
function asForm(form: Schema, hasJson: boolean): Schema {
  const file = { anyOf: [FILE, { type: 'array', items: FILE }] }
  const { base64, url, filename, ...fields } = form.properties ?? {}
  const others = hasJson ? fields : { ...fields, base64, url, filename }
  const properties = Object.entries({ ...others, file }).filter(([, one]) => one)
  return { ...form, properties: Object.fromEntries(properties) as Record<string, Schema> }
}

const FILE: Schema = { type: 'string', format: 'binary' }

const mustHave = ({ properties = {}, required = [] }: Schema) =>
  required.some((name) => properties[name]?.default === undefined)

/** Envelope fields that don't add anything to a resolved promise. */
const ENVELOPE = ['status', 'message', 'data', 'error']

function answerOf({ method, parameters = [], responses }: Operation): ResponsePlan {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2'))!
  const [[mediaType, { schema }]] = Object.entries(success.content!) as [
    [string, { schema: Schema }],
  ]
  if (!mediaType.includes('json')) return { kind: 'file', mediaType }
  const { data, ...others } = schema.properties ?? {}
  if (data?.type === 'array' && method === 'GET') {
    const meta = metaBeside(others.meta)
    return { kind: 'list', schema: data.items!, paging: pagingOf(parameters), meta }
  }
  if (data?.type !== 'object' || !data.properties) return { kind: 'body', schema }
  const isBeside = (name: string) => !ENVELOPE.includes(name) && !data.properties![name]
  const properties = Object.fromEntries(Object.entries(others).filter(([name]) => isBeside(name)))
  const required = (schema.required ?? []).filter((name) => name in properties)
  return { kind: 'record', schema: data, beside: { type: 'object', properties, required } }
}

/** Returns the meta fields of a list that not all lists have. */
function metaBeside(meta: Schema = {}): Schema {
  const own = Object.entries(meta.properties ?? {}).filter(([name]) => !META.includes(name))
  const names = own.map(([name]) => name)
  const required = (meta.required ?? []).filter((name) => names.includes(name))
  return { type: 'object', properties: Object.fromEntries(own), required }
}

/** PageMeta and CursorMeta in src/lists.ts. */
const META = [
  ...['total', 'totalIsExact', 'page', 'limit', 'pageCount', 'hasNext', 'hasPrevious'],
  ...['next', 'previous', 'hasMore'],
]

function pagingOf(parameters: Parameter[]): Paging {
  if (parameters.some(({ name }) => name === 'cursor')) return 'cursor'
  const page = parameters.find(({ name }) => name === 'page')
  return page?.required || page?.schema.default !== undefined ? 'page' : 'whole'
}

/** Names shapes that are long or that several operations return. */
export function namesOf(plans: Plan[]): Map<string, { name: string; schema: Schema }> {
  const named = new Map<string, { name: string; schema: Schema }>()
  const taken = new Set<string>()
  const ranked = [...plans].sort((a, b) => rankOf(a) - rankOf(b))
  for (const { operation, answer } of ranked) {
    if (answer.kind === 'file') continue
    const { schema } = answer
    const key = canonical(schema)
    if (named.has(key) || Object.keys(schema.properties ?? {}).length <= 2) continue
    const name = nameOf(operation.operationId, answer.kind === 'list', taken)
    if (taken.has(name))
      throw new Error(`Two shapes would be named ${name}: see generate/names.ts.`)
    taken.add(name)
    named.set(key, { name, schema })
  }
  return named
}

/** Names fetched and listed records after their noun, and anything else after its operation. */
function nameOf(operation: string, isList: boolean, taken: Set<string>): string {
  if (!/^(get|fetch|list)_/.test(operation)) return `${pascal(operation)}Response`
  const name = recordName(operation, isList)
  if (!taken.has(name)) return name
  return isList ? `Listed${name}` : `${pascal(operation)}Response`
}

const VERBS = ['get', 'fetch', 'list']

function rankOf({ operation: { operationId } }: Plan): number {
  const rank = VERBS.indexOf(operationId.split('_')[0] ?? '')
  return rank < 0 ? VERBS.length : rank
}
