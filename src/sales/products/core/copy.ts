import type { Db } from '../../../db/database.ts'
import { plainArray, textArray } from '../../../db/pg-arrays.ts'
import { type Sql, sql } from '../../../db/sql.ts'
import type { Deps } from '../../../deps.ts'
import { newReference } from '../../../lib/tokens.ts'

export interface CopiedIds {
  from: number
  to: number
}

/** A row of a product, with the id and reference of its copy. */
export interface CopiedRow extends CopiedIds {
  reference: string
}

export async function copiedRowsOf(
  db: Db,
  ids: Deps['ids'],
  rows: readonly { id: number }[],
  prefix: string,
): Promise<CopiedRow[]> {
  const pairs: CopiedRow[] = []
  for (const { id } of rows) {
    pairs.push({ from: id, to: await ids.next(db), reference: newReference(prefix) })
  }
  return pairs
}

/** Returns the pairs as the table `c (from_id, to_id, ref)`. */
export const copiedRowsTable = (pairs: readonly CopiedRow[]): Sql => sql`
  unnest(${plainArray(pairs.map(({ from }) => from))}::bigint[],
    ${plainArray(pairs.map(({ to }) => to))}::bigint[],
    ${textArray(pairs.map(({ reference }) => reference))}::text[]) as c (from_id, to_id, ref)`
