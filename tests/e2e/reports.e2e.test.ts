import { beforeAll, expect, test } from 'vitest';
import { admin, eventually, type Json, newStore, request, runAdmin } from './platform.ts';

// `tests/reports` checks the counts over histories of months. These tests check that requests to the API are counted.

let store: Awaited<ReturnType<typeof newStore>>;
let sandboxUrl: string;
beforeAll(async () => {
  store = await newStore();
  sandboxUrl = (await admin(['channel', 'connect', '--store', store.id, '--provider', 'sandbox'])).sandbox_url;
});

const call = async (method: string, path: string, body?: unknown): Promise<Json> => {
  const answer = await request(method, path, { key: store.key, body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
};
const summary = (): Promise<Json> => call('GET', '/reports/summary');
const leadReport = (id: string): Promise<Json> => call('GET', `/reports/leads?lead_id=${id}`);

async function write(phone: string, text: string): Promise<void> {
  const body = JSON.stringify({ customer_phone: phone, name: 'Bia', text });
  const headers = { 'content-type': 'application/json' };
  expect((await fetch(`${sandboxUrl}/messages`, { method: 'POST', headers, body })).status).toBeLessThan(300);
}

test("the store's report counts every action and is the sum of its leads' reports and of appointments without a lead", async () => {
  const { id: seller_id } = await call('POST', '/sellers', { name: 'Ana', whatsapp_id: '5511977770000' });
  const asked = await call('POST', '/leads', { name: 'Bia', customer_phone: '5511977770001', seller_id });
  const quiet = await call('POST', '/leads', { name: 'Caio', customer_phone: '5511977770002' });
  for (const status of ['converted', 'in_progress', 'converted']) {
    await call('PATCH', `/leads/${asked.id}`, { status });
  }
  await call('PATCH', `/leads/${quiet.id}`, { status: 'lost' });

  await write('5511977770001', 'Are you open?');
  await eventually(
    () => call('GET', `/leads/${asked.id}/messages`),
    ({ data }) => data.length === 1,
  );
  expect(await call('POST', `/leads/${asked.id}/messages`, { message: 'Until six.' })).toMatchObject({ sent: true });
  const scheduled_at = new Date(Date.now() + 86_400_000).toISOString();
  const appointment = { title: 'Eye test', scheduled_at };
  await call('POST', '/appointments', { ...appointment, lead_id: quiet.id });
  await call('POST', '/appointments', appointment);
  const followup = await call('POST', '/followups/scheduled', {
    ...{ lead_id: quiet.id, message: 'Still there?', due_at: scheduled_at },
  });
  await call('DELETE', `/followups/scheduled/${followup.id}`);

  const report = await summary();
  expect(report).toMatchObject({
    leads: {
      ...{ created: 2, converted: 1, lost: 1, conversion_rate: 0.5 },
      by_status: { pending: 0, in_progress: 0, converted: 1, lost: 1 },
    },
    conversations: {
      ...{ sessions_started: 1, sessions_ended: 0, messages_inbound: 1, messages_failed: 0 },
      messages_outbound: { ai: 0, seller: 0, api: 1, followup: 0 },
      first_response_seconds: { p50: expect.any(Number), average: expect.any(Number) },
    },
    appointments: { created: 2, without_lead: 1, by_status: { scheduled: 2, done: 0, cancelled: 0, no_show: 0 } },
    followups: { scheduled: 1, sent: 0, failed: 0, cancelled: 1 },
    sellers: [{ seller_id, leads: 1, converted: 1 }],
  });
  const [one, other] = [await leadReport(asked.id), await leadReport(quiet.id)];
  // Only the store's report counts by ad.
  const { by_ad, ...counted } = report.conversations;
  expect(by_ad).toEqual([]);
  expect(one.conversations).toEqual({ ...counted, last_interaction_at: expect.any(String) });
  const by_status = { pending: 0, sending: 0, sent: 0, failed: 0, cancelled: 1 };
  expect(other.followups).toEqual({ ...report.followups, by_status });
  for (const metric of ['created', 'converted', 'lost']) {
    expect(one.leads[metric] + other.leads[metric], metric).toBe(report.leads[metric]);
  }
  expect(one.appointments.created + other.appointments.created + report.appointments.without_lead).toBe(2);
});

test('a rebuild does not change reports, and verify finds no difference', async () => {
  const before = await summary();
  const { services } = await admin(['report', 'rebuild']);
  expect(services.map(({ service }: Json) => service)).toEqual(['crm', 'messaging', 'scheduling']);
  expect(await summary()).toEqual(before);
  expect(await runAdmin(['report', 'verify'])).toMatchObject({
    exitCode: 0,
    out: expect.stringContaining('messaging'),
  });
});
