import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { type TSchema, Type } from 'typebox'
import type { Route } from './route.ts'

/** What the document shows of a route; the second family of two is described by the first. */
export interface DescribedRoute extends Omit<Route, 'scope' | 'handle'> {
  hidden: boolean
  /** What a restricted key needs; absent for an operation that asks for no key. */
  scope?: string
  /** Its body is a form. */
  form?: boolean
}

const ERROR_SCHEMAS = {
  fields: Type.Object({
    status: Type.Literal('error'),
    message: Type.String(),
    errors: Type.Record(Type.String(), Type.Array(Type.String())),
    errorCode: Type.Optional(Type.String()),
    requestId: Type.Optional(Type.String()),
  }),
  flag: Type.Object({
    error: Type.Literal(true),
    message: Type.String(),
    errorCode: Type.Optional(Type.String()),
    requestId: Type.Optional(Type.String()),
  }),
  text: Type.Object({
    error: Type.String(),
    errorCode: Type.Optional(Type.String()),
    requestId: Type.Optional(Type.String()),
  }),
  coded: Type.Object({ message: Type.String(), code: Type.Integer(), error: Type.String() }),
  oauth: Type.Object({ error: Type.String(), error_description: Type.String() }),
} satisfies Record<Route['errors'], TSchema>

const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'The same key makes the same request once; kept for 24 hours.',
    }),
  ),
})

const GuardedHeaders = Type.Object({
  ...IdempotencyHeaders.properties,
  'if-match': Type.Optional(
    Type.String({
      maxLength: 1000,
      description: 'The ETag of the record as it was read: 412 when somebody changed it since.',
    }),
  ),
})

/** The schema that Fastify hands to the document; nothing is validated by it. */
export function openapiOf(route: DescribedRoute): FastifySchema {
  const { operation, summary, scope, status = 200, errors, answer, hidden } = route
  const [collection = ''] = (scope ?? 'authentication').split(':')
  const tag = collection.charAt(0).toUpperCase() + collection.slice(1).replaceAll('_', ' ')
  return {
    hide: hidden,
    operationId: operation,
    summary,
    description: descriptionOf(route),
    tags: [tag],
    security: scope === undefined ? [] : [{ secretKey: [] }],
    ...(route.deprecated && { deprecated: true }),
    ...(route.body && { body: bodyOf(route) }),
    ...(route.query && { querystring: route.query }),
    ...(route.params && { params: route.params }),
    ...(route.method !== 'GET' &&
      scope !== undefined && { headers: route.held ? GuardedHeaders : IdempotencyHeaders }),
    response: { [status]: answerOf(answer), default: ERROR_SCHEMAS[errors] },
  } as FastifySchema
}

/** What takes files takes its other fields beside them, as text. */
function bodyOf({ body, uploads, form: isForm }: DescribedRoute) {
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

/** A file has a media type of its own. */
function answerOf(answer: TSchema) {
  const { contentMediaType } = answer as { contentMediaType?: string }
  return contentMediaType ? { content: { [contentMediaType]: { schema: answer } } } : answer
}

function descriptionOf({ family, scope }: DescribedRoute): string {
  const scoped =
    scope === undefined ? 'It asks for no key.' : `A restricted key needs the scope \`${scope}\`.`
  return family === 'both' ? `${scoped} Answers under \`/v1/\` without \`external\` too.` : scoped
}

interface About {
  publicUrl: string
  version: string
  /** What the server sends, by name: path items of OpenAPI. */
  webhooks: Record<string, object>
}

/** Collects the routes that are mounted after it into one OpenAPI 3.1 document. */
export async function documentRoutes(
  server: FastifyInstance,
  { publicUrl, version, webhooks }: About,
): Promise<void> {
  await server.register(swagger, {
    // An address in OpenAPI has all its parts, also one that is answered without the last of them.
    transform: ({ schema, url }) => ({ schema, url: url.replace(/\?$/, '') }),
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tradepost',
        version,
        description:
          'Invoices, payments and payouts for a merchant’s backend. Call it from a server you trust, never from a browser or an app: a secret key in a browser is refused.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: publicUrl }],
      webhooks,
      components: {
        securitySchemes: {
          secretKey: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'sk_test_…, sk_live_… or pt_…',
            description:
              'A secret key; or the token of a partner, with the header X-Business-Id beside it.',
          },
        },
      },
    },
  })
}
