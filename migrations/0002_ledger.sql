-- The ledger: who has how much, and every movement that made it so. Rows of journals, transfers and
-- seals are only ever inserted; docs/decisions/0003-ledger.md says why it is built like this.

create table ledger_accounts (
  business_id    bigint not null references businesses (id),
  live           boolean not null,
  id             bigint not null,
  kind           text not null check (kind in ('wallet_available', 'wallet_pending', 'held', 'fees',
                                               'subaccount', 'refunds', 'provider_clearing')),
  -- Whose account of this kind it is: a subaccount's id, else 0.
  subject_id     bigint not null default 0,
  currency       text not null check (currency ~ '^[A-Z]{3}$'),
  -- Two sums that only grow; the balance is their difference.
  debits_minor   bigint not null default 0 check (debits_minor >= 0),
  credits_minor  bigint not null default 0 check (credits_minor >= 0),
  -- How many events this account has had; wallet events count on wallet_available.
  event_sequence bigint not null default 0 check (event_sequence >= 0),
  created_at     timestamptz not null,
  primary key (business_id, live, id),
  unique (business_id, live, kind, subject_id, currency),
  -- What a transfer refers to, so that both its accounts are of its tenant and its currency.
  unique (business_id, live, id, currency),
  constraint ledger_accounts_subject check ((kind = 'subaccount') = (subject_id <> 0)),
  -- Money at the provider is the one balance that may be on either side.
  constraint ledger_accounts_balance
    check (kind = 'provider_clearing' or credits_minor >= debits_minor)
  -- Half a page stays free for the next version of a busy row, which then needs no index entry.
) with (fillfactor = 50);

create table ledger_journals (
  business_id bigint not null,
  live        boolean not null,
  id          bigint not null,
  cause_type  text not null,
  cause_id    bigint not null,
  verb        text not null,
  created_at  timestamptz not null,
  primary key (business_id, live, id),
  constraint ledger_journals_cause unique (business_id, live, cause_type, cause_id, verb)
);
-- What was held is paid out or given back, never both.
create unique index ledger_journals_hold_end on ledger_journals
  (business_id, live, cause_type, cause_id) where verb in ('post', 'void');

create table ledger_transfers (
  business_id       bigint not null,
  live              boolean not null,
  id                bigint not null,
  journal_id        bigint not null,
  debit_account_id  bigint not null,
  credit_account_id bigint not null,
  amount_minor      bigint not null check (amount_minor > 0),
  currency          text not null,
  kind              text not null,
  created_at        timestamptz not null,
  primary key (business_id, live, id),
  check (debit_account_id <> credit_account_id),
  foreign key (business_id, live, journal_id)
    references ledger_journals (business_id, live, id),
  foreign key (business_id, live, debit_account_id, currency)
    references ledger_accounts (business_id, live, id, currency),
  foreign key (business_id, live, credit_account_id, currency)
    references ledger_accounts (business_id, live, id, currency)
);
create index ledger_transfers_journal on ledger_transfers (business_id, live, journal_id);

-- Journals that the hash chain has yet to take in. A queue without an index, so that it costs the
-- hot path next to nothing; the sweeper empties it in the transaction that writes the seals.
create table ledger_unsealed (
  business_id bigint not null,
  live        boolean not null,
  journal_id  bigint not null
);

-- The hash chain of each tenant: hash = SHA-256(hash of seq - 1 || the transfer and its cause).
create table ledger_seals (
  business_id bigint not null,
  live        boolean not null,
  seq         bigint not null check (seq > 0),
  transfer_id bigint not null,
  hash        bytea not null check (length(hash) = 32),
  sealed_at   timestamptz not null,
  primary key (business_id, live, seq),
  unique (business_id, live, transfer_id)
);

-- Where each chain ends: the row that a sealing process locks, and what shows a cut-off end.
create table ledger_chains (
  business_id bigint not null,
  live        boolean not null,
  seq         bigint not null check (seq >= 0),
  hash        bytea not null check (length(hash) = 32),
  primary key (business_id, live)
);
