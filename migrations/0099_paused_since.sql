-- When a connection got its state. Null for older ones; then updated_at says it nearly.
alter table provider_connections add column status_at timestamptz;
update provider_connections set status_at = updated_at where status = 'Paused';
