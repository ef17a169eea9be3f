-- Whether anything ever answered 2xx at the URL that an endpoint has now. Until then, one delivery at
-- a time is sent there.
alter table webhooks add column url_proved_at timestamptz;

update webhooks set url_proved_at = last_success_at where last_success_at is not null;
