-- What a message costs, as the provider says it in its status updates. The previous version writes none of it.
alter table status_reports add column pricing jsonb;
alter table messages
  add column pricing jsonb,
  -- When this server recorded that a message with a price was delivered, which decides the day that it counts for, and as
  -- what it counts: `billed_` or `free_` and its category. Both stay, whatever the provider says later.
  add column priced_at timestamptz(3),
  add column priced_as text;
alter table messages
  add constraint messages_priced check ((priced_at is null) = (priced_as is null)) not valid;
grant select (priced_at, priced_as) on messages to messaging_system;

-- A sync must miss no change of the price.
create or replace trigger touch before update on messages for each row
  when (
    (old.lead_id, old.session_id, old.body, old.status, old.error_code, old.error_detail, old.provider_message_id,
      old.sent_at, old.delivered_at, old.read_at, old.reactions, old.edited_at, old.revoked_at, old.body_truncated,
      old.pricing)
    is distinct from
    (new.lead_id, new.session_id, new.body, new.status, new.error_code, new.error_detail, new.provider_message_id,
      new.sent_at, new.delivered_at, new.read_at, new.reactions, new.edited_at, new.revoked_at, new.body_truncated,
      new.pricing))
  execute function touch();

-- As before, with the prices.
create or replace view lead_report_facts with (security_invoker = true) as
  select store_id, lead_id, 'sessions_started' as metric, started_at as at, 1::bigint as amount
  from sessions where not from_history
union all
  select store_id, lead_id, 'sessions_ended', end_recorded_at, 1
  from sessions where end_recorded_at is not null
union all
  select store_id, lead_id, 'messages_inbound', created_at, 1
  from messages where direction = 'inbound' and not from_history
union all
  select store_id, lead_id, 'outbound_' || source, counted_at, 1
  from messages where counted_at is not null
union all
  select store_id, lead_id, 'messages_failed', failed_at, 1
  from messages where failed_at is not null
union all
  select store_id, lead_id, 'response_ms', first_response_at,
    (extract(epoch from first_response_at - started_at) * 1000)::bigint
  from sessions where first_response_at is not null
union all
  select store_id, lead_id, 'response_le_' || width_bucket(
    (extract(epoch from first_response_at - started_at) * 1000)::bigint - 1,
    array[
      1000, 2000, 3000, 5000, 7000, 10000, 15000, 20000, 30000, 45000, 60000, 90000, 120000, 180000, 300000, 450000,
      600000, 900000, 1200000, 1800000, 2700000, 3600000, 5400000, 7200000, 10800000, 14400000, 21600000, 43200000,
      86400000, 172800000, 604800000]::bigint[]), first_response_at, 1
  from sessions where first_response_at is not null
union all
  select store_id, lead_id, priced_as || '_' || source, priced_at, 1
  from messages where priced_at is not null;
