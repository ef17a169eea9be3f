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
create index invoices_due on invoices (business_id, live, due_date)
  where due_date is not null and status in ('Sent', 'PartiallyPaid');
