-- A checkout's order adds dozens of entries to this index, one by one, which took three quarters of the
-- statement's time. From the pending list, the entries of hundreds of records are added together. The
-- limit keeps the list short, for the request that adds them and for searches, which read all of it.
alter index search_texts_pieces set (fastupdate = on, gin_pending_list_limit = 512);
