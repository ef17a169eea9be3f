-- The backups that were made of this database. Only src/backup writes it.
create table backups (
  name    text primary key,
  target  text not null,
  made_at timestamptz not null,
  bytes   bigint not null check (bytes >= 0)
);

-- After a restore, refunds wait together with the payouts, because some may have been sent since.
alter table provider_settings
  add column refunds_stopped boolean not null default false,
  add constraint provider_settings_refunds
    check (not refunds_stopped or payouts_stopped_at is not null) not valid;
