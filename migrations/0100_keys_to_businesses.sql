-- Products, checkouts and orders are written in batches. Checking for each row that its business
-- exists took 14 µs, a tenth of the statement, and found nothing: a request's key names the
-- business, and businesses are never deleted. Invoices and transactions have no such key either.
alter table products drop constraint if exists products_business_id_fkey;
alter table checkouts drop constraint if exists checkouts_business_id_fkey;
alter table orders drop constraint if exists orders_business_id_fkey;
