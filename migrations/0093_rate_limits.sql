-- The tokens that are left to each caller, if the servers share their rate limits. A crash empties
-- the table, as a restart empties the limits that servers keep in memory.
create unlogged table rate_limits (
  -- A hash of the limit's name and of who it applies to, such as an IP address.
  bucket     bytea primary key,
  -- Below zero if several servers granted more at the same time than there was.
  tokens     double precision not null,
  at         timestamptz not null,
  -- From then on, the bucket is full, as if it had never been used.
  kept_until timestamptz not null
-- With room for updates beside the rows, because no index covers what they change.
) with (fillfactor = 50);
