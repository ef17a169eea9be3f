-- Names, numbers and codes for searching, of records that are not created by the hundred: written in
-- the transaction of the record (src/db/text-search.ts). Invoices have a table and a sweeper of their own
-- (docs/decisions/0022-finding-invoices.md); what stands here is docs/decisions/0028-lists.md.
create table search_texts (
  business_id bigint not null,
  live        boolean not null,
  -- Of the record; ids are unique over all kinds.
  id          bigint not null,
  kind        text not null,
  -- Its fields in lower case, a line each.
  text        text not null,
  -- Each run of one to three characters as a number that differs by tenant and kind.
  pieces      integer[] not null,
  primary key (business_id, live, id)
);
-- Without a list of what is still to be taken in, which one request would have to work off for many.
create index search_texts_pieces on search_texts using gin (pieces) with (fastupdate = off);

-- One index serves each filter and any two or three of them: a part for each combination, merged.
create index split_pages_listed on split_pages
  (business_id, live, active, split_type, category, created_at desc, id desc);
