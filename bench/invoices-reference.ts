import type { Server } from './server.ts'

/**
 * The inserts of P: the rows that the server writes for one invoice, as plain statements of one
 * transaction. `:id` is a random number.
 */
export async function invoiceRows({ db, businessId }: Server): Promise<string[]> {
  const row = await db.one<{ data: string }>`
    select data from events where type = 'invoice.created' limit 1`
  // Of the same length, but without colons, which pgbench would treat as variables.
  const record = `'${row.data.replaceAll("'", "''").replaceAll(':', ';')}'`
  const tenant = `${businessId}, false`
  return [
    `insert into idempotency_keys (business_id, live, scope, key, fingerprint, status, body,
       created_at, expires_at)
     values (${tenant}, 'POST payment-service/invoices', :id::text, sha256('x'), 201,
       convert_to(${record}, 'UTF8'), now(), now())`,
    `insert into invoices (business_id, live, id, reference, token, status, customer_email,
       customer_name, amount_minor, currency, note, due_date, allow_partial_payment, email_status,
       sent_at, event_sequence, created_at, updated_at)
     values (${tenant}, :id, 'INV_' || md5(:id::text), 'abcdefghijklmnopqrstuv', 'Sent',
       'ada.obi@example.com', 'Ada Obi', 1500050, 'NGN',
       'Two chairs and a table, delivered to Surulere', '2027-01-31', false, 'Queued', now(), 2,
       now(), now())`,
    ...['created', 'sent'].map(
      (what, i) => `insert into events (business_id, live, id, reference, type, object_type,
         object_id, sequence, data, created_at)
       values (${tenant}, :id::bigint + ${i + 1}, 'evt_' || md5(:id::text), 'invoice.${what}',
         'invoice', :id, ${i + 1}, ${record}, now())`,
    ),
    `insert into mails (business_id, live, id, kind, subject_type, subject_id, to_address, due_at,
       created_at)
     values (${tenant}, :id::bigint + 3, 'invoice', 'invoice', :id, 'ada.obi@example.com',
       now() + interval '1 day', now())`,
  ]
}
