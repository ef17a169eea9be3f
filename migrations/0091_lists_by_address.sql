-- A provider's lists belong to an address: that of a double or a proxy can have other banks than the
-- provider itself. What was read before is kept for each address until the jobs have read it again.
alter table provider_banks add column base_url text not null default '';
alter table provider_banks drop constraint provider_banks_pkey;
insert into provider_banks
  (provider, environment, base_url, code, provider_bank_id, name, nip_code, bank_code, is_active,
   seen_at)
select b.provider, b.environment, c.base_url, b.code, b.provider_bank_id, b.name, b.nip_code,
  b.bank_code, b.is_active, '2000-01-01Z'
from provider_banks b
join (select distinct provider, environment, base_url from provider_connections) c
  using (provider, environment);
delete from provider_banks where seen_at > '2000-01-01Z';
alter table provider_banks alter column base_url drop default;
alter table provider_banks add primary key (provider, environment, base_url, code);

alter table provider_items add column base_url text not null default '';
alter table provider_items drop constraint provider_items_pkey;
insert into provider_items
  (provider, environment, base_url, biller_code, item_code, biller_name, name, category,
   amount_minor, fee_minor, package_slug, is_active, seen_at)
select i.provider, i.environment, c.base_url, i.biller_code, i.item_code, i.biller_name, i.name,
  i.category, i.amount_minor, i.fee_minor, i.package_slug, i.is_active, '2000-01-01Z'
from provider_items i
join (select distinct provider, environment, base_url from provider_connections) c
  using (provider, environment);
delete from provider_items where seen_at > '2000-01-01Z';
alter table provider_items alter column base_url drop default;
alter table provider_items add primary key (provider, environment, base_url, biller_code, item_code);
