import type { Db } from '../db/database.ts'
import type { Tenant } from '../lib/caller.ts'
import { referenceOf } from './life.ts'
import { selectMetadata, selectReferences } from './rows.ts'

/** What decides about the data. */
export interface Run {
  seed: number
  rows: number
  until: string
}

/**
 * Invoices that are written in one transaction, with all that belongs to them. The payments of a
 * batch come into the wallet in the order of their time, while others who pay into it wait: some
 * tenths of a second.
 */
export const BATCH_ROWS = 2_000

/** An unfinished run with this seed on this business. Throws when one was finished. */
export async function earlierRun(
  db: Db,
  tenant: Tenant,
  seed: number,
): Promise<(Run & { written: number }) | undefined> {
  const first = await selectMetadata(db, tenant, referenceOf(seed, 0))
  if (!first) return undefined
  const { demo } = JSON.parse(first.metadata ?? '{}') as { demo?: Run }
  if (!demo) throw new Error(alreadyThere(seed))
  const { rows, until } = demo
  const starts = Array.from({ length: Math.ceil(rows / BATCH_ROWS) }, (_, i) => i * BATCH_ROWS)
  const references = starts.map((index) => referenceOf(seed, index))
  const found = await selectReferences(db, tenant, references)
  // Batches are written in order, so those that are there are the first ones.
  const written = references.filter((reference) => found.has(reference)).length * BATCH_ROWS
  if (written < rows) return { seed, rows, until, written }
  throw new Error(`${alreadyThere(seed)} (${rows} invoices, until ${until})`)
}

const alreadyThere = (seed: number) =>
  `the shop of seed ${seed} is there already: take another --seed or --business, or --new NAME`

/** A run is finished as it was begun, or the two parts would not fit together. */
export function refuseOther(
  { seed, rows, until }: Run,
  asked: { rows?: number | undefined; until?: string | undefined },
): void {
  const isSame = (asked.rows ?? rows) === rows && (asked.until ?? until) === until
  if (isSame) return
  throw new Error(
    `the shop of seed ${seed} was begun with --rows ${rows} --until ${until}, and can only be ` +
      'finished with these',
  )
}
