-- How payers pay where no online channel is connected: JSON text, typed by an owner; null for none.
alter table business_settings add column manual_payment text;
