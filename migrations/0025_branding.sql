-- How a business shows itself to payers; docs/decisions/0052-branding.md says why it is of both modes.
-- A business without a row looks as all did before: its own name, and no colour but that of the pages.

create table business_branding (
  business_id   bigint primary key references businesses (id),
  -- Content is of a mode: the logo, which both show, is kept with that of live mode.
  live          boolean not null default true check (live),
  -- In place of what the business itself is called, and of where it is reached.
  shown_name    text,
  support_email text,
  support_phone text,
  website       text,
  -- For papers, in lines.
  address       text,
  accent_color  text check (accent_color ~ '^#[0-9a-f]{6}$'),
  -- What the addresses of its logos begin with: nobody finds a business by counting.
  logo_key      text not null,
  logo_sha256   bytea,
  logo_type     text check (logo_type in ('image/png', 'image/jpeg')),
  logo_width    integer,
  logo_height   integer,
  logo_bytes    bigint,
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  foreign key (business_id, live, logo_sha256) references blobs (business_id, live, sha256),
  check (num_nulls(logo_sha256, logo_type, logo_width, logo_height, logo_bytes) in (0, 5))
);
create unique index business_branding_logo on business_branding (logo_key);
create index business_branding_content on business_branding (business_id, live, logo_sha256);
