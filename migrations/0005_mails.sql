-- Mails, each the job that sends it: src/mail/jobs.ts finds what is due. The text is made when it
-- is sent, from what the mail is about as that is then; docs/decisions/0006-mail.md says why.

create table mails (
  business_id  bigint not null,
  live         boolean not null,
  id           bigint not null,
  kind         text not null,
  subject_type text not null,
  subject_id   bigint not null,
  to_address   text not null,
  -- JSON text, for what the subject does not say.
  data         text,
  -- Dropped: there was no reason to send it any more, such as a reminder of what is paid.
  status       text not null default 'Queued'
    check (status in ('Queued', 'Sent', 'Failed', 'Captured', 'Dropped')),
  -- Counted when a process takes it, so that it also tells which taking is the latest.
  attempts     integer not null default 0,
  due_at       timestamptz not null,
  -- A process has it until then, by the server's own clock: a test clock must not end a lease.
  leased_until timestamptz,
  sent_at      timestamptz,
  message_id   text,
  last_error   text,
  created_at   timestamptz not null,
  primary key (business_id, live, id),
  check ((status = 'Sent') = (sent_at is not null))
);
create index mails_due on mails (due_at) where status = 'Queued';
-- Finds what came after the mail of an invoice's creation. That one mail is not in it, so that
-- creating invoices does not pay for it.
create index mails_later on mails (business_id, live, subject_type, subject_id)
  where kind <> 'invoice';
