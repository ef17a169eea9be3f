-- What the operator has stopped, a business cannot resume.
alter table provider_settings add column stopped_by_operator boolean not null default false;
update provider_settings set stopped_by_operator = true where payouts_stopped_by = 'The operator';
