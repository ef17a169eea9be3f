-- Up to when each connection's disputes have been listed; listed_at is when that was last tried.
-- Null for lists from before: whether they were complete is not known.
alter table dispute_lists add column listed_until timestamptz;
