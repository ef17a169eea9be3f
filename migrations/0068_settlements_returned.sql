-- When the bank returned a payout that it had made.
alter table settlements add column returned_at timestamptz;
