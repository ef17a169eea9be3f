-- Names and e-mail addresses of who pays, for searching: as for invoices.
-- docs/decisions/0022-finding-invoices.md says why it is built like this.

create table transaction_texts (
  business_id bigint not null,
  live        boolean not null,
  id          bigint not null,
  created_at  timestamptz not null,
  text        text not null,
  pieces      integer[] not null,
  primary key (business_id, live, id)
);
create index transaction_texts_pieces on transaction_texts using gin (pieces);

-- Transactions whose text is not in it yet. A queue without an index, looked through as well.
create table transaction_texts_due (
  business_id bigint not null,
  live        boolean not null,
  id          bigint not null
);
insert into transaction_texts_due (business_id, live, id)
select business_id, live, id from transactions
where customer_email is not null or customer_name is not null;
