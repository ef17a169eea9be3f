-- A search reads the whole pending list of these indexes. With the usual limit of 4 MB the planner
-- prefers to read the whole table, once for each week, until the next vacuum.
alter index invoice_texts_pieces set (gin_pending_list_limit = 512);
alter index transaction_texts_pieces set (gin_pending_list_limit = 512);
