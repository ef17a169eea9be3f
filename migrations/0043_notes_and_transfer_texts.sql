-- What a business writes down about an order for itself: buyers never see it. Notes are only added.
create table order_notes (
  business_id bigint not null,
  live        boolean not null,
  order_id    bigint not null,
  id          bigint not null,
  text        text not null check (char_length(text) between 1 and 2000),
  -- The person who wrote it, by the name of that moment.
  author_id   bigint not null,
  author_name text not null,
  created_at  timestamptz not null,
  primary key (business_id, live, order_id, id),
  foreign key (business_id, live, order_id) references orders (business_id, live, id)
);

-- Transfers from before they could be searched: the sweeper takes them into search_texts.
create table transfer_texts_due (
  business_id bigint not null,
  live        boolean not null,
  id          bigint not null,
  primary key (business_id, live, id)
);
insert into transfer_texts_due select business_id, live, id from transfers;
