-- Digests of events, and of rows that nobody may change past the server. They are sealed into a
-- chain of hashes, and stay there when what they are of is deleted.

-- Random, and deleted with the event: nobody can guess personal data from the digest alone.
-- Null for events that were written before digests.
alter table events add column salt text;

-- What is not personal of an event that was deleted, so that its number is not missing.
create table forgotten_events (
  business_id bigint not null,
  live        boolean not null,
  id          bigint not null,
  object_type text not null,
  object_id   bigint not null,
  sequence    bigint not null,
  primary key (business_id, live, id)
);

-- One row each time a watched row is written: a transfer's account, a member's role.
-- The digest covers the salt and the columns that are watched; src/ledger/watched.ts.
create table row_notes (
  business_id bigint not null,
  live        boolean not null,
  kind        text not null,
  subject_id  bigint not null,
  -- 1, 2, 3 … for each subject.
  number      bigint not null check (number > 0),
  id          bigint not null,
  salt        text not null,
  primary key (business_id, live, kind, subject_id, number)
);

-- The kinds whose rows from before digests have been noted.
create table row_notes_begun (
  kind     text primary key,
  begun_at timestamptz not null
);

-- Digests that the chain has yet to take in: one row for each statement that wrote some. Without an
-- index, so that it costs the hot path next to nothing.
create table digests_unsealed (
  business_id bigint not null,
  live        boolean not null,
  kind        text not null check (kind in ('event', 'forgotten', 'row')),
  ids         bigint[] not null,
  digests     bytea[] not null
);

-- The chain of each tenant: hash = SHA-256(hash of seq - 1 || ids, digests and time).
create table digest_seals (
  business_id bigint not null,
  live        boolean not null,
  seq         bigint not null check (seq > 0),
  kind        text not null,
  ids         bigint[] not null,
  digests     bytea[] not null,
  hash        bytea not null check (length(hash) = 32),
  sealed_at   timestamptz not null,
  primary key (business_id, live, seq)
);

-- Where each chain ends.
create table digest_chains (
  business_id bigint not null,
  live        boolean not null,
  seq         bigint not null check (seq >= 0),
  hash        bytea not null check (length(hash) = 32),
  primary key (business_id, live)
);

-- 1 for seals whose hash leaves out sealed_at.
alter table ledger_seals add column version smallint not null default 1;

-- Money that was put into a test wallet by hand: what the journals of it refer to.
create table simulated_fundings (
  business_id  bigint not null references businesses (id),
  live         boolean not null check (not live),
  id           bigint not null,
  reference    text not null,
  amount_minor bigint not null check (amount_minor > 0),
  currency     text not null,
  created_at   timestamptz not null,
  primary key (business_id, live, id)
);
