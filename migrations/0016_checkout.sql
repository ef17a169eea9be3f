-- Payment pages, checkouts and orders. docs/decisions/0040-checkout.md says why it is built like
-- this.

create table payment_pages (
  business_id          bigint not null references businesses (id),
  live                 boolean not null,
  id                   bigint not null,
  reference            text not null,
  title                text not null,
  description          text,
  status               text not null check (status in ('Published', 'Unpublished')),
  -- Unique on the server: page_links has it.
  custom_link          text not null,
  amount_type          text not null check (amount_type in ('fixed', 'variable', 'minimum')),
  -- The amount, the least amount, or null where the payer is free.
  amount_minor         bigint check (amount_minor > 0),
  currency             char(3) not null,
  suggested_minor      bigint[] not null default '{}',
  image                text,
  -- '#0b7a4b'
  color                text,
  -- JSON text: [{label, name, type, required, options}].
  custom_fields        text not null default '[]',
  collect_phone        boolean not null default false,
  collect_address      boolean not null default false,
  allow_discount_codes boolean not null default true,
  max_payments         integer check (max_payments > 0),
  expires_at           timestamptz,
  redirect_url         text,
  success_message      text,
  split_page_id        bigint,
  -- Null follows the business.
  fee_bearer           text check (fee_bearer in ('business', 'customer', 'subaccounts')),
  -- Empty for all there are.
  channels             text[] not null default '{}',
  metadata             text,
  -- Its link is 410 from then on, and is never given to another page.
  deleted_at           timestamptz,
  event_sequence       bigint not null default 0,
  created_at           timestamptz not null,
  updated_at           timestamptz not null,
  primary key (business_id, live, id),
  unique (business_id, live, reference)
);
create index payment_pages_created on payment_pages
  (business_id, live, created_at desc, id desc) where deleted_at is null;
create index payment_pages_listed on payment_pages
  (business_id, live, status, created_at desc, id desc) where deleted_at is null;

create table payment_page_products (
  business_id bigint not null,
  live        boolean not null,
  page_id     bigint not null,
  product_id  bigint not null,
  position    integer not null,
  primary key (business_id, live, page_id, product_id),
  foreign key (business_id, live, page_id) references payment_pages (business_id, live, id),
  foreign key (business_id, live, product_id) references products (business_id, live, id)
);
create index payment_page_products_product on payment_page_products
  (business_id, live, product_id);

-- What happens on a page, apart from its wide row.
create table payment_page_counts (
  business_id    bigint not null,
  live           boolean not null,
  page_id        bigint not null,
  views          bigint not null default 0,
  checkouts      bigint not null default 0,
  -- Checkouts that are open: with the payments they are held against max_payments.
  open_checkouts bigint not null default 0 check (open_checkouts >= 0),
  payments       bigint not null default 0,
  amount_minor   bigint not null default 0,
  primary key (business_id, live, page_id),
  foreign key (business_id, live, page_id) references payment_pages (business_id, live, id)
) with (fillfactor = 70);

create table checkouts (
  business_id    bigint not null references businesses (id),
  live           boolean not null,
  id             bigint not null,
  reference      text not null,
  -- The end of its access code, which is what opens its page.
  secret         text not null,
  status         text not null check (status in ('Open', 'Paid', 'Expired', 'Cancelled')),
  page_id        bigint,
  order_id       bigint,
  -- The attempt at paying that stands for it: the newest, and once there is one, the successful.
  transaction_id bigint,
  split_page_id  bigint,
  subaccount_id  bigint,
  -- To be paid, before a fee on top. 0 is Paid from the start, and has no transaction.
  amount_minor   bigint not null check (amount_minor >= 0),
  currency       char(3) not null,
  fee_bearer     text check (fee_bearer in ('business', 'customer', 'subaccounts')),
  channels       text[] not null,
  customer_email text not null,
  customer_name  text,
  customer_phone text,
  callback_url   text,
  -- What the payer answered to the page's own fields, as JSON text: [{label, name, value}].
  answers        text not null default '[]',
  metadata       text,
  expires_at     timestamptz not null,
  paid_at        timestamptz,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  primary key (business_id, live, id),
  constraint checkouts_reference unique (business_id, live, reference)
);
create index checkouts_due on checkouts (expires_at) where status = 'Open';

create table orders (
  business_id        bigint not null references businesses (id),
  live               boolean not null,
  id                 bigint not null,
  reference          text not null,
  status             text not null check (status in ('Pending', 'Paid', 'Cancelled', 'Refunded')),
  checkout_id        bigint not null,
  page_id            bigint,
  transaction_id     bigint,
  customer_email     text not null,
  customer_name      text,
  customer_phone     text,
  subtotal_minor     bigint not null check (subtotal_minor >= 0),
  discount_id        bigint,
  discount_code      text,
  discount_minor     bigint not null default 0 check (discount_minor between 0 and subtotal_minor),
  delivery_fee_minor bigint not null default 0 check (delivery_fee_minor >= 0),
  amount_minor       bigint not null check (amount_minor >= 0),
  currency           char(3) not null,
  delivery_location  text,
  delivery_address   text,
  event_sequence     bigint not null default 0,
  paid_at            timestamptz,
  created_at         timestamptz not null,
  updated_at         timestamptz not null,
  primary key (business_id, live, id),
  unique (business_id, live, reference),
  unique (business_id, live, checkout_id),
  check (amount_minor = subtotal_minor - discount_minor + delivery_fee_minor)
);
create index orders_created on orders (business_id, live, created_at desc, id desc);
create index orders_listed on orders (business_id, live, status, created_at desc, id desc);

create table order_lines (
  business_id      bigint not null,
  live             boolean not null,
  order_id         bigint not null,
  position         integer not null,
  product_id       bigint not null,
  variant_id       bigint,
  -- As it was called and cost then.
  name             text not null,
  quantity         bigint not null check (quantity > 0),
  unit_price_minor bigint not null check (unit_price_minor >= 0),
  amount_minor     bigint not null check (amount_minor >= 0),
  primary key (business_id, live, order_id, position),
  foreign key (business_id, live, order_id) references orders (business_id, live, id)
);

-- What a payer is led back to the merchant with is signed with this.
alter table business_settings add column redirect_secret text;
update business_settings
set redirect_secret = 'rsec_' || replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
alter table business_settings
  alter column redirect_secret set not null,
  alter column redirect_secret
    set default 'rsec_' || replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
