-- The merchant's people: accounts, what each may do in which business, sessions, and a log of what
-- they did. docs/decisions/0049-dashboard.md says why it is built like this.

-- A person stands above businesses: one account may be a member of several.
create table people (
  id              bigint primary key,
  email           text not null check (email = lower(email)),
  name            text not null,
  -- argon2id, in its own text form.
  password_hash   text not null,
  -- Of the authenticator app, sealed with the server's key; null without two-factor.
  totp_secret     bytea,
  -- The last time step that was used: no code works twice.
  totp_step       bigint,
  -- SHA-256 of each recovery code that is left.
  recovery_hashes bytea[] not null default '{}',
  created_at      timestamptz not null,
  updated_at      timestamptz not null
);
create unique index people_email on people (email);

create table passkeys (
  -- As the browser names it.
  credential_id text primary key,
  person_id     bigint not null references people (id),
  public_key    bytea not null,
  counter       bigint not null,
  transports    text[] not null default '{}',
  name          text not null,
  last_used_at  timestamptz,
  created_at    timestamptz not null
);
create index passkeys_person on passkeys (person_id);

create table members (
  business_id bigint not null references businesses (id),
  person_id   bigint not null references people (id),
  role        text not null
    check (role in ('owner', 'admin', 'developer', 'finance', 'support', 'viewer')),
  created_at  timestamptz not null,
  primary key (business_id, person_id)
);
create index members_person on members (person_id);

-- Links that work once: the owner's first, invitations, forgotten passwords. Only hashes are kept.
create table person_links (
  hash        bytea primary key,
  kind        text not null check (kind in ('owner', 'invitation', 'password')),
  business_id bigint references businesses (id),
  role        text,
  email       text,
  person_id   bigint references people (id),
  invited_by  bigint references people (id),
  expires_at  timestamptz not null,
  used_at     timestamptz,
  created_at  timestamptz not null
);
create index person_links_business on person_links (business_id, created_at desc);

create table sessions (
  -- SHA-256 of what the cookie holds.
  hash            bytea primary key,
  id              bigint not null unique,
  person_id       bigint not null references people (id),
  -- Sent back with all that changes something.
  csrf            text not null,
  ip              text not null,
  user_agent      text,
  -- When the password was last given, for what needs it again.
  proven_at       timestamptz not null,
  last_seen_at    timestamptz not null,
  -- Twelve hours after it began; idle ones end before, by last_seen_at.
  expires_at      timestamptz not null,
  created_at      timestamptz not null
);
create index sessions_person on sessions (person_id, created_at desc);

-- What people and keys did, chained by hash per business; never changed (src/db/migrate.ts).
create table audit_log (
  business_id bigint not null,
  -- 1, 2, 3 … without gaps.
  seq         bigint not null check (seq > 0),
  live        boolean,
  at          timestamptz not null,
  person_id   bigint,
  person_name text not null,
  ip          text,
  request_id  text,
  -- `transfer.approve`, `member.invite`: the operation, or what happened.
  action      text not null,
  -- What it was done to, as the API refers to it.
  object      text,
  detail      text not null,
  hash        bytea not null check (length(hash) = 32),
  primary key (business_id, seq)
);
-- Where each chain ends: the row that whoever writes to it locks.
create table audit_chains (
  business_id bigint primary key,
  seq         bigint not null,
  hash        bytea not null check (length(hash) = 32)
);

-- Who made or approved what needs a second person; null where a key did.
alter table transfers
  add column created_by  bigint,
  add column approved_by bigint;
