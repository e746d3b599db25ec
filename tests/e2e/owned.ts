import { expect } from 'vitest';
import type { Owned } from './operations.ts';
import { admin, eventually, fileOf, type newStore, request } from './platform.ts';

/** Gives a store one row of each kind, whose texts have the word `Secret`. The lead belongs to a seller. */
export async function ownedRows(store: Awaited<ReturnType<typeof newStore>>): Promise<Owned> {
  const made = async (path: string, body: object) => {
    const answer = await request('POST', path, { key: store.key, body });
    expect(answer.status, answer.text).toBe(201);
    return answer.body.id as string;
  };
  const sellerId = await made('/sellers', { name: 'Rui Secret', whatsapp_id: '5511900000001', bookable: true });
  const phone = '5511900000002';
  const leadId = await made('/leads', { name: 'Ana Secret', customer_phone: phone, seller_id: sellerId });
  const appointmentId = await made('/appointments', {
    title: 'Secret visit',
    scheduled_at: '2027-01-31T09:00:00Z',
    lead_id: leadId,
  });
  const rules = { overlap: 'reject', capacity: 100, horizon_days: 730 };
  const ruled = await request('PUT', '/booking/rules', { key: store.key, body: rules });
  expect(ruled.status, ruled.text).toBe(200);
  const serviceId = await made('/services', { name: 'Secret service', duration_minutes: 30 });
  const holdId = await made('/availability/holds', { start: '2027-02-01T09:00:00Z', service_id: serviceId });
  const followupId = await made('/followups/scheduled', {
    lead_id: leadId,
    message: 'Secret reminder',
    delay_minutes: 1000,
  });
  await admin(['channel', 'connect', '--store', store.id, '--provider', 'sandbox']);
  const endpointId = await made('/webhooks/endpoints', { url: 'https://hooks.example.com/', description: 'Secret' });
  const ofEndpoint = (path: string, body?: object) =>
    request('POST', `/webhooks/endpoints/${endpointId}/${path}`, { key: store.key, body });
  const [delivery, replay] = [await ofEndpoint('test'), await ofEndpoint('replays', { only: 'all' })];
  expect([delivery.status, replay.status]).toEqual([200, 202]);
  const message = await request('POST', `/leads/${leadId}/messages`, { key: store.key, body: { message: 'Secret' } });
  expect(message.status, message.text).toBe(200);
  const sessions = await request('GET', `/leads/${leadId}/sessions`, { key: store.key });
  const agentFile = fileOf('agent.json', { name: 'Secret agent', priority: 1 });
  const { id: agentId } = await admin(['agent', 'create', '--store', store.id, agentFile]);
  const evalId = await made(`/agents/${agentId}/evals`, {
    text: 'Secret question',
    expects: [{ type: 'hands_over' }],
  });
  const documentFile = fileOf('recipe.txt', 'The Secret recipe.');
  const imported = await admin(['document', 'import', '--store', store.id, documentFile]);
  const events = await eventually(
    () => request('GET', `/events?entity_id=${leadId}`, { key: store.key }),
    ({ body }) => body.data.length > 0,
  );
  return {
    sellerId,
    leadId,
    appointmentId,
    agentId,
    evalId,
    documentId: imported.documents[0].id,
    messageId: message.body.id,
    sessionId: sessions.body[0].id,
    followupId,
    eventId: events.body.data[0].id,
    endpointId,
    deliveryId: delivery.body.id,
    replayId: replay.body.id,
    serviceId,
    holdId,
    phone,
  };
}
