-- Step by step, so that the server goes on writing.
alter table transfers validate constraint transfers_origin_check;

drop index concurrently if exists transfers_payouts;
create index concurrently transfers_payouts on transfers
  (business_id, live, created_at desc, id desc) where origin = 'payout';

drop index concurrently if exists business_settings_payouts;
create index concurrently business_settings_payouts on business_settings (payout_at)
  where payout_at is not null;
