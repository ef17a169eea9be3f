import { createHmac, timingSafeEqual } from 'node:crypto'
import { Type } from 'typebox'
import { invalid } from './problem.ts'
import type { Tenant } from './tenant.ts'

/** A place in a list that is in the order of creation. */
export interface Place {
  created_at: Date
  id: number
}

/** Where a page begins: after (newer lists: older than) a place, or before it. */
export interface Cursor extends Place {
  back: boolean
}

/** `cursor` and `limit` of every list by cursor. */
export const cursorPaging = {
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 300,
      description: '`meta.next` or `meta.previous` of another page of the same list.',
    }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
}

export const CursorMeta = Type.Object({
  limit: Type.Integer(),
  next: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  previous: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  hasMore: Type.Boolean(),
})

/** Whose list, and which: a cursor is good for no other. */
export interface ListKey {
  secret: Buffer
  tenant: Tenant
  /** The list and its filters, as text; not the limit. */
  list: string
}

const MAC_BYTES = 16

/** Opaque and signed, so that it is good for this list and nothing can be made of it. */
export function printCursor(key: ListKey, { created_at, id, back }: Cursor): string {
  const text = `${back ? 'b' : 'f'}${created_at.getTime().toString(36)}.${id.toString(36)}`
  return `${Buffer.from(text).toString('base64url')}.${macOf(key, text)}`
}

/** Throws 400 naming `cursor` for one that is not of this list. */
export function parseCursor(key: ListKey, cursor: string): Cursor {
  const [encoded = '', mac = '', ...rest] = cursor.split('.')
  const text = Buffer.from(encoded, 'base64url').toString('latin1')
  const [, direction, at, id] = /^([bf])([0-9a-z]{1,11})\.([0-9a-z]{1,11})$/.exec(text) ?? []
  const isOurs = direction && rest.length === 0 && equal(mac, macOf(key, text))
  if (!isOurs)
    throw invalid({
      cursor: ['does not belong to this list; send a cursor from its `meta`, unchanged'],
    })
  return {
    created_at: new Date(Number.parseInt(at!, 36)),
    id: Number.parseInt(id!, 36),
    back: direction === 'b',
  }
}

function macOf({ secret, tenant, list }: ListKey, text: string): string {
  const of = JSON.stringify([tenant.businessId, tenant.live, list, text])
  return createHmac('sha256', secret)
    .update(of)
    .digest()
    .subarray(0, MAC_BYTES)
    .toString('base64url')
}

function equal(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/**
 * Cuts what was read, one row more than `limit`, into a page with its cursors. `rows` are in the
 * order of reading: away from the cursor, so towards the beginning where it says `back`.
 */
export function cursorPage<Row extends Place>(
  key: ListKey,
  read: readonly Row[],
  limit: number,
  cursor: Cursor | undefined,
) {
  const more = read.length > limit
  const back = cursor?.back ?? false
  const rows = back ? read.slice(0, limit).reverse() : read.slice(0, limit)
  const [first] = rows
  const last = rows.at(-1)
  const hasNext = back ? true : more
  const hasPrevious = back ? more : cursor !== undefined
  const at = (place: Row | undefined, isBack: boolean) =>
    place ? printCursor(key, { created_at: place.created_at, id: place.id, back: isBack }) : null
  return {
    rows,
    meta: {
      limit,
      next: hasNext ? at(last, false) : null,
      previous: hasPrevious ? at(first, true) : null,
      hasMore: hasNext && last !== undefined,
    },
  }
}
