-- What was sent back is told to the payer who looks, every second while the page is open.
create index deposits_sent_back on deposits (business_id, live, virtual_account_id)
  where status = 'Rejected';
