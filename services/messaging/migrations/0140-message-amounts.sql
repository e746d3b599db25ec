-- What a message that counts with a price costs, in millionths of the currency of the rate file. Null: no rate was known.
alter table messages add column priced_micros bigint;
grant select (priced_micros) on messages to messaging_system;

-- As before, with the amounts, and how many billed messages had no rate.
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
  select store_id, lead_id, fact.metric, priced_at, fact.amount
  from messages
  cross join lateral (values
    (priced_as || '_' || source, 1::bigint),
    ('amount_' || split_part(priced_as, '_', 2) || '_' || source, priced_micros),
    ('without_rate', case when priced_micros is null and priced_as like 'billed%' then 1::bigint end)
  ) as fact (metric, amount)
  where priced_at is not null and fact.amount > 0;
