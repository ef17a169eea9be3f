import type { Db } from '../../db/database.ts'
import { cursorOf } from '../../db/paginate.ts'
import type { Caller } from '../../lib/caller.ts'
import { cursorPage, rangeOf, scannedMeta } from '../../lib/paging.ts'
import { notFound } from '../../lib/problem.ts'
import { redactText } from '../../lib/redact.ts'
import { type RequestFilter, selectEdge, selectLines, selectRequest } from './queries.ts'
import { lineRecord, requestRecord } from './record.ts'
import type { RequestQuery } from './schemas.ts'

/**
 * Lists one page of requests, newest first. If a page reaches its scan limit, it can be incomplete
 * and still have a cursor to continue from. Throws 400 naming the invalid parameters.
 */
export async function listRequests(db: Db, caller: Caller, query: RequestQuery) {
  const filter = filterOf(caller, query)
  const name = `requests ${JSON.stringify(filter)}`
  const { key, cursor } = await cursorOf(db, caller, name, query.cursor)
  const { limit } = query
  const found = await selectLines(db, caller, filter, cursor, limit + 1)
  const { rows, meta } = cursorPage(key, found, limit, cursor)
  const edge = found.length > limit ? undefined : await selectEdge(db, caller, filter, cursor)
  return {
    records: rows.map(lineRecord),
    meta: edge ? { ...meta, ...scannedMeta(key, edge, cursor, rows.length === 0) } : meta,
  }
}

/** Returns one request with its bodies. Throws 404. */
export async function getRequest(db: Db, caller: Caller, requestId: string) {
  const row = await selectRequest(db, caller, requestId)
  if (!row) throw notFound('request')
  return requestRecord(row)
}

function filterOf(caller: Caller, query: RequestQuery): RequestFilter {
  const { status, operation, method, keyReference, idempotencyKey } = query
  const search = query.search?.trim() || undefined
  // Request ids have an index, so a search for one finds it however many lines there are.
  const isId = /^req_[0-9A-Za-z]{10,}$/.test(search ?? '')
  return {
    range: rangeOf(query, caller.timeZone),
    status: status === undefined ? undefined : statusesOf(status),
    operation,
    method: method?.toUpperCase(),
    requestId: query.requestId ?? (isId ? search : undefined),
    keyReference,
    // Stored keys are redacted, so the filter is redacted in the same way.
    idempotencyKey: idempotencyKey === undefined ? undefined : redactText(idempotencyKey),
    search: isId && query.requestId === undefined ? undefined : search,
  }
}

/** `404` means 404 to 404, and `4xx` means 400 to 499. */
const statusesOf = (status: string): [number, number] => [
  Number(status.replace(/x/gi, '0')),
  Number(status.replace(/x/gi, '9')),
]
