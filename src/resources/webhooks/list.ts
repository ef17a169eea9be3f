import type { Db } from '../../db/database.ts'
import { isDescending, pageOf, windowOf } from '../../lib/paging.ts'
import { notFound } from '../../lib/problem.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { selectWebhook, selectWebhooks, type WebhookRow } from './queries.ts'
import { webhookRecord } from './record.ts'
import type { WebhookQuery } from './schemas.ts'

/** The row of one; throws 404, for a deleted one too. */
export async function findWebhook(db: Db, tenant: Tenant, reference: string): Promise<WebhookRow> {
  const row = await selectWebhook(db, tenant, reference)
  if (!row) throw notFound('webhook')
  return row
}

/** The record of one; throws 404. */
export const getWebhook = async (db: Db, tenant: Tenant, reference: string) =>
  webhookRecord(await findWebhook(db, tenant, reference))

/** One page of endpoints with its meta. There are so few that all are read. */
export async function listWebhooks(db: Db, tenant: Tenant, query: WebhookQuery) {
  const all = await selectWebhooks(db, tenant, isDescending(query.sort))
  const { offset, take } = windowOf(query)
  const { rows, meta } = pageOf(all.slice(offset, offset + take), query, all.length)
  return { records: rows.map(webhookRecord), meta }
}
