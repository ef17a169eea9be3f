-- Customers whose personal data a member has asked to erase. Only src/app/erasure writes it.
create table erasures (
  business_id bigint not null references businesses (id),
  id          bigint not null,
  -- In lower case; null once the data has been erased.
  email       text,
  person_id   bigint not null,
  person_name text not null,
  ip          text not null,
  request_id  text not null,
  asked_at    timestamptz not null,
  -- Null once the work has ended.
  due_at      timestamptz,
  -- Why the data could not be erased.
  refused     text,
  primary key (business_id, id),
  check (email is not null or (due_at is null and refused is null))
);
create unique index erasures_customer on erasures (business_id, email) where email is not null;
create index erasures_due on erasures (due_at) where due_at is not null;
