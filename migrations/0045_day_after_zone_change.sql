-- A change of the time zone must not start a new day for the daily approval limit.
alter table business_settings
  -- When the day of the last such change began, in the zone before; null if the zone never changed.
  add column day_began_at timestamptz;
