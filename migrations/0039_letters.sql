-- The letter of each mail as it was sent, or kept here where no mail server is set. Removed after
-- MAIL_DAYS; the mail itself stays.
create table letters (
  business_id bigint not null,
  live        boolean not null,
  -- Of its mail.
  id          bigint not null,
  subject     text not null,
  from_name   text not null,
  reply_to    text,
  -- JSON of [text, html], compressed with Brotli.
  body        bytea not null,
  kept_at     timestamptz not null,
  primary key (business_id, live, id)
);
-- Kept about in this order, so the smallest of indexes finds what is to be removed.
create index letters_kept on letters using brin (kept_at);

-- When its sending ended, by the server's clock: a test clock or a made-up history does not move a
-- mail in the mailbox. Null while it is Queued, and for mails from before. 0044 has its index.
alter table mails add column settled_at timestamptz;
