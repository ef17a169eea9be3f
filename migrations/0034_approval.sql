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
  add column doubt text check (doubt in ('limit', 'name')),
  -- Who made it and who approved it. The person of a key is who made the key.
  add column created_with text check (created_with in ('person', 'key', 'partner')),
  add column created_by_name text,
  add column created_by_person bigint,
  add column approved_with text check (approved_with in ('person', 'key', 'partner')),
  add column approved_by_name text,
  add column approved_by_person bigint;
update transfers set doubt = case
    when failure_reason = 'The amount is above the limit that needs approval' then 'limit'
    else 'name' end
  where status = 'Unverified';
