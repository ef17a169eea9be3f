-- Utility payments in lists: all of them, those of a state or of a category, and those of a customer.

create index utility_payments_created on utility_payments
  (business_id, live, created_at desc, id desc);
-- One index serves each filter and both: a part for each combination, merged.
create index utility_payments_listed on utility_payments
  (business_id, live, status, category, created_at desc, id desc);
-- By how the number or the name of the customer begins, in whatever language the database sorts.
create index utility_payments_customer on utility_payments
  (business_id, live, customer_id text_pattern_ops);
create index utility_payments_name on utility_payments
  (business_id, live, lower(customer_name) text_pattern_ops);
