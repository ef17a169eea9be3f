interface Settling {
  businessId: number
  /** The data for an event. */
  record: string
  accountOf(kind: string, subject?: number): number
  subaccounts: number[]
}

const SHARES = [2500_00, 1500_00, 1000_00]
const FEE = 250_00

/**
 * The rows that settling the charge `:id` writes, as plain statements of one transaction. Its
 * accounts are locked last and in one statement, to hold the locks as briefly as possible.
 */
export function settlementRows(settling: Settling): string[] {
  const { businessId, record, accountOf, subaccounts } = settling
  const tenant = `${businessId}, false`
  const ofCharge = `business_id = ${businessId} and live = false`
  const wallet = accountOf('wallet_available')
  const provider = accountOf('provider_clearing', 1)
  const fees = accountOf('fees')
  const shares = subaccounts.map((subject, i) => ({
    subject,
    account: accountOf('subaccount', subject),
    minor: SHARES[i]!,
  }))
  const own = 5000_00
  const moves = [
    [provider, wallet, own, 'charge'],
    ...shares.map(({ account, minor }) => [provider, account, minor, 'share'] as const),
    [wallet, fees, FEE, 'fee'],
  ] as const
  const balances = [
    [wallet, FEE, own, 1],
    [provider, 10_000_00, 0, 0],
    [fees, 0, FEE, 0],
    ...shares.map(({ account, minor }) => [account, 0, minor, 0] as const),
  ].map((row) => `(${row.map((value) => `${value}::bigint`).join(', ')})`)
  // Of the same length, but without colons, which pgbench would treat as variables.
  const data = `'${record.replaceAll("'", "''").replaceAll(':', ';')}'`
  // Ids below those of the charges, which start much higher. Each charge has room for twenty.
  const id = (n: number) => `10000000000 + :id::bigint * 20 + ${n}`
  return [
    `update transactions set status = 'Successful', gateway_response = 'Approved',
       paid_at = now(), paid_minor = 1000000, timeline = left(timeline, -1) ||
         ',{"status";"Successful","at";"2026-11-21T10;00;00.000Z","message";"Approved"}]',
       event_sequence = event_sequence + 1, updated_at = now()
     where ${ofCharge} and id = :id and status in ('Pending', 'Abandoned')`,
    `update provider_orders set next_at = null, ended_at = now(), state = 'Successful'
     where ${ofCharge} and kind = 'charge' and subject_id = :id`,
    `select s.*, a.reference from transaction_shares s
     join subaccounts a on (a.business_id, a.live, a.id)
       = (s.business_id, s.live, s.subaccount_id)
     where s.business_id = ${businessId} and s.live = false and transaction_id = :id`,
    `insert into ledger_journals (business_id, live, id, cause_type, cause_id, verb, created_at)
     values (${tenant}, ${id(0)}, 'transaction', :id, 'settle', now())`,
    `insert into ledger_transfers (business_id, live, id, journal_id, debit_account_id,
       credit_account_id, amount_minor, currency, kind, created_at) values
     ${moves
       .map(
         ([debit, credit, minor, kind], i) =>
           `(${tenant}, ${id(i + 1)}, ${id(0)}, ${debit}, ${credit}, ${minor}, 'NGN', '${kind}',
             now())`,
       )
       .join(', ')}`,
    `insert into ledger_unsealed values (${tenant}, ${id(0)})`,
    `insert into subaccount_entries (business_id, live, id, subaccount_id, kind, transaction_id,
       amount_minor, currency, created_at) values
     ${shares
       .map(
         ({ subject, minor }, i) =>
           `(${tenant}, ${id(i + 7)}, ${subject}, 'share', :id, ${minor}, 'NGN', now())`,
       )
       .join(', ')}`,
    `insert into events (business_id, live, id, reference, type, object_type, object_id, sequence,
       data, created_at) values
     (${tenant}, ${id(10)}, 'evt_' || md5(:id::text), 'transaction.successful', 'transaction', :id,
       2, ${data}, now()),
     (${tenant}, ${id(11)}, 'evt_' || md5(:id::text || 'w'), 'wallet.funded', 'wallet', :id, 1,
       '{"reference";"TRX_x","amount";4750}', now())`,
    `update subaccounts set settle_at = now() + interval '1 day'
     where ${ofCharge} and id in (${subaccounts.join(', ')}) and settle_at is null`,
    `with changes (id, debit, credit, events) as (values ${balances.join(', ')}), locked as (
       select a.id, debit, credit, events from changes c
       join ledger_accounts a on ${ofCharge} and a.id = c.id order by a.id for no key update of a
     )
     update ledger_accounts a set debits_minor = debits_minor + debit,
       credits_minor = credits_minor + credit, event_sequence = event_sequence + events
     from locked l where ${ofCharge} and a.id = l.id`,
  ]
}
