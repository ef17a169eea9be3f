-- What signing in needs beside migrations/0021_people.sql: tries that are counted for addresses that
-- nobody has too, a second factor that is being set up, and what passkeys are asked.

-- Failures are no business of the account: counting those of unknown addresses in the same way keeps
-- it untold which of them exist.
alter table people
  -- Of an app that has not shown a code yet; sealed as totp_secret is.
  add column totp_pending bytea;

create table sign_in_tries (
  -- SHA-256 of the address.
  address_hash bytea primary key,
  -- One after the other; each is counted before it is looked at.
  failures     integer not null,
  -- Until when none is looked at.
  locked_until timestamptz,
  last_at      timestamptz not null
);
create index sign_in_tries_age on sign_in_tries (last_at);

-- What a passkey was asked to sign; each answer is taken once.
create table passkey_challenges (
  hash       bytea primary key,
  -- Who adds one; null where somebody signs in.
  person_id  bigint references people (id),
  expires_at timestamptz not null
);
create index passkey_challenges_age on passkey_challenges (expires_at);

create index sessions_age on sessions (expires_at);
create index person_links_person on person_links (person_id) where person_id is not null;
create index person_links_age on person_links (expires_at);
create index audit_log_time on audit_log (business_id, at);

-- Seals what people have that must be read again: secrets of apps, and links in mails.
insert into server_secrets (name, value)
select 'people',
  decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex');
