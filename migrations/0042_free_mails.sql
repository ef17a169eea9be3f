-- Receipts of orders with nothing to pay, counted for each recipient and hour: whoever fills in a
-- page can have them sent to anybody. The recipient is a hash; old rows are replaced as they recur.
create table free_mails (
  recipient bytea primary key,
  hour      timestamptz not null,
  mails     integer not null
);
