create table invoices (
  business_id           bigint not null,
  live                  boolean not null,
  id                    bigint not null,
  reference             text not null,
  -- The unguessable part of the hosted page's address; the rest of it names business and id.
  token                 text not null,
  status                text not null check (status in ('Draft', 'Sent', 'PartiallyPaid', 'Paid', 'Void')),
  customer_email        text not null,
  customer_name         text,
  customer_phone        text,
  amount_minor          bigint not null check (amount_minor > 0),
  paid_minor            bigint not null default 0 check (paid_minor >= 0 and paid_minor <= amount_minor),
  currency              char(3) not null,
  note                  text,
  line_items            text,
  due_date              date,
  allow_partial_payment boolean not null,
  metadata              text,
  email_status          text check (email_status in ('Queued', 'Sent', 'Failed', 'Captured')),
  sent_at               timestamptz,
  viewed_at             timestamptz,
  paid_at               timestamptz,
  voided_at             timestamptz,
  reminded_at           timestamptz,
  -- The next step of the schedule of reminders and overdue (src/sales/invoices/reminders.ts), and
  -- when it is to be taken. A step without a time: all are taken, or it is paid or void.
  next_step             smallint,
  next_step_at          timestamptz,
  event_sequence        bigint not null,
  created_at            timestamptz not null,
  updated_at            timestamptz not null,
  primary key (business_id, live, id),
  unique (business_id, live, reference),
  check ((status = 'Paid') = (paid_at is not null)),
  check ((status = 'Void') = (voided_at is not null))
);
create index invoices_created on invoices (business_id, live, created_at desc, id desc);
create index invoices_status on invoices (business_id, live, status, created_at desc, id desc);
create index invoices_next_step on invoices (next_step_at, business_id, live)
  where next_step_at is not null;
-- What the schedule has found overdue. Step 2 is where it does.
create index invoices_overdue on invoices (business_id, live, created_at desc, id desc)
  include (due_date) where next_step > 2 and status in ('Sent', 'PartiallyPaid');

-- Names and e-mail addresses for searching, with the pieces of one to three letters of them as
-- numbers that differ by tenant. Filled off the request path (src/sales/invoices/list.ts).
create table invoice_texts (
  business_id bigint not null,
  live        boolean not null,
  id          bigint not null,
  created_at  timestamptz not null,
  text        text not null,
  pieces      integer[] not null,
  primary key (business_id, live, id)
);
create index invoice_texts_pieces on invoice_texts using gin (pieces);

-- Invoices whose text is new or changed. A queue without an index, so that it costs the creation of
-- an invoice next to nothing; a search looks through it as well.
create table invoice_texts_due (
  business_id bigint not null,
  live        boolean not null,
  id          bigint not null
);
