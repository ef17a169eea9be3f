import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { ALIAS, HAS_ALIAS, READS } from '../lib/openapi.ts'
import type { ErrorBody } from './errors.ts'
import type { Route } from './route.ts'

/**
 * Returns the schema that Fastify passes to the document; it isn't used for validation. `isAlias`
 * marks the second URL for the same operation.
 */
export function openapiOf(route: Route, isAlias: boolean): FastifySchema {
  const { operation, summary, scope, status = 200, response: answer } = route
  const description: Description = {
    name: operation,
    parameters: parametersOf(route),
    headers: headersOf(route),
    failures: failuresOf(route),
  }
  return {
    operationId: isAlias ? `${operation}_v1` : operation,
    ...(isAlias && { [ALIAS]: operation }),
    ...(route.reads && { [READS]: true }),
    summary,
    description: descriptionOf(route, isAlias),
    tags: [tagOf(scope?.split(':')[0])],
    security: scope === undefined ? [] : [{ secretKey: [] }],
    ...(route.deprecated && { deprecated: true }),
    ...(route.body && { body: bodyOf(route) }),
    ...(route.query && { querystring: route.query }),
    ...(route.params && { params: route.params }),
    [DESCRIPTION]: description,
    response: { [status]: answerOf(answer) },
  } as FastifySchema
}

/**
 * Returns the tag for a collection of scopes; operations without a collection are about access
 * tokens.
 */
function tagOf(collection = 'authentication'): string {
  return collection.charAt(0).toUpperCase() + collection.slice(1).replaceAll('_', ' ')
}

/** Operations with file uploads send their other fields along with the files, as plain strings. */
function bodyOf({ body, uploads, form: isForm }: Route) {
  if (isForm) return { content: { 'application/x-www-form-urlencoded': { schema: body } } }
  if (!uploads) return body
  const { properties = {}, required = [] } = body as TSchema & Described
  const file = Type.Array(Type.Unsafe({ type: 'string', format: 'binary' }), {
    maxItems: uploads.filesMax,
  })
  const form = {
    type: 'object',
    properties: { ...properties, file },
    required: [...required, 'file'],
  }
  return {
    content: {
      'multipart/form-data': { schema: form },
      ...(uploads.json && { 'application/json': { schema: body } }),
    },
  }
}

interface Described {
  properties?: Record<string, TSchema>
  required?: string[]
}

/** Files have their own media type. */
const answerOf = (answer: TSchema) =>
  'contentMediaType' in answer ? { content: contentOf(answer) } : answer

function contentOf(schema: TSchema) {
  const { contentMediaType = 'application/json' } = schema as { contentMediaType?: string }
  return { [contentMediaType]: { schema } }
}

function descriptionOf({ operation, family, scope }: Route, isAlias: boolean): string {
  const scoped =
    scope === undefined ? 'No key is required.' : `A restricted key needs the scope \`${scope}\`.`
  if (isAlias) return `The same operation as \`${operation}\`, at its other URL. ${scoped}`
  return family === 'both' ? `${scoped} ${HAS_ALIAS}` : scoped
}

interface About {
  publicUrl: string
  version: string
  /** The webhooks that the server sends, by name, as OpenAPI path items. */
  webhooks: Record<string, object>
  /** Descriptions of the collections of scopes. */
  collections: Record<string, string>
}

/** Collects the routes mounted afterwards into one OpenAPI 3.1 document. */
export async function documentRoutes(
  server: FastifyInstance,
  { publicUrl, version, webhooks, collections }: About,
): Promise<void> {
  await server.register(swagger, {
    // OpenAPI has no optional segments, so a last segment that is optional here is always included.
    transform: ({ schema, url }) => ({ schema, url: url.replace(/\?$/, '') }),
    transformObject: (made) => arranged((made as { openapiObject: Made }).openapiObject) as never,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tradepost',
        version,
        description:
          'Invoices, payments and payouts for a merchant’s backend. Call the API from a trusted server, never from a browser or an app: the server refuses secret keys sent by browsers. Amounts are in major units (naira, not kobo); fields such as `amountMinor` give the same amount in whole minor units.',
        contact: { name: 'The operator of this server', url: publicUrl },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: publicUrl }],
      tags: Object.entries(collections).map(([name, description]) => ({
        name: tagOf(name),
        description,
      })),
      webhooks,
      components: {
        schemas: SCHEMAS as never,
        responses: errorResponses() as never,
        headers: HEADERS as never,
        parameters: PARAMETERS as never,
        securitySchemes: {
          secretKey: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'sk_test_…, sk_live_… or pt_…',
            description:
              'A secret key, or a partner’s access token together with the header X-Business-Id.',
          },
        },
      },
    },
  })
}

/**
 * Documents the routes that only the dashboard uses. Types are generated from the result, which
 * does not appear in any reference.
 */
export function consoleDocument(routes: readonly Route[]) {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes.filter(({ family }) => family === undefined)) {
    const { operation: operationId, method, path, params, query, body, response: answer } = route
    const address = `/console${path.replace(/:(\w+)/g, '{$1}')}`
    const parameters = [...parametersIn('path', params), ...parametersIn('query', query)]
    paths[address] ??= {}
    paths[address][method.toLowerCase()] = {
      operationId,
      summary: operationId,
      tags: ['Console'],
      parameters,
      ...(body && { requestBody: { content: { 'application/json': { schema: body } } } }),
      responses: { 200: { content: contentOf(answer) } },
    }
  }
  return { paths }
}

const parametersIn = (place: 'path' | 'query', schema?: TSchema) => {
  const { properties = {}, required = [] } = (schema ?? {}) as Described
  return Object.entries(properties).map(([name, one]) => ({
    name,
    in: place,
    required: required.includes(name),
    schema: one,
  }))
}

/** The extension field for what the plugin's own fields can't express about an operation. */
const DESCRIPTION = 'x-description'

interface Description {
  /** The operation's name, which is the same at each of its URLs. */
  name: string
  parameters: object[]
  headers: Record<string, object>
  failures: Record<string, object>
}

/** The document as the plugin produced it. */
interface Made {
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
 * Adds each operation's errors and headers to the document. Bodies and responses become components,
 * which both URLs for an operation share. Fields with a default are not required.
 */
function arranged({ paths, components, ...document }: Made): object {
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

/** A body with no required fields can be omitted. */
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

/** Turns `create_invoice` into `CreateInvoice`. */
const pascal = (name: string) =>
  name.replace(/(?:^|_)([a-z\d])/g, (_, letter: string) => letter.toUpperCase())

const mapped = <T, U>(object: Record<string, T>, of: (one: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(object).map(([name, one]) => [name, of(one)]))

const errorCode = Type.String({
  description: 'A stable, machine-readable code; docs/errors.md lists all codes.',
})
const requestId = Type.String({ description: 'Include it when you ask the operator for help.' })
const message = Type.String({ description: 'A human-readable message.' })
const trace = { errorCode: Type.Optional(errorCode), requestId: Type.Optional(requestId) }

const SCHEMAS = {
  FieldsError: Type.Object({
    status: Type.Literal('error'),
    message,
    errors: Type.Record(Type.String(), Type.Array(Type.String()), {
      description: 'Messages by field name.',
    }),
    ...trace,
  }),
  FlagError: Type.Object({
    error: Type.Literal(true),
    message,
    responseCode: Type.Optional(Type.String()),
    ...trace,
  }),
  TextError: Type.Object({ error: message, ...trace }),
  CodedError: Type.Object({
    message,
    code: Type.Integer({ description: 'The HTTP status.' }),
    error: Type.String({ description: 'The stable code, in capitals.' }),
  }),
  OAuthError: Type.Object({ error: Type.String(), error_description: Type.String() }),
} satisfies Record<string, TSchema>

const NAMES: Record<ErrorBody, keyof typeof SCHEMAS> = {
  fields: 'FieldsError',
  flag: 'FlagError',
  text: 'TextError',
  coded: 'CodedError',
  oauth: 'OAuthError',
}

const WORDS = {
  400: 'The body, a parameter or a header is not valid.',
  401: 'The credentials are missing or not valid.',
  403: 'The key does not have the scope that this operation needs.',
  404: 'The business has no such record in this mode.',
  409: 'The record is in a state that does not allow this, or the same request is still running.',
  412: 'The record has changed since it was read, or a step that must come first is missing.',
  413: 'The body is too large.',
  415: 'The server does not accept this content type.',
  422: 'The Idempotency-Key has already been used for another request.',
  429: 'Too many requests: wait for the time in `Retry-After`.',
  500: 'The server failed. With code `timed_out` or `outcome_unknown`, the outcome is unknown.',
  503: 'The server cannot do this right now and did nothing: try again after the time in `Retry-After`.',
}

type Status = keyof typeof WORDS

/** Returns references to the responses that describe an operation's errors, by status. */
function failuresOf(operation: Route): Record<string, { $ref: string }> {
  return Object.fromEntries(
    statusesOf(operation).map((status) => [
      status,
      refTo('responses', nameOf(operation.errors ?? 'fields', status)),
    ]),
  )
}

const nameOf = (errors: ErrorBody, status: Status) => `${NAMES[errors]}${status}`

function statusesOf(operation: Route): Status[] {
  const { method, reads, scope, body, query, params, locked: held, alsoFails } = operation
  const hasBody = method !== 'GET'
  const writes = hasBody && !reads
  const isKeyed = scope !== undefined
  const has: [Status, boolean][] = [
    [403, isKeyed],
    [404, isKeyed && (params !== undefined || [query, body].some(isAboutRecord))],
    [409, writes && isKeyed],
    [412, held !== undefined],
    [413, hasBody],
    [415, hasBody],
    [422, writes && isKeyed],
  ]
  const some = has.filter(([, answers]) => answers).map(([status]) => status)
  return [400, 401, ...some, ...(alsoFails ?? []), 429, 500, 503]
}

interface Shape {
  properties?: Record<string, TSchema>
  items?: TSchema
}

const NAME_OF_RECORD = /(?:^id|^reference|Ids?|Reference|[a-z]Code|_code|^bank|^sub_?account)$/

const isAboutRecord = (schema: TSchema | undefined) => schema !== undefined && namesRecord(schema)

/** Returns whether a part of a request names a record that may not exist. */
function namesRecord(schema: TSchema): boolean {
  const { properties = {}, items } = schema as Shape
  if ('x-record-id' in schema) return true
  const named = Object.entries(properties).some(
    ([name, part]) => (NAME_OF_RECORD.test(name) && name !== 'postalCode') || namesRecord(part),
  )
  return named || (items !== undefined && namesRecord(items))
}

function errorResponses(): Record<string, object> {
  const bodies = Object.keys(NAMES) as ErrorBody[]
  const statuses = Object.keys(WORDS).map(Number) as Status[]
  return Object.fromEntries(
    bodies.flatMap((errors) =>
      statuses.map((status) => [nameOf(errors, status), responseOf(errors, status)]),
    ),
  )
}

const responseOf = (errors: ErrorBody, status: Status) => ({
  description: WORDS[status],
  headers: {
    'X-Request-Id': refTo('headers', 'RequestId'),
    ...((status === 429 || status === 503) && { 'Retry-After': refTo('headers', 'RetryAfter') }),
    ...(status === 401 && { 'WWW-Authenticate': refTo('headers', 'WwwAuthenticate') }),
  },
  content: { 'application/json': { schema: refTo('schemas', NAMES[errors]) } },
})

const refTo = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })

const text = (description: string, example?: string) => ({
  description,
  schema: { type: 'string', ...(example && { examples: [example] }) },
})
const count = (description: string) => ({ description, schema: { type: 'integer', minimum: 0 } })

/** The response headers that clients read. */
const HEADERS = {
  RequestId: text('The id of this request, which the operator can find in the log.'),
  RateLimitLimit: count(
    'How many requests a key can send at once. Absent if there is no rate limit.',
  ),
  RateLimitRemaining: count('How many requests are left right now.'),
  RateLimitReset: count('The number of seconds until the limit is fully restored.'),
  RetryAfter: count('The number of seconds to wait before sending the request again.'),
  WwwAuthenticate: text('The authentication scheme to use.', 'Bearer'),
  IdempotentReplayed: text(
    'Sent as `true` if this is the stored response to an earlier request with the same Idempotency-Key.',
    'true',
  ),
  IgnoredFields: text('The body fields that the server ignored because it does not know them.'),
  ETag: text('The version of the record: send it as `If-Match` to change only this version.'),
  Deprecation: text('The time from which the operation is deprecated (RFC 9745).'),
  Sunset: text('The time after which the operation may be removed (RFC 8594).'),
  Link: text('The operation to use instead.'),
}

const PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Send a new key with each new request, and the same key when you repeat a request: the server executes it once and returns the first response again. Keys are kept for 24 hours.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'The `ETag` of the record as you read it. If the record has changed since, the server returns 412 and changes nothing.',
    schema: { type: 'string', maxLength: 1000 },
  },
}

/**
 * Returns references to the headers that an operation accepts; reads and sign-ins don't accept any.
 */
function parametersOf({ method, reads, scope, locked: held }: Route): object[] {
  if (method === 'GET' || reads || scope === undefined) return []
  const names = held ? ['IdempotencyKey', 'IfMatch'] : ['IdempotencyKey']
  return names.map((name) => refTo('parameters', name))
}

function headersOf(operation: Route): Record<string, object> {
  const { method, reads, scope, body, editable: edited, deprecated } = operation
  const isKeyed = method !== 'GET' && scope !== undefined
  const names: [string, keyof typeof HEADERS, boolean][] = [
    ['X-Request-Id', 'RequestId', true],
    ['RateLimit-Limit', 'RateLimitLimit', true],
    ['RateLimit-Remaining', 'RateLimitRemaining', true],
    ['RateLimit-Reset', 'RateLimitReset', true],
    ['Idempotent-Replayed', 'IdempotentReplayed', isKeyed && !reads],
    ['Tradepost-Ignored-Fields', 'IgnoredFields', isKeyed && body !== undefined],
    ['ETag', 'ETag', edited !== undefined],
    ['Deprecation', 'Deprecation', deprecated !== undefined],
    ['Sunset', 'Sunset', deprecated !== undefined],
    ['Link', 'Link', deprecated !== undefined],
  ]
  return Object.fromEntries(
    names.filter(([, , has]) => has).map(([name, of]) => [name, refTo('headers', of)]),
  )
}
