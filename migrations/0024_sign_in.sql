-- Signing in so that strangers keep nobody waiting, a second factor that a business may want of its
-- people, and operations of people that are noted before they are done.

-- Browsers in which somebody signed in before: their tries are counted by themselves. What is in
-- sign_in_tries.address_hash names, from here on, whatever tries are counted for: an address with
-- the network that asks, an address alone, such a browser, or a session.
create table known_browsers (
  -- SHA-256 of its part of the cookie, which is of one person.
  hash       bytea primary key,
  person_id  bigint not null references people (id),
  -- Which session came with it, ended or not; null after a password that was reset.
  session_id bigint,
  expires_at timestamptz not null,
  created_at timestamptz not null
);
create index known_browsers_person on known_browsers (person_id, created_at desc);
create index known_browsers_age on known_browsers (expires_at);

alter table businesses
  -- Its people need a second factor for everything of the business.
  add column requires_two_factor boolean not null default false;

alter table sessions
  -- The passkey that it began with, or that was added in it; it counts as long as it is there.
  add column passkey_id text;

-- What people asked for and was not answered yet; moved to the audit log with the answer.
create table audit_asked (
  business_id bigint not null,
  id          bigint not null,
  live        boolean not null,
  at          timestamptz not null,
  person_id   bigint not null,
  person_name text not null,
  ip          text not null,
  request_id  text not null,
  action      text not null,
  -- What the address names.
  object      text,
  primary key (business_id, id)
);
create index audit_asked_age on audit_asked (at);
