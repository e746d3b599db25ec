import postgres from 'postgres';

/** A conversation that was just written, and the new time of each of its messages. */
export type Written = { readonly leadId: string; readonly moments: readonly Date[]; readonly unread: number };

/**
 * Moves what was just made into the past month. The platform has no request for that, so this writes into the database
 * of the pictures, which is thrown away.
 */
export async function backdate(databaseUrl: string, storeId: string, written: readonly Written[]): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    // No trigger may note the moment of the change.
    await sql`set session_replication_role = replica`;
    await moveLeads(sql, storeId);
    await moveMessages(sql, storeId, written);
    await sql`
      update scheduling.appointments
      set created_at = least(created_at, scheduled_at) - (abs(hashtext(id::text)) % 27 + 1) * interval '23 hours'
      where store_id = ${storeId}`;
    await sql`
      update events.webhook_endpoints set url = regexp_replace(url, '^https?://[^/]+', 'https://loja.aurora.example')
      where store_id = ${storeId}`;
    // The log of a day on which something happens every few minutes.
    await sql`
      update events.events as event
      set created_at = greatest(now() - interval '20 hours', now() - (feed.last_sequence - event.sequence) * interval '95 seconds')
      from events.feeds as feed where feed.store_id = ${storeId} and event.store_id = feed.store_id`;
  } finally {
    await sql.end();
  }
}

/** Leads without a conversation came in the past month, more and more of them. */
async function moveLeads(sql: postgres.Sql, storeId: string): Promise<void> {
  await sql`
    with moved as (
      update crm.leads
      set created_at = now() - power((abs(hashtext(id::text)) % 1000) / 1000.0, 1.3) * interval '29 days',
        updated_at = now() - power((abs(hashtext(id::text)) % 1000) / 1000.0, 1.3) * interval '29 days'
      where store_id = ${storeId} returning id, created_at)
    , status as (
      update crm.lead_status_changes set changed_at = moved.created_at
      from moved where store_id = ${storeId} and lead_id = moved.id)
    update crm.lead_seller_changes set changed_at = moved.created_at
    from moved where store_id = ${storeId} and lead_id = moved.id`;
}

async function moveMessages(sql: postgres.Sql, storeId: string, written: readonly Written[]): Promise<void> {
  for (const { leadId, moments, unread } of written) {
    const ofLead = sql`store_id = ${storeId} and lead_id = ${leadId}`;
    const [first, last] = [moments[0] as Date, moments.at(-1) as Date];
    await sql`
      update messaging.messages set
        created_at = given.at, updated_at = given.at, counted_at = case when counted_at is not null then given.at end,
        status = case when status = 'sent' then 'read' else status end,
        sent_at = case when sent_at is not null then given.at + interval '1 second' end,
        delivered_at = case when sent_at is not null then given.at + interval '2 seconds' end,
        read_at = case when sent_at is not null then given.at + interval '40 seconds' end,
        failed_at = case when failed_at is not null then given.at + interval '2 seconds' end
      from (
        select n, at from unnest(${sql.array(moments.map((at) => at.toISOString()))}::timestamptz[])
          with ordinality as each (at, n)) as given
      where ${ofLead} and number = given.n`;
    await sql`
      update messaging.sessions set started_at = ${first}, last_message_at = ${last},
        first_response_at = case when first_response_at is not null then (
          select min(created_at) from messaging.messages where ${ofLead} and direction = 'outbound') end
      where ${ofLead}`;
    await sql`
      update messaging.sessions set status = 'ended', ended_at = ${last}::timestamptz + interval '24 hours',
        end_recorded_at = ${last}::timestamptz + interval '24 hours'
      where ${ofLead} and status = 'active' and last_message_at < now() - interval '24 hours'`;
    await sql`
      update messaging.conversations set last_message_at = ${last}, read_number = next_number - 1 - ${unread}::int,
        unread_count = ${unread},
        waiting_since = (
          select created_at from messaging.messages where ${ofLead} and direction = 'inbound' and number > coalesce((
            select max(number) from messaging.messages where ${ofLead} and direction = 'outbound'), 0)
          order by number limit 1),
        last_inbound_at = (
          select max(created_at) from messaging.messages where ${ofLead} and direction = 'inbound')
      where ${ofLead}`;
    await sql`
      update crm.leads set created_at = ${first}, updated_at = ${last}
      where store_id = ${storeId} and id = ${leadId}`;
    for (const table of ['lead_status_changes', 'lead_seller_changes'])
      await sql`update ${sql(`crm.${table}`)} set changed_at = ${first} where ${ofLead}`;
  }
}
