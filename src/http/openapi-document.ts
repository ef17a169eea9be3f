import { refTo } from './openapi-headers.ts'

/** Where an operation says what the plugin that collects the document does not know. */
export const DESCRIPTION = 'x-description'

export interface Description {
  /** Of the operation, the same at each of its addresses. */
  name: string
  parameters: object[]
  headers: Record<string, object>
  failures: Record<string, object>
}

/** The document as the plugin made it. */
export interface Made {
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, object>>
}

interface Operation {
  [DESCRIPTION]?: Description
  parameters?: Parameter[]
  requestBody?: Body
  responses: Record<string, { content?: object }>
}

interface Parameter {
  required?: boolean
  schema?: Schema
}

interface Body {
  required?: boolean
  content: Record<string, { schema: Schema }>
}

interface Schema {
  default?: unknown
  required?: string[]
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
}

/**
 * The document with the errors and headers of each operation. Bodies and answers are components,
 * which both addresses of an operation refer to. What has a default is not required.
 */
export function arranged({ paths, components, ...document }: Made): object {
  const shared = { requestBodies: {}, ...components } as Record<string, Record<string, object>>
  const arrangedPaths = mapped(paths, (methods) =>
    mapped(methods, (operation) => arrangedOperation(operation, shared)),
  )
  const used = JSON.stringify([arrangedPaths, shared.responses, shared.parameters])
  return { ...document, paths: arrangedPaths, components: onlyUsed(shared, used) }
}

function arrangedOperation(
  { [DESCRIPTION]: description, ...operation }: Operation,
  components: Record<string, Record<string, object>>,
): object {
  if (!description) return operation
  const { parameters = [], requestBody, responses, ...rest } = operation
  const name = pascal(description.name)
  const [status, success] = Object.entries(responses)[0]!
  components.responses![name] ??= {
    description: 'Done.',
    headers: description.headers,
    content: success.content,
  }
  if (requestBody) components.requestBodies![name] ??= withoutDefaults(requestBody)
  const taken = [...parameters.map(optionalByDefault), ...description.parameters]
  return {
    ...rest,
    ...(taken.length > 0 && { parameters: taken }),
    ...(requestBody && { requestBody: refTo('requestBodies', name) }),
    responses: { [status]: refTo('responses', name), ...description.failures },
  }
}

const optionalByDefault = (parameter: Parameter): Parameter =>
  parameter.schema?.default === undefined ? parameter : { ...parameter, required: false }

/** A body of which nothing is required may be left out. */
function withoutDefaults({ content }: Body): object {
  const relaxed = mapped(content, ({ schema, ...media }) => ({
    ...media,
    schema: relaxedOf(schema),
  }))
  const required = Object.values(relaxed).some(({ schema }) => schema.required !== undefined)
  return { required, content: relaxed }
}

function relaxedOf({ required, properties, items, anyOf, ...schema }: Schema): Schema {
  const needed = required?.filter((name) => properties?.[name]?.default === undefined) ?? []
  return {
    ...schema,
    ...(properties && { properties: mapped(properties, relaxedOf) }),
    ...(needed.length > 0 && { required: needed }),
    ...(items && { items: relaxedOf(items) }),
    ...(anyOf && { anyOf: anyOf.map(relaxedOf) }),
  }
}

function onlyUsed(components: Record<string, Record<string, object>>, used: string): object {
  const isUsed = (kind: string, name: string) =>
    kind === 'securitySchemes' || used.includes(`"#/components/${kind}/${name}"`)
  return Object.fromEntries(
    Object.entries(components).map(([kind, members]) => [
      kind,
      Object.fromEntries(Object.entries(members).filter(([name]) => isUsed(kind, name))),
    ]),
  )
}

/** `create_invoice` as `CreateInvoice`. */
const pascal = (name: string) =>
  name.replace(/(?:^|_)([a-z\d])/g, (_, letter: string) => letter.toUpperCase())

const mapped = <T, U>(object: Record<string, T>, of: (one: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(object).map(([name, one]) => [name, of(one)]))
