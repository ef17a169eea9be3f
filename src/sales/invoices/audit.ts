import { sql } from '../../db/sql.ts'
import type { AuditCheck } from '../../ledger/audit.ts'
import { INVOICE_PURPOSE } from './service.ts'

export const invoiceChecks: readonly AuditCheck[] = [
  {
    // A payment adds the amount received, excluding any amount to be returned and any fee paid on
    // top.
    name: 'invoice-payments',
    what: 'an invoice’s paid amount is the sum that its payments applied to it',
    table: 'invoices',
    sql: sql`
      select business_id, live, id, format('%s is recorded as paid, but its payments add up to %s',
        i.paid_minor, coalesce(p.applied_minor, 0)) as problem
      from invoices i
      left join (
        select business_id, live, purpose_id as id, sum(paid_minor - excess_minor
          - case when fee_bearer = 'customer' then fee_minor else 0 end) as applied_minor
        from transactions
        where purpose = ${INVOICE_PURPOSE} and paid_at is not null
        group by business_id, live, purpose_id
      ) as p using (business_id, live, id)
      where i.paid_minor <> coalesce(p.applied_minor, 0)`,
  },
  {
    name: 'invoice-states',
    what: 'an invoice’s status matches the amount paid',
    table: 'invoices',
    sql: sql`
      select business_id, live, id,
        format('it is %s with %s of %s paid', status, paid_minor, amount_minor) as problem
      from invoices
      where not case status
        when 'Paid' then paid_minor = amount_minor
        when 'PartiallyPaid' then paid_minor > 0 and paid_minor < amount_minor
        when 'Void' then paid_minor < amount_minor
        else paid_minor = 0 end`,
  },
  {
    name: 'paid-invoices',
    what: 'every invoice payment refers to an existing invoice',
    table: 'transactions',
    sql: sql`
      select business_id, live, id,
        format('it pays for invoice %s, which does not exist', purpose_id) as problem
      from transactions t
      where purpose = ${INVOICE_PURPOSE} and not exists (
        select from invoices i
        where (i.business_id, i.live, i.id) = (t.business_id, t.live, t.purpose_id))`,
  },
]
