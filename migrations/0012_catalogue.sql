-- What is sold: products, their options and variants, stock, discounts, delivery fees, and files.
-- docs/decisions/0030-stock-and-discounts.md and 0031-files.md say why it is built like this.

create table products (
  business_id      bigint not null references businesses (id),
  live             boolean not null,
  id               bigint not null,
  reference        text not null,
  slug             text not null,
  name             text not null,
  description      text,
  price_minor      bigint not null check (price_minor >= 0),
  currency         char(3) not null,
  type             text not null check (type in ('physical', 'digital', 'service')),
  sku              text,
  status           text not null check (status in ('Draft', 'Active', 'Archived')),
  -- What buyers' links to its files allow unless the file says otherwise; null is unlimited.
  link_expiry      integer check (link_expiry > 0),
  link_expiry_unit text check (link_expiry_unit in ('minutes', 'hours', 'days')),
  max_downloads    integer check (max_downloads > 0),
  metadata         text,
  -- Gone for the merchant; what was sold still names it.
  deleted_at       timestamptz,
  event_sequence   bigint not null default 0,
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  primary key (business_id, live, id),
  unique (business_id, live, reference)
);
create unique index products_slug on products (business_id, live, slug) where deleted_at is null;
create index products_created on products (business_id, live, created_at desc, id desc)
  where deleted_at is null;
-- One index serves a filter on status, on type, and on both: a part for each pair, merged.
create index products_listed on products
  (business_id, live, status, type, created_at desc, id desc) where deleted_at is null;

create table product_options (
  business_id bigint not null,
  live        boolean not null,
  id          bigint not null,
  product_id  bigint not null,
  name        text not null,
  position    integer not null,
  primary key (business_id, live, id),
  foreign key (business_id, live, product_id) references products (business_id, live, id)
);
create unique index product_options_name on product_options
  (business_id, live, product_id, lower(name));

create table product_option_values (
  business_id bigint not null,
  live        boolean not null,
  id          bigint not null,
  option_id   bigint not null,
  value       text not null,
  position    integer not null,
  primary key (business_id, live, id),
  foreign key (business_id, live, option_id)
    references product_options (business_id, live, id) on delete cascade
);
create unique index product_option_values_value on product_option_values
  (business_id, live, option_id, lower(value));

create table product_variants (
  business_id bigint not null,
  live        boolean not null,
  id          bigint not null,
  product_id  bigint not null,
  -- Ids of its option values, in the order of the options.
  value_ids   bigint[] not null,
  sku         text,
  -- Null follows the product.
  price_minor bigint check (price_minor >= 0),
  active      boolean not null,
  position    integer not null,
  deleted_at  timestamptz,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  primary key (business_id, live, id),
  foreign key (business_id, live, product_id) references products (business_id, live, id)
);
create unique index product_variants_values on product_variants
  (business_id, live, product_id, value_ids) where deleted_at is null;

-- How much there is of what can be bought: a product without variants, or a variant.
create table stock_items (
  business_id         bigint not null,
  live                boolean not null,
  -- Of the product or of the variant.
  id                  bigint not null,
  product_id          bigint not null,
  -- Without, any number can be sold; `sold` is counted all the same.
  tracked             boolean not null,
  on_hand             bigint not null check (on_hand >= 0),
  reserved            bigint not null default 0 check (reserved >= 0),
  sold                bigint not null default 0 check (sold >= 0),
  low_stock_threshold bigint check (low_stock_threshold >= 0),
  primary key (business_id, live, id),
  foreign key (business_id, live, product_id) references products (business_id, live, id),
  constraint stock_items_available check (not tracked or reserved <= on_hand)
) with (fillfactor = 70);
create index stock_items_product on stock_items (business_id, live, product_id);

-- What is put aside, sold or given back for one cause: a checkout.
create table stock_reservations (
  business_id bigint not null,
  live        boolean not null,
  cause_id    bigint not null,
  item_id     bigint not null,
  product_id  bigint not null,
  quantity    bigint not null check (quantity > 0),
  status      text not null check (status in ('Reserved', 'Sold', 'Released', 'Returned')),
  expires_at  timestamptz not null,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  primary key (business_id, live, cause_id, item_id),
  foreign key (business_id, live, item_id) references stock_items (business_id, live, id)
);
create index stock_reservations_due on stock_reservations (expires_at) where status = 'Reserved';

create table delivery_fees (
  business_id bigint not null,
  live        boolean not null,
  id          bigint not null,
  product_id  bigint not null,
  location    text not null,
  fee_minor   bigint not null check (fee_minor >= 0),
  currency    char(3) not null,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  primary key (business_id, live, id),
  foreign key (business_id, live, product_id) references products (business_id, live, id)
);
create unique index delivery_fees_location on delivery_fees
  (business_id, live, product_id, lower(location));

create table discounts (
  business_id           bigint not null references businesses (id),
  live                  boolean not null,
  id                    bigint not null,
  reference             text not null,
  -- In upper case.
  code                  text not null,
  type                  text not null check (type in ('percentage', 'fixed')),
  -- Basis points of a percentage (1250 is 12.5 %), or minor units.
  value_minor           bigint not null check (value_minor > 0),
  currency              char(3) not null,
  -- Empty for every product.
  product_ids           bigint[] not null default '{}',
  min_spend_minor       bigint check (min_spend_minor >= 0),
  max_discount_minor    bigint check (max_discount_minor > 0),
  starts_at             timestamptz,
  ends_at               timestamptz,
  max_uses              integer check (max_uses > 0),
  max_uses_per_customer integer check (max_uses_per_customer > 0),
  -- Kept uses, and those that are put aside by checkouts under way.
  used_count            integer not null default 0 check (used_count >= 0),
  reserved_count        integer not null default 0 check (reserved_count >= 0),
  status                text not null check (status in ('Active', 'Inactive')),
  event_sequence        bigint not null default 0,
  created_at            timestamptz not null,
  updated_at            timestamptz not null,
  primary key (business_id, live, id),
  unique (business_id, live, reference),
  unique (business_id, live, code),
  check (type <> 'percentage' or value_minor <= 10000),
  constraint discounts_uses check (max_uses is null or used_count + reserved_count <= max_uses)
);
create index discounts_created on discounts (business_id, live, created_at desc, id desc);
create index discounts_products on discounts using gin (product_ids);

-- How often one customer used one code, kept in the statement that counts the use.
create table discount_customers (
  business_id bigint not null,
  live        boolean not null,
  discount_id bigint not null,
  -- The e-mail address in lower case.
  customer    text not null,
  use_count   integer not null check (use_count >= 0),
  primary key (business_id, live, discount_id, customer),
  foreign key (business_id, live, discount_id) references discounts (business_id, live, id)
);

create table discount_uses (
  business_id    bigint not null,
  live           boolean not null,
  cause_id       bigint not null,
  discount_id    bigint not null,
  customer       text,
  discount_minor bigint not null check (discount_minor >= 0),
  status         text not null check (status in ('Reserved', 'Used', 'Released')),
  expires_at     timestamptz not null,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  primary key (business_id, live, cause_id),
  foreign key (business_id, live, discount_id) references discounts (business_id, live, id)
);
create index discount_uses_due on discount_uses (expires_at) where status = 'Reserved';

-- Stored content, each once for a business and mode. The key in the store is never used again, so
-- that what is being removed there cannot be what was just put there.
create table blobs (
  business_id bigint not null references businesses (id),
  live        boolean not null,
  sha256      bytea not null check (length(sha256) = 32),
  storage_key text not null unique,
  bytes       bigint not null check (bytes >= 0),
  created_at  timestamptz not null,
  primary key (business_id, live, sha256)
);
create index blobs_created on blobs (created_at);
-- Keys in the store that no blob has any more, or has not yet: a file half put away is found here.
create table blob_garbage (
  storage_key text primary key,
  due_at      timestamptz not null
);
create index blob_garbage_due on blob_garbage (due_at);

create table product_media (
  business_id      bigint not null,
  live             boolean not null,
  id               bigint not null,
  product_id       bigint not null,
  variant_id       bigint,
  -- As it was sent; then the re-encoded picture and its small copy.
  original_sha256  bytea not null,
  picture_sha256   bytea,
  thumbnail_sha256 bytea,
  status           text not null check (status in ('Processing', 'Ready', 'Failed')),
  content_type     text not null,
  width            integer not null,
  height           integer not null,
  bytes            bigint not null,
  is_primary       boolean not null,
  position         integer not null,
  due_at           timestamptz,
  attempts         integer not null default 0,
  created_at       timestamptz not null,
  primary key (business_id, live, id),
  foreign key (business_id, live, product_id) references products (business_id, live, id),
  foreign key (business_id, live, original_sha256) references blobs (business_id, live, sha256),
  foreign key (business_id, live, picture_sha256) references blobs (business_id, live, sha256),
  foreign key (business_id, live, thumbnail_sha256) references blobs (business_id, live, sha256)
);
create index product_media_product on product_media (business_id, live, product_id, position);
create index product_media_due on product_media (due_at) where due_at is not null;
create index product_media_original on product_media (business_id, live, original_sha256);
create index product_media_picture on product_media (business_id, live, picture_sha256);
create index product_media_thumbnail on product_media (business_id, live, thumbnail_sha256);

create table digital_files (
  business_id      bigint not null,
  live             boolean not null,
  id               bigint not null,
  reference        text not null,
  product_id       bigint not null,
  name             text not null,
  content_type     text not null,
  bytes            bigint not null,
  sha256           bytea not null,
  -- Null follows the product.
  link_expiry      integer check (link_expiry > 0),
  link_expiry_unit text check (link_expiry_unit in ('minutes', 'hours', 'days')),
  max_downloads    integer check (max_downloads > 0),
  -- Null follows the product; else whether its own two limits above count, null in them unlimited.
  has_own_limits   boolean not null default false,
  downloads        bigint not null default 0,
  -- Deleted: off the product; past buyers may still have it. Revoked: nobody has it any more.
  status           text not null check (status in ('Active', 'Deleted', 'Revoked')),
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  primary key (business_id, live, id),
  unique (business_id, live, reference),
  foreign key (business_id, live, product_id) references products (business_id, live, id),
  foreign key (business_id, live, sha256) references blobs (business_id, live, sha256)
);
create index digital_files_product on digital_files (business_id, live, product_id, id);
create index digital_files_blob on digital_files (business_id, live, sha256);

-- One buyer's right to download one file.
create table download_grants (
  business_id    bigint not null,
  live           boolean not null,
  id             bigint not null,
  file_id        bigint not null,
  -- What it was bought with: an order.
  cause_id       bigint not null,
  secret         text not null,
  customer_email text,
  -- Set when it is granted, and never moved.
  expires_at     timestamptz,
  max_downloads  integer check (max_downloads > 0),
  downloads      integer not null default 0 check (downloads >= 0),
  -- When the last counted download began: going on with it is free for a while.
  begun_at       timestamptz,
  revoked_at     timestamptz,
  event_sequence bigint not null default 0,
  created_at     timestamptz not null,
  primary key (business_id, live, id),
  unique (business_id, live, cause_id, file_id),
  foreign key (business_id, live, file_id) references digital_files (business_id, live, id),
  check (max_downloads is null or downloads <= max_downloads)
);
create index download_grants_file on download_grants (business_id, live, file_id);
