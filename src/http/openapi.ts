import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { ALIAS, READS } from '../lib/openapi.ts'
import { arranged, DESCRIPTION, type Description, type Made } from './openapi-document.ts'
import { errorResponses, errorSchemas, failuresOf } from './openapi-errors.ts'
import {
  headerComponents,
  headersOf,
  parameterComponents,
  parametersOf,
} from './openapi-headers.ts'
import type { Route } from './route.ts'

/** What the document shows of a route. */
export interface DescribedRoute extends Omit<Route, 'scope' | 'handle'> {
  /** It is the same operation at its second address. */
  isAlias: boolean
  /** What a restricted key needs; absent for an operation that asks for no key. */
  scope?: string
  /** Its body is a form. */
  form?: boolean
}

/** The schema that Fastify hands to the document; nothing is validated by it. */
export function openapiOf(route: DescribedRoute): FastifySchema {
  const { operation, summary, scope, status = 200, answer, isAlias } = route
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
    description: descriptionOf(route),
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

/** The tag of a collection of scopes; without one it is about getting a token. */
function tagOf(collection = 'authentication'): string {
  return collection.charAt(0).toUpperCase() + collection.slice(1).replaceAll('_', ' ')
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

function descriptionOf({ operation, family, scope, isAlias }: DescribedRoute): string {
  const scoped =
    scope === undefined ? 'It asks for no key.' : `A restricted key needs the scope \`${scope}\`.`
  if (isAlias) return `The same operation as \`${operation}\`, at its other address. ${scoped}`
  return family === 'both' ? `${scoped} Answers under \`/v1/\` without \`external\` too.` : scoped
}

interface About {
  publicUrl: string
  version: string
  /** What the server sends, by name: path items of OpenAPI. */
  webhooks: Record<string, object>
  /** What each collection of scopes is about. */
  collections: Record<string, string>
}

/** Collects the routes that are mounted after it into one OpenAPI 3.1 document. */
export async function documentRoutes(
  server: FastifyInstance,
  { publicUrl, version, webhooks, collections }: About,
): Promise<void> {
  await server.register(swagger, {
    // An address in OpenAPI has all its parts, also one that is answered without the last of them.
    transform: ({ schema, url }) => ({ schema, url: url.replace(/\?$/, '') }),
    transformObject: (made) => arranged((made as { openapiObject: Made }).openapiObject) as never,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tradepost',
        version,
        description:
          'Invoices, payments and payouts for a merchant’s backend. Call it from a server you trust, never from a browser or an app: a secret key in a browser is refused. Amounts are in major units (naira, not kobo); beside them, `amountMinor` and its like are whole minor units.',
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
        schemas: errorSchemas() as never,
        responses: errorResponses() as never,
        headers: headerComponents() as never,
        parameters: parameterComponents() as never,
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
