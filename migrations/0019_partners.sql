-- Partners: who acts for the businesses that let it, with tokens of an hour instead of their keys.
-- docs/decisions/0046-partner-tokens.md says why it is built like this.

-- The operator's: a partner is of no business, and of one mode.
create table partners (
  id         bigint primary key,
  client_id  text not null unique,
  name       text not null,
  live       boolean not null,
  -- Null for everything that a partner may. Whoever could make keys would keep what it was lent.
  scopes     text[] check (not scopes && array['keys:read', 'keys:write']),
  revoked_at timestamptz,
  created_at timestamptz not null,
  -- So that a grant is of the mode of its partner.
  unique (id, live)
);

create table partner_secrets (
  id         bigint primary key,
  partner_id bigint not null references partners (id),
  hash       bytea not null unique,
  -- After a rotation: until when it is exchanged for tokens. Null for the one that is current.
  ends_at    timestamptz,
  -- It leaked: the tokens that it got end with it.
  revoked_at timestamptz,
  created_at timestamptz not null
);
create unique index partner_secrets_current on partner_secrets (partner_id) where ends_at is null;

create table partner_tokens (
  hash       bytea primary key,
  secret_id  bigint not null references partner_secrets (id),
  -- Null for what the partner may.
  scopes     text[],
  -- By the server's clock.
  expires_at timestamptz not null,
  created_at timestamptz not null
);
create index partner_tokens_expires on partner_tokens (expires_at);

-- What a business lets a partner do; granting again after a revocation is the same row.
create table partner_grants (
  business_id  bigint not null references businesses (id),
  live         boolean not null,
  id           bigint not null,
  reference    text not null,
  partner_id   bigint not null,
  -- Null for everything that the partner may.
  scopes       text[] check (not scopes && array['keys:read', 'keys:write']),
  last_used_at timestamptz,
  revoked_at   timestamptz,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  primary key (business_id, live, id),
  unique (business_id, live, partner_id),
  unique (business_id, live, reference),
  foreign key (partner_id, live) references partners (id, live)
);
create index partner_grants_partner on partner_grants (partner_id);
