-- Money that leaves needs a second person above a limit, for each transfer and for each day.

alter table business_settings
  add column daily_approval_above_minor bigint check (daily_approval_above_minor > 0),
  -- Since when the limits do not count, as fewer than two people can approve.
  add column approval_suspended_at timestamptz,
  -- A change that raises a limit or switches one off waits for a second person; null for none.
  add column approval_wanted_at timestamptz,
  add column approval_wanted_by bigint,
  add column approval_wanted_name text,
  -- As they would be then; null: none.
  add column approval_wanted_transfer_minor bigint,
  add column approval_wanted_daily_minor bigint;

-- Who made it at the dashboard; null for keys from before, and for those of the operator.
alter table api_keys add column created_by bigint;

alter table transfers
  -- Why somebody has to look at it: it is above a limit, or its account has another name.
  add column doubt text,
  -- Who made it and who approved it. The person of a key is who made the key.
  add column created_with text,
  add column created_by_name text,
  add column created_by_person bigint,
  add column approved_with text,
  add column approved_by_name text,
  add column approved_by_person bigint,
  -- 0044 validates them: here, the table would be read under a lock that stops everybody.
  add constraint transfers_doubt_check check (doubt in ('limit', 'name')) not valid,
  add constraint transfers_created_with_check
    check (created_with in ('person', 'key', 'partner')) not valid,
  add constraint transfers_approved_with_check
    check (approved_with in ('person', 'key', 'partner')) not valid;
