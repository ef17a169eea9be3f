-- Payouts from the wallet to the business's own bank account.
alter table business_settings
  add column payout_schedule text not null default 'manual',
  -- When the next payout of the schedule is due.
  add column payout_at       timestamptz,
  add constraint business_settings_payout_schedule
    check (payout_schedule in ('manual', 'daily', 'weekly')),
  add constraint business_settings_payout_at
    check ((payout_schedule = 'manual') = (payout_at is null));

-- payout: to the business's settlement account.
alter table transfers
  add column origin text not null default 'transfer',
  add constraint transfers_origin_check check (origin in ('transfer', 'payout')) not valid;
