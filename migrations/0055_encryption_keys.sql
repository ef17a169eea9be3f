-- Secrets that the server has to read again are encrypted with keys in this table, which are
-- themselves encrypted with a key outside the database. docs/design/encryption.md describes it.

create table encryption_keys (
  id          integer primary key,
  purpose     text not null check (purpose in ('data', 'search')),
  -- The key, encrypted with the server's key.
  wrapped     bytea not null,
  -- The first 8 bytes of SHA-256 of the server's key that encrypted it.
  wrapped_by  bytea not null check (length(wrapped_by) = 8),
  created_at  timestamptz not null,
  -- Since then, values are still read with it, but no longer written.
  retired_at  timestamptz
);
create unique index encryption_keys_current on encryption_keys (purpose) where retired_at is null;

-- The plain columns have another name, so that a server of the version before fails instead of
-- signing with nothing. A job encrypts their values and empties them.
alter table webhooks rename column secret to secret_plain;
alter table webhooks rename column previous_secret to previous_secret_plain;
alter table webhooks
  add column secret_encrypted bytea,
  add column previous_secret_encrypted bytea,
  alter column secret_plain drop not null,
  drop constraint webhooks_check;
update webhooks set secret_plain = null where status = 'Deleted';
alter table webhooks
  add constraint webhooks_secret_check check (status = 'Deleted'
    or (secret_plain is null) <> (secret_encrypted is null)),
  add constraint webhooks_previous_secret_check check ((previous_until is null)
    = (previous_secret_plain is null and previous_secret_encrypted is null));

alter table business_settings rename column redirect_secret to redirect_secret_plain;
alter table business_settings
  add column redirect_secret_encrypted bytea,
  alter column redirect_secret_plain drop not null,
  alter column redirect_secret_plain drop default;
alter table business_settings add constraint business_settings_redirect_secret_check
  check ((redirect_secret_plain is null) <> (redirect_secret_encrypted is null));

-- Counts the changes of the authenticator app. Its secret is a different value after every
-- encryption, and cannot be compared.
alter table people add column totp_changes integer not null default 0;

-- The token of the link in an email to a person.
alter table mails add column link_encrypted bytea;
