-- What a report reads of leads that changed into a status more than once stands in the index itself.
drop index lead_status_changes_again;
create index lead_status_changes_again on lead_status_changes (store_id, changed_at)
  include (previous_at, to_status, seller_id) where previous_at is not null;
