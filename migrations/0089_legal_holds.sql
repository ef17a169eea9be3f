-- Legal holds: whose records must be kept as they are, for example because a court asked for them.
-- While a business has one, its old records are not deleted.
create table legal_holds (
  business_id bigint not null references businesses (id),
  id          bigint not null,
  -- An email address in lower case; null for the whole business.
  customer    text,
  reason      text not null,
  created_at  timestamptz not null,
  primary key (business_id, id),
  unique nulls not distinct (business_id, customer)
);
