-- A connection's former URL for notifications, which is accepted until the provider has the new one.
alter table provider_connections
  add column former_notice_token text unique,
  add column former_token_until timestamptz,
  add constraint provider_connections_former
    check ((former_notice_token is null) = (former_token_until is null));
