import type postgres from 'postgres';
import type { History, Message } from './history.ts';

const longAgo = new Date('2000-01-01T00:00:00.000Z');
const farAhead = new Date('2100-01-01T00:00:00.000Z');

/** Inserts a history's rows as administrator, because no operation can record facts of the past. */
export async function insertHistory(sql: postgres.Sql, history: History): Promise<void> {
  const { storeId: store_id, sellers, leads } = history;
  const insert = async (table: string, rows: readonly object[]) => {
    const withStore = rows.map((row) => ({ store_id, ...row }));
    if (rows.length > 0) await sql`insert into ${sql(table)} ${sql(withStore)}`;
  };
  await insert(
    'crm.sellers',
    sellers.map((id, n) => ({ id, name: 'Ana', whatsapp_id: `551180000000${n}` })),
  );
  await insert(
    'crm.leads',
    leads.map((lead, n) => ({
      ...{ id: lead.id, name: 'Maria', customer_phone: String(5_511_900_000_000 + n), status: lead.status },
      ...{ seller_id: lead.sellerId, created_at: lead.createdAt },
    })),
  );
  await insert(
    'crm.lead_status_changes',
    history.statusChanges.map(({ leadId, version, from, to, at, sellerId }) => {
      const before = history.statusChanges.filter(
        (other) => other.leadId === leadId && other.to === to && other.version < version,
      );
      return {
        ...{ lead_id: leadId, version, from_status: from, to_status: to, changed_at: at, seller_id: sellerId },
        previous_at: before.at(-1)?.at ?? null,
      };
    }),
  );
  await insert(
    'crm.lead_seller_changes',
    history.sellerChanges.map(({ leadId, version, from, to, at }) => ({
      ...{ lead_id: leadId, version, from_seller: from, to_seller: to, changed_at: at },
    })),
  );
  await insert(
    'messaging.conversations',
    leads.map(({ id }) => ({ lead_id: id })),
  );
  await insert(
    'messaging.sessions',
    history.sessions.map(({ id, leadId, startedAt, endedAt, openedByLead, firstResponseAt }) => ({
      ...{ id, lead_id: leadId, status: endedAt ? 'ended' : 'active', started_at: startedAt },
      // In the future, so that the session is not idle and does not end.
      last_message_at: endedAt ?? farAhead,
      ...{ ended_at: endedAt && longAgo, end_recorded_at: endedAt },
      ...{ opened_by_lead: openedByLead, first_response_at: firstResponseAt },
    })),
  );
  await insert('messaging.messages', history.messages.map(messageRow));
  await insert(
    'scheduling.appointments',
    history.appointments.map(({ id, leadId, status, createdAt }) => ({
      ...{ id, lead_id: leadId, status, created_at: createdAt, updated_at: new Date() },
      ...{ title: 'Eye test', scheduled_at: longAgo, duration_minutes: 30 },
    })),
  );
  await insert(
    'scheduling.services',
    history.services.map((id) => ({
      ...{ id, name: 'Eye test', duration_minutes: 30, seller_ids: '{}', is_active: true },
    })),
  );
  await insert(
    'scheduling.appointment_facts',
    history.appointmentFacts.map(({ what, sellerId, serviceId, at }) => ({
      ...{ metric: `appointments_${what}`, seller_id: sellerId, service_id: serviceId, at },
    })),
  );
  await insert(
    'scheduling.followups',
    history.followups.map(({ id, leadId, status, createdAt, settledAt }) => ({
      ...{ id, lead_id: leadId, status, created_at: createdAt, updated_at: settledAt ?? createdAt },
      ...{ message: 'Still there?', due_at: longAgo, cancel_on_reply: true, cancel_on_appointment: false },
      next_attempt_at: status === 'pending' ? farAhead : null,
      message_id: status === 'sent' ? id : null,
      error_code: status === 'failed' ? 'channel_refused' : null,
      error_detail: status === 'failed' ? 'The channel rejected the message.' : null,
      cancel_reason: status === 'cancelled' ? 'api' : null,
    })),
  );
}

/** The provider's timestamp (`sent_at`) must not count. It is far from the ones that do. */
function messageRow(message: Message) {
  const { id, leadId, sessionId, number, createdAt, direction } = message;
  const row = { id, lead_id: leadId, session_id: sessionId, number, created_at: createdAt, direction, body: 'Hi' };
  const [takenAt, failedAt] = direction === 'inbound' ? [null, null] : [message.takenAt, message.failedAt];
  const priced = message.direction === 'inbound' ? null : message.priced;
  const outboundStatus = failedAt ? 'failed' : takenAt ? 'sent' : 'queued';
  return {
    ...row,
    source: direction === 'inbound' ? 'lead' : message.source,
    status: direction === 'inbound' ? 'received' : outboundStatus,
    sent_at: takenAt && longAgo,
    counted_at: takenAt,
    priced_at: priced?.at ?? null,
    priced_as: priced && `${priced.as}_${priced.category}`,
    failed_at: failedAt,
  };
}
