import type { Database, Db } from '../../db/database.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { SWEEP_ROWS_MAX, type Sweeper } from '../../sweepers/sweepers.ts'
import { updateViews, type Viewed } from './queries-counts.ts'

// Of each database, since tests have several.
const counted = new WeakMap<object, Map<number, Viewed>>()

/** Pages viewed within a few seconds; what is viewed beyond is not counted. */
const PAGES_MAX = 100_000

/**
 * Counts that somebody looked at a page. It costs no write: a sweeper writes what has gathered, and
 * a crash loses a few seconds of it.
 */
export function countView(db: Db, { businessId, live }: Tenant, pageId: number, views = 1): void {
  const ours = counted.get(db) ?? new Map<number, Viewed>()
  counted.set(db, ours)
  const known = ours.get(pageId)
  if (known) known.views += views
  else if (ours.size < PAGES_MAX) ours.set(pageId, { businessId, live, pageId, views })
}

/** Writes the views of some pages, and answers of how many. */
async function writeViews(db: Database): Promise<number> {
  const ours = counted.get(db)
  if (!ours) return 0
  const viewed = [...ours.values()].slice(0, SWEEP_ROWS_MAX)
  if (viewed.length === 0) return 0
  for (const { pageId } of viewed) ours.delete(pageId)
  try {
    await updateViews(db, viewed)
  } catch (error) {
    for (const one of viewed) countView(db, one, one.pageId, one.views)
    throw error
  }
  return viewed.length
}

/** Writes what has gathered before the server ends. */
export async function closeViews(db: Database): Promise<void> {
  while ((await writeViews(db)) > 0);
}

export const pageViewSweeper: Sweeper = {
  name: 'page_views',
  everyMs: 3_000,
  // What has gathered is of all businesses, whatever their clocks.
  sweep: async (db, _now, only) => (only === undefined ? writeViews(db) : 0),
}
