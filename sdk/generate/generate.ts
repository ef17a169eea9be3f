import { HAS_ALIAS } from '../../src/lib/openapi.ts'
import { pascal } from './names.ts'
import { type Document, operationsOf, type Schema } from './openapi.ts'
import { namesOf, type Plan, planOf } from './plans.ts'
import { canonical, docOf, type Named, objectType, typeOf } from './types.ts'

/**
 * Returns the contents of `src/operations.ts`, still unformatted: the types of inputs and results,
 * the methods, and the table from which the client builds the methods. Throws if two operations
 * would get the same name.
 */
export function generate(document: Document): string {
  const plans = operationsOf(document).map(planOf)
  refuseCollisions(plans)
  const shapes = namesOf(plans)
  const named: Named = new Map([...shapes].map(([key, { name }]) => [key, name]))
  const groups = [...Map.groupBy(plans, ({ group }) => group)].sort(([a], [b]) => (a < b ? -1 : 1))
  return [
    HEAD,
    ...[...shapes.values()].map(({ name, schema }) => recordType(name, schema, named)),
    ...inputTypes(plans),
    eventTypes(document, named),
    ...groups.map(([group, members]) => groupType(group, members, named)),
    apiType(groups.map(([group]) => group)),
    table(groups),
  ].join('\n\n')
}

const HEAD = `// Generated from the server's own OpenAPI by \`npm test -- test/sdk/generated -u\`: do not edit.
import type { CallOptions, Operation } from './call.ts'
import type { CursorMeta, List, PageMeta } from './lists.ts'`

function refuseCollisions(plans: Plan[]): void {
  const places = Map.groupBy(plans, ({ group, method }) => `${group}.${method}`)
  for (const [place, members] of places) {
    if (members.length === 1) continue
    const names = members.map(({ operation }) => operation.operationId)
    throw new Error(`${names.join(' and ')} would both be ${place}: see generate/names.ts.`)
  }
}

function recordType(name: string, schema: Schema, named: Named): string {
  const others = new Map([...named].filter(([, other]) => other !== name))
  return `${docOf(schema.description ?? '')}export interface ${name} ${objectType(schema, 'out', others)}`
}

/** Writes identical inputs only once, with aliases. */
function inputTypes(plans: Plan[]): string[] {
  const written = new Map<string, string>()
  return plans.flatMap(({ input }) => {
    if (!input) return []
    const { name, schema, form } = input
    const key = JSON.stringify([canonical(schema), form])
    const same = written.get(key)
    if (same) return [`export type ${name} = ${same}`]
    written.set(key, name)
    if (!form) return [interfaceOf(name, schema)]
    const hasJson = Object.keys(schema.properties ?? {}).length > 0
    const types = [objectType(form, 'in'), ...(hasJson ? [objectType(schema, 'in')] : [])]
    return [`export type ${name} = ${types.join(' | ')}`]
  })
}

/** Adds an index signature if additional fields of a given type are allowed. */
function interfaceOf(name: string, schema: Schema): string {
  const { additionalProperties: open } = schema
  const fields = objectType(schema, 'in')
  if (typeof open !== 'object' || Object.keys(open).length === 0) {
    return `export interface ${name} ${fields}`
  }
  return `export type ${name} = ${fields} & { [name: string]: ${typeOf(open, 'in')} | undefined }`
}

/** Returns the `data` type of each event type, taken from the document's webhooks. */
function eventTypes({ webhooks = {} }: Document, named: Named): string {
  const lines = Object.entries(webhooks).map(([type, { post }]) => {
    const body = Object.values(post?.requestBody?.content ?? {})[0]?.schema ?? {}
    const data = body.properties?.data ?? {}
    return `${docOf(post?.description ?? '')}${JSON.stringify(type)}: ${typeOf(data, 'out', named)}`
  })
  const says = docOf('The event types, each with its `data`.')
  const none = 'export type EventData = Record<string, Record<string, unknown>>'
  return says + (lines.length === 0 ? none : `export interface EventData {\n${lines.join('\n')}\n}`)
}

const groupName = (group: string) => `${pascal(group)}Operations`

function groupType(group: string, members: Plan[], named: Named): string {
  const methods = members.map((plan) => methodType(plan, named))
  return `export interface ${groupName(group)} {\n${methods.join('\n\n')}\n}`
}

function methodType(plan: Plan, named: Named): string {
  const { operation, method, params, input } = plan
  const parameters = [
    ...params.map(({ name, schema }) => `${name}: ${typeOf(schema, 'in')}`),
    ...(input ? [`input${input.isOptional ? '?' : ''}: ${input.name}`] : []),
    'options?: CallOptions',
  ]
  const { summary, description = '', deprecated, method: verb, path } = operation
  const scoped = description.replace(HAS_ALIAS, '').trim()
  const says = [
    `${summary}.`,
    scoped,
    `\`${verb} ${path}\``,
    ...(deprecated ? ['@deprecated'] : []),
  ]
  return `${docOf(says.filter((line) => line).join('\n'))}${method}(${parameters.join(', ')}): ${answerType(plan, named)}`
}

function answerType({ answer }: Plan, named: Named): string {
  switch (answer.kind) {
    case 'file':
      return 'Promise<Response>'
    case 'body':
      return `Promise<${typeOf(answer.schema, 'out', named)}>`
    case 'list': {
      const meta = withBeside(META[answer.paging], answer.meta)
      return `List<${typeOf(answer.schema, 'out', named)}, ${meta}>`
    }
    case 'record': {
      const { schema, beside } = answer
      return `Promise<${withBeside(typeOf(schema, 'out', named), beside)}>`
    }
  }
}

const withBeside = (type: string, beside: Schema) =>
  Object.keys(beside.properties ?? {}).length === 0
    ? type
    : `${type} & ${objectType(beside, 'out')}`

const META = { page: 'PageMeta', cursor: 'CursorMeta', whole: 'PageMeta | undefined' }

const apiType = (groups: string[]) =>
  `${docOf('All operations, by the nouns of the contract.')}export interface Api {\n${groups
    .map((group) => `readonly ${group}: ${groupName(group)}`)
    .join('\n')}\n}`

function table(groups: [string, Plan[]][]): string {
  const rows = groups.map(
    ([group, members]) =>
      `${group}: {\n${members.map((plan) => `${plan.method}: ${rowOf(plan)},`).join('\n')}\n},`,
  )
  return `export const OPERATIONS: { [G in keyof Api]: { [M in keyof Api[G]]: Operation } } = {\n${rows.join('\n')}\n}`
}

function rowOf({ operation, input, answer, isIdempotent, isRead }: Plan): string {
  return JSON.stringify({
    name: operation.operationId,
    method: operation.method,
    path: operation.path,
    ...(input && { input: input.sentAs }),
    ...(input && input.query.length > 0 && { query: input.query }),
    answer: answer.kind,
    ...(answer.kind === 'list' && { paging: answer.paging }),
    ...(isIdempotent && { isIdempotent }),
    ...(isRead && { isRead }),
    ...(operation.security?.length === 0 && { isKeyless: true }),
  })
}
