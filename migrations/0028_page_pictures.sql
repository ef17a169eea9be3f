-- Pictures that were sent for payment pages are kept beside those of products, of which they have
-- none: `look_at` says when to see whether any page shows them still.
alter table product_media alter column product_id drop not null;
alter table product_media add column look_at timestamptz;
alter table product_media add check (
  product_id is not null or (variant_id is null and position = 1 and is_primary));
alter table product_media add check (look_at is null or product_id is null);
create index product_media_look on product_media (look_at) where look_at is not null;
-- Which pages show a picture: its address begins with the number of the picture.
create index payment_pages_image on payment_pages (business_id, live, image text_pattern_ops)
  where image is not null;
