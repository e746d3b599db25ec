-- no-transaction
create index concurrently if not exists conversations_opt_out_unreported on conversations (store_id, lead_id)
  where (opted_out_at is not null or opt_out_version > 0) and reported_opt_out_version is distinct from opt_out_version;
