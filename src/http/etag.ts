import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Tx } from '../db/database.ts'
import { canonical } from '../lib/canonical.ts'
import { Problem } from '../lib/problem.ts'

/** What an operation that changes one record does for `If-Match`. */
export interface Guarded<Input> {
  /**
   * What of the record an edit may change, as the answer shows it; all else may move meanwhile.
   * Answers carry an `ETag` of it.
   */
  edited?(record: object): unknown
  /** The record as it is, held until the transaction ends. */
  held?(tx: Tx, input: Input): Promise<object>
}

/** The `ETag` of a success body: the same as long as no edit changed its record. */
export const tagOf = (edited: (record: object) => unknown, body: string): string =>
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
