-- The restores of this database. Events from first_id on are told with higher sequence numbers,
-- because those between may have been told before the restore. Only src/backup writes it.
create table restores (
  first_id       bigint primary key,
  events_skipped bigint not null check (events_skipped > 0),
  restored_to    timestamptz not null,
  restored_at    timestamptz not null
);
