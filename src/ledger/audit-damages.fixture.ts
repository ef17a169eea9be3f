/** Every kind of damage that the audit must find, for the audit's test. */

/** The ids of rows to damage: accounts, transfers, journals. */
export type Rows = Record<
  | 'tenant'
  | ('wallet' | 'dollars' | 'dollarsAtProvider' | 'fees' | 'foreign')
  | ('fundingTransfer' | 'charge' | 'payout' | 'lastTransfer')
  | ('funded' | 'paid' | 'voided' | 'last'),
  number
>

/** Disables the database's own protection against damage, and then runs the statement. */
export const unguarded = (statement: string) => `
  do $$ declare guard record; begin
    for guard in select conrelid::regclass as name, conname from pg_constraint
      where conrelid::regclass::text like 'ledger_%' and contype in ('c', 'f')
    loop execute format('alter table %s drop constraint %I', guard.name, guard.conname); end loop;
  end $$;
  alter table ledger_journals drop constraint ledger_journals_cause;
  alter table ledger_seals drop constraint ledger_seals_pkey;
  drop index ledger_journals_hold_end;
  ${statement}`

export const changeCharge = (set: string) => (of: Rows) =>
  `update ledger_transfers set ${set.replace(/:(\w+)/g, (_, name: keyof Rows) => `${of[name]}`)}
  where id = ${of.charge}`

interface Damage {
  title: string
  /** The check that must find the damage, and the table and id that its finding must name. */
  check: string
  table: string
  id(of: Rows): number | string
  sql(of: Rows): string
}

const accounts: Damage[] = [
  {
    title: 'a balance that was changed',
    check: 'balances',
    table: 'ledger_accounts',
    id: (of) => of.wallet,
    sql: ({ wallet: id }) => `update ledger_accounts set credits_minor = 9999 where id = ${id}`,
  },
  {
    title: 'debits and credits that no longer match',
    check: 'currencies',
    table: 'ledger_accounts',
    id: () => 'NGN',
    sql: ({ fees: id }) => `update ledger_accounts set credits_minor = 14 where id = ${id}`,
  },
  {
    title: 'an account below zero',
    check: 'overdrawn',
    table: 'ledger_accounts',
    id: (of) => of.fees,
    sql: ({ fees: id }) => `update ledger_accounts set debits_minor = 16 where id = ${id}`,
  },
  ...[
    ['a transfer of 0', 'amount_minor = 0'],
    ['a transfer from an account to itself', 'credit_account_id = debit_account_id'],
    ['a transfer from the account of another tenant', 'debit_account_id = :foreign'],
    ['a transfer to the account of another tenant', 'credit_account_id = :foreign'],
    ['a transfer from an account in another currency', 'debit_account_id = :dollarsAtProvider'],
    ['a transfer to an account in another currency', 'credit_account_id = :dollars'],
  ].map(([title, set]) => ({
    title: title!,
    check: 'transfers',
    table: 'ledger_transfers',
    id: (of: Rows) => of.charge,
    sql: changeCharge(set!),
  })),
]

const journals: Damage[] = [
  {
    title: 'a journal without its transfers',
    check: 'empty-journals',
    table: 'ledger_journals',
    id: (of) => of.last,
    sql: ({ last }) => `delete from ledger_transfers where journal_id = ${last}`,
  },
  {
    title: 'a transfer without its journal',
    check: 'orphan-transfers',
    table: 'ledger_transfers',
    id: (of) => of.lastTransfer,
    sql: ({ last }) => `delete from ledger_journals where id = ${last}`,
  },
  {
    title: 'a cause that was posted twice',
    check: 'causes',
    table: 'ledger_journals',
    id: (of) => of.last,
    sql: ({ last }) => `update ledger_journals set cause_id = 1 where id = ${last}`,
  },
  {
    title: 'a hold that was both paid out and released',
    check: 'causes',
    table: 'ledger_journals',
    id: (of) => of.voided,
    sql: ({ voided }) => `update ledger_journals set cause_id = 1 where id = ${voided}`,
  },
  {
    title: 'a payout of more than was held',
    check: 'holds',
    table: 'ledger_journals',
    id: (of) => of.paid,
    sql: ({ paid }) => `update ledger_journals set cause_id = 99 where id = ${paid}`,
  },
  {
    title: 'an ended hold with an amount left',
    check: 'holds',
    table: 'ledger_journals',
    id: (of) => of.paid,
    sql: ({ payout }) => `update ledger_transfers set amount_minor = 199 where id = ${payout}`,
  },
  {
    title: 'a removed event',
    check: 'events',
    table: 'events',
    id: () => 5003,
    sql: () => 'delete from events where id = 5002',
  },
  {
    title: 'a removed first event of an object',
    check: 'events',
    table: 'events',
    id: () => 5002,
    sql: () => 'delete from events where id = 5001',
  },
]

const sealed: Damage[] = [
  ...[
    ['amount', 'amount_minor = 986'],
    ['account', 'credit_account_id = :fees'],
    ['kind', "kind = 'gift'"],
    ['time', "created_at = created_at + interval '1 microsecond'"],
  ].map(([what, set]) => ({
    title: `a sealed transfer with another ${what}`,
    check: 'seals',
    table: 'ledger_transfers',
    id: (of: Rows) => of.charge,
    sql: changeCharge(set!),
  })),
  {
    title: 'a sealed transfer whose journal has another cause',
    check: 'seals',
    table: 'ledger_transfers',
    id: (of) => of.fundingTransfer,
    sql: ({ funded }) => `update ledger_journals set cause_id = 8 where id = ${funded}`,
  },
  {
    title: 'a missing sealed transfer',
    check: 'seals',
    table: 'ledger_transfers',
    id: (of) => of.fundingTransfer,
    sql: ({ fundingTransfer: id }) => `delete from ledger_transfers where id = ${id}`,
  },
  {
    title: 'a seal with another hash',
    check: 'seals',
    table: 'ledger_transfers',
    id: (of) => of.charge,
    sql: ({ charge: id }) =>
      `update ledger_seals set hash = sha256(hash) where transfer_id = ${id}`,
  },
  {
    title: 'a seal with another time',
    check: 'seals',
    table: 'ledger_transfers',
    id: (of) => of.charge,
    sql: ({ charge: id }) => `update ledger_seals set sealed_at = sealed_at - interval '1 hour'
      where transfer_id = ${id}`,
  },
  {
    title: 'a seal with another version',
    check: 'seals',
    table: 'ledger_transfers',
    id: (of) => of.charge,
    sql: ({ charge: id }) => `update ledger_seals set version = 1 where transfer_id = ${id}`,
  },
  {
    title: 'two seals that swapped places',
    check: 'seals',
    table: 'ledger_transfers',
    id: (of) => of.fundingTransfer,
    sql: ({ tenant }) => `update ledger_seals set seq = 3 - seq
      where business_id = ${tenant} and seq in (1, 2)`,
  },
  {
    title: 'a missing seal in the middle',
    check: 'seal-gaps',
    table: 'ledger_seals',
    id: () => 2,
    sql: ({ tenant }) => `delete from ledger_seals where business_id = ${tenant} and seq = 2`,
  },
  {
    title: 'a missing first seal',
    check: 'seal-gaps',
    table: 'ledger_seals',
    id: () => 1,
    sql: ({ tenant }) => `delete from ledger_seals where business_id = ${tenant} and seq = 1`,
  },
  {
    title: 'a missing last seal',
    check: 'chain-ends',
    table: 'ledger_seals',
    id: () => 9,
    sql: ({ tenant }) => `delete from ledger_seals where business_id = ${tenant} and seq = 9`,
  },
  {
    title: 'a seal after the end of the chain',
    check: 'chain-ends',
    table: 'ledger_seals',
    id: () => 10,
    sql: ({ tenant, lastTransfer }) => `insert into ledger_seals
      select business_id, live, 10, ${lastTransfer}, sha256('x'), sealed_at from ledger_seals
      where business_id = ${tenant} and seq = 9`,
  },
  {
    title: 'a forged journal in the queue',
    check: 'seal-queue',
    table: 'ledger_unsealed',
    id: () => 4711,
    sql: ({ tenant }) => `insert into ledger_unsealed values (${tenant}, false, 4711)`,
  },
  {
    title: 'a sealed journal in the queue',
    check: 'seal-queue',
    table: 'ledger_unsealed',
    id: (of) => of.funded,
    sql: ({ tenant, funded }) => `insert into ledger_unsealed values (${tenant}, false, ${funded})`,
  },
  {
    title: 'a transfer that bypassed the queue',
    check: 'unsealed',
    table: 'ledger_transfers',
    id: (of) => of.lastTransfer,
    sql: ({ last }) => `delete from ledger_unsealed where journal_id = ${last}`,
  },
]

export const damages: readonly Damage[] = [...accounts, ...journals, ...sealed]
