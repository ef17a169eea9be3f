import type { Tx } from '../../db/database.ts'
import { notFound } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import type { Caller } from '../../lib/tenant.ts'
import { picturesChanged } from '../products/media/of-pages.ts'
import { type PageDeps, told } from './pages.ts'
import { updateDeleted } from './queries.ts'

/**
 * Takes a page away for good: its link is 410 from then on. Who is paying already still can.
 * Answers it as it was, Deleted. Throws 404.
 */
export async function deletePage(tx: Tx, deps: PageDeps, caller: Caller, pageId: number | string) {
  const row = await updateDeleted(tx, caller, toId(pageId), caller.now)
  if (!row) throw notFound('payment_page')
  await picturesChanged(tx, deps, caller, [row.image])
  return told(tx, deps, caller, ['deleted'], row)
}
