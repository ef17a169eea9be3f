-- When a delivery would be due if it had not been brought forward because its endpoint worked again.
-- An attempt before that time does not count as one of the schedule.
alter table webhook_deliveries add column planned_at timestamptz;
