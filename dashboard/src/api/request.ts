import type { Query } from './call.ts'
import { ADDRESSES, type Operations } from './operations.ts'

/** The name of an operation in the contract, such as `get_invoice`. */
export type OperationName = keyof Operations

/** The input for an operation: its path parameters and the fields in its query or body. */
export type Input<Name extends OperationName> = Operations[Name]['input']

/**
 * Forbids fields that the input does not have. In what a function returns, TypeScript alone would
 * accept them.
 */
export type Exactly<Sent, Wanted> = Sent extends (infer One)[]
  ? Exactly<One, Wanted>[]
  : Sent extends unknown
    ? { [Name in keyof Sent]: Name extends KeyOf<Wanted> ? unknown : never }
    : never

type KeyOf<Wanted> = Wanted extends unknown ? keyof Wanted : never

/** The whole response body of an operation. */
export type OperationResponse<Name extends OperationName> = Operations[Name]['answer']

export type Data<Name extends OperationName> =
  OperationResponse<Name> extends { data: infer Found } ? Found : never

export type ListName = {
  [Name in OperationName]: OperationResponse<Name> extends { data: readonly unknown[] }
    ? Name
    : never
}[OperationName]

export type Rows<Name extends ListName> = Data<Name> extends readonly (infer Row)[] ? Row : never

/** The input as an argument. Optional if the input has no required field. */
export type InputArgs<Name extends OperationName> =
  undefined extends Input<Name>
    ? [input?: Input<Name>]
    : Record<never, never> extends Input<Name>
      ? [input?: Input<Name>]
      : [input: Input<Name>]

export interface Request {
  /** The path, with its parameters filled in. */
  path: string
  method: 'GET' | 'POST' | 'PUT'
  query: Query
  /** Absent for GET. */
  body?: unknown
}

/** Returns the path and method of an operation, for edit forms, downloads and uploads. */
export function at<Name extends OperationName>(
  name: Name,
  parts: Partial<Input<Name>> = {},
): { path: string; method?: 'POST' | 'PUT' } {
  const { path, method } = requestOf(name, parts as Record<string, unknown>)
  return method === 'GET' ? { path } : { path, method }
}

/** Builds the request for an operation. The input can come from the URL. */
export function requestOf(name: OperationName, input: Record<string, unknown>): Request {
  const [method, address] = ADDRESSES[name].split(' ') as [Request['method'], string]
  const [template = '', beside = ''] = address.split('?')
  const rest = { ...input }
  const path = template.replace(/\{(\w+)\}/g, (_, part: string) => {
    const value = rest[part]
    delete rest[part]
    return encodeURIComponent(String(value))
  })
  if (method === 'GET') return { path, method, query: rest as Query }
  const inQuery = beside.split('&').filter((field) => field in rest)
  const query = Object.fromEntries(inQuery.map((field) => [field, rest[field]])) as Query
  for (const field of inQuery) delete rest[field]
  return { path, method, query, body: bodyOf(rest) }
}

/** Input with files is sent as form data, and all other input as JSON. */
function bodyOf(fields: Record<string, unknown>): unknown {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  const filesIn = (value: unknown) => [value].flat().filter((one) => one instanceof Blob)
  if (!given.some(([, value]) => filesIn(value).length > 0)) return fields
  const form = new FormData()
  const isFile = ([, value]: [string, unknown]) => filesIn(value).length > 0
  // The server needs the other fields before the files arrive.
  for (const [name, value] of given.filter((one) => !isFile(one))) form.append(name, String(value))
  for (const [name, value] of given.filter(isFile)) {
    for (const file of filesIn(value)) form.append(name, file)
  }
  return form
}

/**
 * Returns the part of an operation's path before its first parameter, which identifies what
 * `refresh` reloads.
 */
export const prefixOf = (name: OperationName): string =>
  ADDRESSES[name].replace(/^\w+ /, '').replace(/[{?].*$/, '')
