-- What a store has been posted and has not processed: looked at before a planned message goes out. Not by customer: array
-- operators are not leakproof, so that row-level security would keep them from the index. As a rule there are few.
create index inbound_payloads_open_by_store on inbound_payloads (store_id, received_at) where processed_at is null;
