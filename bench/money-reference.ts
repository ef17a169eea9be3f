import { fundWallet } from '../src/simulator/service.ts'
import type { Server } from './server.ts'

/** A transfer of ₦1 with its fee. */
const TRANSFER_MINOR = 11_00
const REFUND_MINOR = 1_00
const FUNDING_MINOR = 1_000_000_00n

/** Something like a record, without colons, which pgbench would treat as variables. */
const RECORD = `'${JSON.stringify({
  id: 41002,
  reference: 'TRF_2bV8nD5rYw0jL7cXk4Ps',
  transferReference: 'TRF_2bV8nD5rYw0jL7cXk4Ps',
  businessId: 1025,
  origin: 'transfer',
  status: 'Pending',
  amount: 1,
  amountMinor: 100,
  fee: 10,
  currency: 'NGN',
  bankId: 58,
  bankCode: '058',
  bankName: 'Guaranty Trust Bank',
  accountNumber: '0123456789',
  accountName: 'ADA OBI',
  narration: 'Salary for November',
  failureReason: null,
  createdBy: { type: 'key', name: 'Test key', personId: null },
  approvedBy: null,
  needsSecondPerson: false,
  canCancel: true,
  attempt: 1,
  metadata: null,
  timeline: [{ status: 'Pending', at: '2026-11-02T11:00:00.000Z', message: null }],
  createdAt: '2026-11-02T11:00:00.000Z',
  completedAt: null,
  reversedAt: null,
}).replaceAll(':', ';')}'`

/** The rows that one transfer writes, as plain statements of one transaction. */
export async function transferRows(server: Server): Promise<string[]> {
  const { tenant, hold } = await wallet(server)
  return [
    claim(tenant, 'transfers'),
    `insert into transfers (business_id, live, id, reference, transfer_reference, origin, status,
       amount_minor, fee_minor, currency, bank_code, bank_name, account_encrypted, account_hash,
       account_last4, account_name, narration, provider, timeline, event_sequence, created_with,
       created_by_name, created_at, updated_at)
     values (${tenant}, :id, 'TRF_' || md5(:id::text), 'TRF_' || md5(:id::text), 'transfer',
       'Pending', 100, 1000, 'NGN', '058', 'Guaranty Trust Bank', sha256('x') || sha256('y'),
       sha256(:id::text::bytea), '6789', 'ADA OBI', 'Salary for November', 'simulator',
       '[{"status";"Pending","at";"2026-11-21T10;00;00.000Z","message";null}]', 1, 'key',
       'Test key', now(), now())`,
    order(tenant, 'transfer', TRANSFER_MINOR),
    `insert into search_texts (business_id, live, id, kind, text, pieces)
     values (${tenant}, :id, 'transfer', 'guaranty trust bank ada obi salary for november',
       array(select (:id::bigint % 1000000)::integer + generate_series(1, 60)))`,
    `insert into row_notes (business_id, live, kind, subject_id, number, id, salt)
     values (${tenant}, 'transfer-recipient', :id, 1, :id::bigint + 4, md5(:id::text))`,
    `insert into digests_unsealed (business_id, live, kind, ids, digests)
     values (${tenant}, 'row', array[:id::bigint + 4], array[sha256('x')])`,
    ...event(tenant, 'transfer'),
    ...hold('transfer', TRANSFER_MINOR),
  ]
}

/** The rows that one refund writes, as plain statements of one transaction. */
export async function refundRows(server: Server): Promise<string[]> {
  const { tenant, hold } = await wallet(server)
  const { db, businessId } = server
  const payments = await db.many<{ id: number }>`
    select id from transactions
    where business_id = ${businessId} and not live and status = 'Successful' limit 1000`
  const payment = `(array[${payments.map(({ id }) => id)}])[1 + :id::bigint % ${payments.length}]`
  return [
    claim(tenant, 'refunds'),
    `select * from transactions
     where business_id = ${businessId} and live = false and id = ${payment} for no key update`,
    `select sum(amount_minor), sum(excess_minor) from refunds
     where business_id = ${businessId} and live = false and transaction_id = ${payment}
       and status <> 'Failed'`,
    `select * from provider_orders
     where business_id = ${businessId} and live = false and kind = 'charge'
       and subject_id = ${payment}`,
    `update transactions set refunding_minor = refunding_minor + 1, updated_at = now()
     where business_id = ${businessId} and live = false and id = ${payment}`,
    `insert into refunds (business_id, live, id, reference, transaction_id, status, amount_minor,
       excess_minor, currency, reason, provider, timeline, event_sequence, created_at, updated_at)
     values (${tenant}, :id, 'RFD_' || md5(:id::text), ${payment}, 'Pending', ${REFUND_MINOR}, 0,
       'NGN', 'One shirt was returned', 'simulator',
       '[{"status";"Pending","at";"2026-11-21T10;00;00.000Z","message";null}]', 1, now(), now())`,
    order(tenant, 'refund', REFUND_MINOR),
    ...event(tenant, 'refund'),
    ...hold('refund', REFUND_MINOR),
  ]
}

const claim = (tenant: string, what: string) =>
  `insert into idempotency_keys (business_id, live, scope, key, fingerprint, status, body,
     created_at, expires_at)
   values (${tenant}, 'POST transaction-service/${what}', :id::text, sha256('x'), 201,
     convert_to(${RECORD}, 'UTF8'), now(), now())`

/** It waits, as ours do. */
const order = (tenant: string, kind: string, minor: number) =>
  `insert into provider_orders (business_id, live, kind, subject_id, reference, connection_id,
     sent_reference, reference_format, amount_minor, currency, lookup_plan, next_at, created_at)
   values (${tenant}, '${kind}', :id, 'X_' || md5(:id::text), 1, 'x' || md5(:id::text), 2, ${minor},
     'NGN', 'payout', now(), now())`

const event = (tenant: string, noun: string) => [
  `insert into events (business_id, live, id, reference, type, object_type, object_id, sequence,
     data, created_at, salt)
   values (${tenant}, :id::bigint + 1, 'evt_' || md5(:id::text), '${noun}.pending', '${noun}', :id,
     1, ${RECORD}, now(), 'abcdefghijklmnopqrstuv')`,
  `insert into digests_unsealed (business_id, live, kind, ids, digests)
   values (${tenant}, 'event', array[:id::bigint + 1], array[sha256('x')])`,
]

/** Funds the wallet, and returns the statements that hold money of it. They come last. */
async function wallet({ db, ids, businessId, port, headers }: Server) {
  const caller = { businessId, live: false, now: new Date() }
  await db.transaction((tx) => fundWallet(tx, { ids }, caller, FUNDING_MINOR))
  // Creates the account for what is on hold.
  const { status } = await fetch(
    `http://127.0.0.1:${port}/api/transaction-service/external/v1/transfers`,
    {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ amount: 1, bankCode: '058', accountNumber: '0123456789' }),
    },
  )
  if (status !== 201) throw new Error(`A transfer was refused with ${status}`)
  const accounts = await db.many<{ id: number; kind: string }>`
    select id, kind from ledger_accounts where business_id = ${businessId} and not live`
  const idOf = (kind: string) => accounts.find((one) => one.kind === kind)?.id
  const from = idOf('wallet_available')
  const held = idOf('held')
  if (!from || !held) throw new Error('The accounts do not exist yet')
  const tenant = `${businessId}, false`
  const of = `business_id = ${businessId} and live = false`
  return {
    tenant,
    hold: (cause: string, minor: number) => [
      `insert into ledger_journals (business_id, live, id, cause_type, cause_id, verb, created_at)
       values (${tenant}, :id::bigint + 2, '${cause}', :id, 'hold', now())`,
      `insert into ledger_transfers (business_id, live, id, journal_id, debit_account_id,
         credit_account_id, amount_minor, currency, kind, created_at)
       values (${tenant}, :id::bigint + 3, :id::bigint + 2, ${from}, ${held}, ${minor}, 'NGN',
         'hold', now())`,
      `insert into ledger_unsealed (business_id, live, journal_id)
       values (${tenant}, :id::bigint + 2)`,
      `with changes (id, debit, credit) as (
         values (${from}::bigint, ${minor}::bigint, 0::bigint), (${held}, 0, ${minor})
       ), locked as (
         select a.id, debit, credit from changes c
         join ledger_accounts a on ${of} and a.id = c.id order by a.id for no key update of a
       )
       update ledger_accounts a set debits_minor = debits_minor + debit,
         credits_minor = credits_minor + credit
       from locked l where ${of} and a.id = l.id`,
    ],
  }
}
