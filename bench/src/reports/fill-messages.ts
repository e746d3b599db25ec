import type postgres from 'postgres';
import { inBulk } from './bulk.ts';

const sessionsALead = 2;
const messagesASession = 5;

/**
 * Creates two sessions of five messages for each lead, alternately from and to the customer, 90 s apart. The customer
 * writes first. A twentieth of the outbound messages failed.
 */
export async function fillMessages(sql: postgres.Sql): Promise<void> {
  const tables = ['messaging.conversations', 'messaging.sessions', 'messaging.messages'];
  await inBulk(sql, tables, async () => {
    await sql`
      insert into messaging.conversations
        (store_id, lead_id, next_number, last_inbound_at, interaction_count, reported_count)
      select store_id, id, ${sessionsALead * messagesASession + 1}, created_at, 10, 10 from bench.leads`;
    await sql`
      create unlogged table bench.sessions as
      select store_id, id as lead_id, n, session, overlay(id::text placing '000' || session from 20)::uuid as id,
        (created_at + (now() - created_at - interval '1 hour')
          * (((n::bigint * 7919 + session * 104729) % 1000) / 1000.0)::float8)::timestamptz(3) as started_at
      from bench.leads, generate_series(1, ${sessionsALead}::int) session
      where created_at < now() - interval '1 hour'`;
    await sql`
      insert into messaging.sessions
        (store_id, id, lead_id, status, started_at, last_message_at, ended_at, end_recorded_at, opened_by_lead,
         first_response_at)
      select store_id, id, lead_id, 'ended', started_at, started_at + interval '6 minutes',
        started_at + interval '30 minutes', started_at + interval '30 minutes', true,
        started_at + interval '92 seconds'
      from bench.sessions`;
    await sql`
      insert into messaging.messages
        (store_id, id, lead_id, session_id, number, direction, source, body, status, created_at, sent_at, counted_at,
         failed_at, error_code, error_detail)
      select store_id, overlay(id::text placing '00' || message from 15)::uuid, lead_id, id,
        (session - 1) * ${messagesASession}::int + message, case when inbound then 'inbound' else 'outbound' end,
        case when inbound then 'lead' else (array['ai', 'seller', 'api', 'followup'])[1 + n % 4] end, 'Good morning!',
        case when inbound then 'received' when failed then 'failed' else 'sent' end, created_at,
        case when not inbound and not failed then created_at + interval '2 seconds' end,
        case when not inbound and not failed then created_at + interval '2 seconds' end,
        case when failed then created_at + interval '2 seconds' end,
        case when failed then 'refused' end, case when failed then 'It was refused.' end
      from bench.sessions, generate_series(1, ${messagesASession}::int) message,
        lateral (select message % 2 = 1 as inbound, started_at + (message - 1) * interval '90 seconds' as created_at) as each,
        lateral (select not inbound and (n / 10 + message) % 20 = 0 as failed) as outcome`;
  });
}
