-- Step by step, because the table is large. Finds the values to encrypt with another key.

drop index concurrently if exists mails_links;
create index concurrently mails_links on mails (business_id, live, id)
  where link_encrypted is not null;
