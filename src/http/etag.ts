import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Tx } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import { canonical } from '../lib/canonical.ts'
import { Problem } from '../lib/problem.ts'

/** What of a record an edit may change, as its answer shows it; all else may move meanwhile. */
// biome-ignore lint/suspicious/noExplicitAny: the schema of the answer says what it is
export type Edited = (record: any) => unknown

/** What an operation that changes one record does for `If-Match`. */
export interface Guarded {
  /** Answers carry an `ETag` of it. */
  edited?: Edited
  /** The record as it is, held until the transaction ends. */
  held?(
    tx: Tx,
    // biome-ignore lint/suspicious/noExplicitAny: the schemas of the route say what they are
    input: { caller: Caller; params: any; body: any; query: any },
  ): Promise<object>
}

/** The `ETag` of a success body: the same as long as no edit changed its record. */
export const tagOf = (edited: Edited, body: string): string =>
  tagOfValue(edited(JSON.parse(body).data))

/** The `ETag` of what an edit may change. */
export const tagOfValue = (value: unknown): string =>
  `"${createHash('sha256').update(canonical(value)).digest('base64url').slice(0, 22)}"`

/**
 * Whether `If-Match` asks for this version; a header that is not there asks for none. One that a
 * proxy made weak when it packed the answer is the same version: ours are of values, not of bytes.
 */
export function isWanted(request: FastifyRequest, tag: () => string): boolean {
  const header = request.headers['if-match']
  if (header === undefined || header.trim() === '*') return true
  const wanted = header.split(',').map((one) => one.trim().replace(/^W\//, ''))
  return wanted.includes(tag())
}

export const changedMeanwhile = () =>
  new Problem(
    'precondition',
    'record_changed',
    'This was changed since you read it. Nothing was done: read it again.',
  )
