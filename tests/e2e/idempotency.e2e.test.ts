import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { callOf, keyOperations, type Owned } from './operations.ts';
import { newStore, request } from './platform.ts';
import { expectProblem } from './problem.ts';

let store: Awaited<ReturnType<typeof newStore>>;
const send = (method: string, path: string, options: Parameters<typeof request>[2] = {}) =>
  request(method, path, { key: store.key, ...options });

beforeAll(async () => {
  store = await newStore();
});

let phones = 0;
let lastEndpointId: string | undefined;
/** New rows of every kind that a PUT, PATCH or DELETE takes. */
async function newRows(): Promise<Owned> {
  const made = async (path: string, body: object) => {
    const answer = await send('POST', path, { body });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.headers.get('location')).toMatch(new RegExp(`/v1${path}/${answer.body.id}$`));
    return answer.body.id as string;
  };
  phones += 1;
  const phone = String(5511900002000 + phones);
  const leadId = await made('/leads', { name: 'Ana', customer_phone: phone });
  const sellerId = await made('/sellers', { name: 'Rui', whatsapp_id: '5511900000001' });
  const appointmentId = await made('/appointments', { title: 'Exame', scheduled_at: '2027-01-31T09:00:00Z' });
  const followupId = await made('/followups/scheduled', { lead_id: leadId, message: 'Hello', delay_minutes: 1000 });
  const serviceId = await made('/services', { name: 'Exame', duration_minutes: 30 });
  // A store has at most 50 of them.
  if (lastEndpointId) await send('DELETE', `/webhooks/endpoints/${lastEndpointId}`);
  const endpointId = await made('/webhooks/endpoints', { url: 'https://hooks.example.com/' });
  lastEndpointId = endpointId;
  const none = {
    agentId: '',
    evalId: '',
    documentId: '',
    messageId: '',
    sessionId: '',
    eventId: '',
    deliveryId: '',
    replayId: '',
  };
  return { leadId, sellerId, appointmentId, followupId, endpointId, serviceId, phone, holdId: '', ...none };
}

/** Their examples need an event that the store does not have, or an id of the store's own that only one lead may have. */
const own: Readonly<Record<string, object>> = {
  updateWebhookEndpoint: { description: 'Changed' },
  upsertLead: { name: 'Changed' },
};

const changes = keyOperations
  .filter(({ operation: { http } }) => ['PUT', 'PATCH', 'DELETE'].includes(http.method))
  // Needs a message that stays queued: messaging.e2e.test.ts retries its cancellation.
  .filter(({ name }) => name !== 'cancelMessage')
  // A replay, an agent and an eval have no version.
  .filter(({ name }) => !['cancelWebhookReplay', 'updateAgent', 'updateAgentEval', 'deleteAgentEval'].includes(name))
  // A store has one set of rules, and a hold has no version: booking.int.test.ts tries both.
  .filter(({ name }) => name !== 'putBookingRules' && name !== 'releaseHold');

describe.each(changes)('$name', ({ name, operation }) => {
  const newCall = async () => {
    const { method, path, body } = await callOf(operation, await newRows());
    return (headers: Record<string, string>) => send(method, path, { headers, body: own[name] ?? body });
  };

  test('a retry with its key gets the first answer, although the version or the row is gone by now', async () => {
    const change = await newCall();
    const headers = { 'idempotency-key': randomUUID(), 'if-match': '"v1"' };
    const [first, again] = [await change(headers), await change(headers)];
    expect([first.status, first.headers.get('idempotent-replay')], first.text).toEqual([200, null]);
    expect([again.status, again.headers.get('idempotent-replay')], again.text).toEqual([200, 'true']);
    expect([again.text, again.headers.get('etag')]).toEqual([first.text, first.headers.get('etag')]);
  });

  test('under a stale version it is rejected, and under the current one it is not', async () => {
    const change = await newCall();
    expectProblem(await change({ 'if-match': '"v9"' }), 'version_mismatch');
    expect((await change({ 'if-match': '"v1"' })).status).toBe(200);
  });
});

test('a retry of a cancellation gets its answer, and the same cancellation with another key is rejected', async () => {
  const { appointmentId, followupId } = await newRows();
  const cancel = (method: string, path: string, key: string, body?: object) =>
    send(method, path, { headers: { 'idempotency-key': key }, body });
  const appointment = (key: string) => cancel('PATCH', `/appointments/${appointmentId}`, key, { status: 'cancelled' });
  const followup = (key: string) => cancel('DELETE', `/followups/scheduled/${followupId}`, key);
  for (const ask of [appointment, followup]) {
    const first = await ask('first');
    expect(await ask('first')).toMatchObject({ status: 200, text: first.text });
  }
  expectProblem(await appointment('second'), 'appointment_not_scheduled');
  expectProblem(await followup('second'), 'followup_not_pending');
});

test('one key for a PATCH and a DELETE of one path, and for two rows, identifies different requests', async () => {
  const [one, other] = [await newRows(), await newRows()];
  const headers = { 'idempotency-key': randomUUID() };
  const answers = [
    await send('PATCH', `/sellers/${one.sellerId}`, { headers, body: { name: 'Eva' } }),
    await send('PATCH', `/sellers/${other.sellerId}`, { headers, body: { name: 'Eva' } }),
    await send('DELETE', `/sellers/${one.sellerId}`, { headers }),
  ];
  expect(answers.map(({ status, headers }) => [status, headers.get('idempotent-replay')])).toEqual(
    Array(3).fill([200, null]),
  );
  const reused = await send('PATCH', `/sellers/${other.sellerId}`, { headers, body: { name: 'Lia' } });
  expectProblem(reused, 'idempotency_key_reused');
});
