-- The language in which the payer of an invoice or a checkout chose a way to pay: mails to them that
-- need no English are written in it. No row: English.
create table payer_languages (
  business_id bigint not null,
  live        boolean not null,
  purpose     text not null,
  purpose_id  bigint not null,
  language    text not null,
  primary key (business_id, live, purpose, purpose_id)
);
