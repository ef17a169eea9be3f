import type { Tx } from '../../db/database.ts'
import type { Tenant } from '../../lib/tenant.ts'

export interface EmailStatus extends Tenant {
  subjectId: number
  status: string | null
}

/** Holds invoices until the transaction ends, in one order, so that two never wait in a circle. */
export function lockInvoices(
  tx: Tx,
  mails: readonly { business_id: number; live: boolean; subject_id: number }[],
) {
  return tx.run`
    select 1 from invoices
    where (business_id, live, id) in (select * from unnest(
      ${mails.map((mail) => mail.business_id)}::bigint[],
      ${mails.map((mail) => mail.live)}::boolean[],
      ${mails.map((mail) => mail.subject_id)}::bigint[]))
    order by business_id, live, id for update`
}

export function updateEmailStatus(tx: Tx, standings: readonly EmailStatus[]) {
  return tx.run`
    update invoices i set email_status = s.status
    from unnest(
      ${standings.map(({ businessId }) => businessId)}::bigint[],
      ${standings.map(({ live }) => live)}::boolean[],
      ${standings.map(({ subjectId }) => subjectId)}::bigint[],
      ${standings.map(({ status }) => status)}::text[]
    ) as s (business_id, live, id, status)
    where i.business_id = s.business_id and i.live = s.live and i.id = s.id
      and i.email_status is distinct from s.status`
}
