import { type Document, operationsOf, type Schema } from './openapi.ts'
import { namesOf, type Plan, planOf } from './plans.ts'
import { type Named, objectType, typeOf } from './types.ts'

/**
 * Returns the contents of `dashboard/src/api/operations.ts`, still unformatted: every operation by
 * its name. API operations use the SDK's types, and types for the dashboard's own operations are
 * written out in full. Throws if two operations have the same name.
 */
export function generateForDashboard(api: Document, own: Document): string {
  const ofApi = operationsOf(api).map(planOf)
  const ofOwn = operationsOf(own).map(planOf)
  const plans = [...ofApi, ...ofOwn].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  refuseRepeats(plans)
  const imported = namesOf(ofApi)
  const shapes = [...namesOf(ofOwn)].filter(([key]) => !imported.has(key))
  const named: Named = new Map([...imported, ...shapes].map(([key, { name }]) => [key, name]))
  const lines = plans.map((plan) => lineOf(plan, !ofOwn.includes(plan), named))
  const types = shapes.map(([, { name, schema }]) => ({
    name,
    text: recordType(name, schema, named),
  }))
  const all = [...types.map(({ text }) => text), ...lines].join('\n')
  const isUsed = (name: string) => new RegExp(`(?<!interface )\\b${name}\\b`).test(all)
  const inputs = ofApi.flatMap(({ input }) => (input ? [input.name] : []))
  const records = [...imported.values()].map(({ name }) => name)
  const used = (names: string[]) => [...new Set(names)].filter(isUsed)
  return [
    HEAD,
    `import type { ${used(['CursorMeta', 'PageMeta']).join(', ')} } from '../../../sdk/src/lists.ts'
import type { ${used([...records, ...inputs]).join(', ')} } from '../../../sdk/src/operations.ts'
import type { Envelope } from './envelope.ts'`,
    ...types.filter(({ name }) => isUsed(name)).map(({ text }) => text),
    `export interface Operations {\n${lines.join('\n')}\n}`,
    `${TABLE_SAYS}\nexport const ADDRESSES: Record<keyof Operations, string> = {\n${plans.map(rowOf).join('\n')}\n}`,
  ].join('\n\n')
}

const HEAD = `// Generated from the server's description by \`npm test -- test/sdk/generated -u\`: do not edit.
//
// Every operation that the dashboard can call, by its name. A screen uses it through the hooks in
// hooks.ts, and the compiler knows its input and its response:
//
//   const { data } = useOperation('get_team')                       // data.data.members
//   const { data } = useOperation('get_customer', { email })
//   <ListPage operation="list_keys" … />              // each row is a Key
//   const revoke = useAction(act('revoke_key', { done: 'Key revoked.', refresh: ['list_keys'] }))
//   revoke.mutate({ reference })
//   <FormModal action={act('rotate_key', { input: (form: Form) => ({ reference, ...form }) })} … />
//   const { data } = await callOperation('get_team')
//
// The input is one object with the path parameters and the fields of the query or the body.
// Data<Name> in request.ts is the \`data\` of a response, Rows<Name> one record of a list.`

const TABLE_SAYS = `/** Method and path of each. If the input has a body, the names after the \`?\` go into the query. */`

const nameOf = ({ operation }: Plan): string => operation.operationId

function refuseRepeats(plans: Plan[]): void {
  for (const [name, members] of Map.groupBy(plans, nameOf)) {
    if (members.length > 1) throw new Error(`Two operations have the name ${name}.`)
  }
}

function recordType(name: string, schema: Schema, named: Named): string {
  const others = new Map([...named].filter(([, other]) => other !== name))
  return `export interface ${name} ${objectType(schema, 'out', others)}`
}

const lineOf = (plan: Plan, isOfApi: boolean, named: Named): string =>
  `${nameOf(plan)}: { input: ${inputOf(plan, isOfApi)}; answer: ${answerOf(plan, named)} }`

function inputOf(plan: Plan, isOfApi: boolean): string {
  const { params, input } = plan
  const properties = Object.fromEntries(params.map(({ name, schema }) => [name, schema]))
  const required = Object.keys(properties)
  const twice = required.find((name) => input?.schema.properties?.[name])
  if (twice) throw new Error(`${nameOf(plan)} has ${twice} both in its path and outside it.`)
  if (!input) return required.length > 0 ? objectType({ properties, required }, 'in') : 'undefined'
  if (isOfApi) {
    return required.length > 0
      ? `${objectType({ properties, required }, 'in')} & ${input.name}`
      : input.name
  }
  const { schema } = input
  return objectType(
    {
      ...schema,
      properties: { ...properties, ...schema.properties },
      required: [...required, ...(schema.required ?? [])],
    },
    'in',
  )
}

/** Returns the type of the whole body, as the dashboard reads it. Files don't have one. */
function answerOf({ operation, answer }: Plan, named: Named): string {
  if (answer.kind === 'file') return 'unknown'
  const [, success] = Object.entries(operation.responses).find(([code]) => code.startsWith('2'))!
  const { schema } = Object.values(success.content!)[0]!
  const { status, message, data, meta, ...others } = schema.properties ?? {}
  if (!status || !message || !data) return typeOf(schema, 'out', named)
  const required = schema.required ?? []
  const isOptional = meta && !required.includes('meta')
  const beside = [
    ...(meta ? [`{ meta${isOptional ? '?' : ''}: ${metaOf(meta, named)} }`] : []),
    ...(Object.keys(others).length > 0
      ? [
          objectType(
            {
              properties: others,
              required: required.filter((name) => name in others),
            },
            'out',
            named,
          ),
        ]
      : []),
  ]
  return [`Envelope<${typeOf(data, 'out', named)}>`, ...beside].join(' & ')
}

/** Returns the type of a list's meta: a named type if it has the usual fields. */
function metaOf(meta: Schema, named: Named): string {
  const names = Object.keys(meta.properties ?? {})
    .sort()
    .join()
  if (names === 'hasMore,limit,next,previous') return 'CursorMeta'
  if (names === 'hasNext,hasPrevious,limit,page,pageCount,total,totalIsExact') return 'PageMeta'
  return typeOf(meta, 'out', named)
}

function rowOf({ operation: { operationId, method, path }, input }: Plan): string {
  const query =
    input && method !== 'GET' && input.query.length > 0 ? `?${input.query.join('&')}` : ''
  return `${operationId}: '${method} ${path}${query}',`
}
