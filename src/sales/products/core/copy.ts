import type { Db } from '../../../db/database.ts'
import { plainArray, textArray } from '../../../db/pg-arrays.ts'
import { type Sql, sql } from '../../../db/sql.ts'
import type { Deps } from '../../../deps.ts'
import { newReference } from '../../../lib/tokens.ts'

/** A product, and its copy. */
export interface Copied {
  from: number
  to: number
}

/** A row of something that belongs to a product, with the id and the reference of its copy. */
export interface Pair extends Copied {
  reference: string
}

/** What the copies of rows with these ids are called. */
export async function pairsOf(
  db: Db,
  ids: Deps['ids'],
  rows: readonly { id: number }[],
  prefix: string,
): Promise<Pair[]> {
  const pairs: Pair[] = []
  for (const { id } of rows) {
    pairs.push({ from: id, to: await ids.next(db), reference: newReference(prefix) })
  }
  return pairs
}

/** The pairs as the table `c (from_id, to_id, ref)`. */
export const pairTable = (pairs: readonly Pair[]): Sql => sql`
  unnest(${plainArray(pairs.map(({ from }) => from))}::bigint[],
    ${plainArray(pairs.map(({ to }) => to))}::bigint[],
    ${textArray(pairs.map(({ reference }) => reference))}::text[]) as c (from_id, to_id, ref)`
