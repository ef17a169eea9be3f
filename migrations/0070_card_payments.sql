-- Card payments, for which the payer goes to a page of the provider's and comes back.
alter table transactions
  -- The page's URL, as the provider gave it; null for other channels.
  add column pay_url text;

-- The check is not valid for the rows so far, so that nothing is read here. All of them fit it.
alter table simulator_orders
  add column return_url text,
  drop constraint simulator_orders_kind_check,
  add constraint simulator_orders_kind_check
    check (kind in ('USSD', 'BANK_TRANSFER', 'CARD', 'PAYOUT', 'REFUND', 'VEND')) not valid;
