-- Invoice numbers without gaps: src/sales/invoices/create.ts takes them in the statement that
-- writes the invoices, so that what is not written takes none. The reason is in
-- docs/decisions/0060-invoice-numbers.md.
create table invoice_series (
  business_id bigint not null,
  live        boolean not null,
  prefix      text not null default 'INV-',
  next_number bigint not null check (next_number between 1 and 1000000000000),
  primary key (business_id, live)
);

-- Until now the number was the id. A business that has invoices goes on after its highest number.
insert into invoice_series (business_id, live, next_number)
select business_id, live, max(id) + 1 from invoices group by business_id, live;

-- Null for an invoice whose number is its id, with the prefix INV-. 0044 has its unique index.
alter table invoices add column number bigint, add column number_prefix text;
