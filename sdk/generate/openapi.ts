/** The parts of an OpenAPI 3.1 document and its JSON Schemas that the generator reads. */
export interface Document {
  paths: Record<string, Record<string, OperationDescription>>
  webhooks?: Record<string, { post?: { description?: string; requestBody?: Body } }>
}

interface OperationDescription {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  deprecated?: boolean
  'x-reads'?: boolean
  security?: object[]
  parameters?: Parameter[]
  requestBody?: Body
  responses: Record<string, { content?: Body['content'] }>
}

interface Body {
  content: Record<string, { schema: Schema }>
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: Schema
}

export interface Schema {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  description?: string
  default?: unknown
  format?: string
}

/** An operation with its path. */
export interface Operation extends OperationDescription {
  method: string
  path: string
}

export const operationsOf = ({ paths }: Document): Operation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      ...described,
      method: method.toUpperCase(),
      path,
    })),
  )
