import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Tx } from '../db/database.ts'
import { canonical } from '../lib/json.ts'
import { Problem } from '../lib/problem.ts'

/** How an operation that changes one record supports `If-Match`. */
export interface ConditionalEdit<Input> {
  /**
   * Returns the editable part of the record, as the response shows it. The other fields can change
   * between edits. Responses carry an `ETag` for this part.
   */
  editable?(record: object): unknown
  /** Returns the current record, locked until the transaction ends. */
  locked?(tx: Tx, input: Input): Promise<object>
}

/** Returns the `ETag` for a success body, which stays the same until an edit changes the record. */
export const tagOf = (edited: (record: object) => unknown, body: string): string =>
  tagOfValue(edited(JSON.parse(body).data))

export const tagOfValue = (value: unknown): string =>
  `"${hash('sha256', canonical(value), 'base64url').slice(0, 22)}"`

/**
 * Returns whether `If-Match` matches this version. Without the header, any version matches. A tag
 * that a compressing proxy has made weak still identifies the same version, since our tags describe
 * values, not bytes.
 */
export function isIfMatchMet(request: FastifyRequest, tag: () => string): boolean {
  const header = request.headers['if-match']
  if (header === undefined || header.trim() === '*') return true
  const wanted = header.split(',').map((one) => one.trim().replace(/^W\//, ''))
  return wanted.includes(tag())
}

export const recordChanged = () =>
  new Problem(
    'precondition',
    'record_changed',
    'This record has changed since you read it, so nothing was done. Read it again.',
  )
