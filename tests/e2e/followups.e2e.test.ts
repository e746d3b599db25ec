import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { beforeAll, expect, test } from 'vitest';
import { addresses, admin, daysAhead, eventually, type Json, newStore, request } from './platform.ts';
import { expectProblem } from './problem.ts';

let store: Awaited<ReturnType<typeof newStore>>;
let sandboxUrl: string;

beforeAll(async () => {
  store = await newStore();
  sandboxUrl = (await admin(['channel', 'connect', '--store', store.id, '--provider', 'sandbox'])).sandbox_url;
});

let phones = 5511970000000;
async function newLead(): Promise<{ id: string; phone: string }> {
  const phone = String(++phones);
  const made = await request('POST', '/leads', { key: store.key, body: { name: 'Ana', customer_phone: phone } });
  expect(made.status, made.text).toBe(201);
  return { id: made.body.id, phone };
}

const schedule = (leadId: string, body: object, headers: Record<string, string> = {}) =>
  request('POST', '/followups/scheduled', { key: store.key, body: { lead_id: leadId, ...body }, headers });
async function scheduled(leadId: string, body: object): Promise<Json> {
  const answer = await schedule(leadId, { message: 'Still interested?', ...body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}
const cancel = (id: string, headers: Record<string, string> = {}) =>
  request('DELETE', `/followups/scheduled/${id}`, { key: store.key, headers });
const read = async (id: string): Promise<Json> =>
  (await request('GET', `/followups/scheduled/${id}`, { key: store.key })).body;
const becomes = (id: string, status: string) =>
  eventually(
    () => read(id),
    (followup) => followup.status === status,
  );
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

async function telephone(phone: string): Promise<{ direction: string; text: string; at: string }[]> {
  const answer: Json = await (await fetch(`${sandboxUrl}/messages?customer_phone=${phone}`)).json();
  return answer.messages;
}
const arrived = async (phone: string) => (await telephone(phone)).filter(({ direction }) => direction === 'outbound');

async function write(phone: string, text: string): Promise<void> {
  const body = JSON.stringify({ customer_phone: phone, name: 'Ana', text });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${sandboxUrl}/messages`, { method: 'POST', headers, body });
  expect(answer.status).toBeLessThan(300);
}

test('a follow-up arrives on the telephone once, and not before it is due', async () => {
  const { id: leadId, phone } = await newLead();
  const followup = await scheduled(leadId, { due_at: inSeconds(3), message: 'It is time' });
  expect(followup).toMatchObject({ status: 'pending', lead_id: leadId, message_id: null, cancel_on_reply: true });
  const sent = await becomes(followup.id, 'sent');
  expect(sent).toMatchObject({ message_id: followup.id, next_attempt_at: null, error: null });
  const [message, ...others] = await arrived(phone);
  expect([message?.text, others]).toEqual(['It is time', []]);
  expect(Date.parse(message?.at ?? '')).toBeGreaterThanOrEqual(Date.parse(followup.due_at));
  expectProblem(await cancel(followup.id), 'followup_not_pending');
});

test('a cancelled follow-up never arrives, and a second cancellation gets its status', async () => {
  const { id: leadId, phone } = await newLead();
  // More time than a machine may stand still, or it arrives before the cancellation.
  const followup = await scheduled(leadId, { due_at: inSeconds(10), message: 'Called off' });
  expectProblem(await cancel(followup.id, { 'if-match': '"v9"' }), 'version_mismatch');
  expect(await cancel(followup.id)).toMatchObject({ status: 200, body: { cancelled: true, id: followup.id } });
  expect(expectProblem(await cancel(followup.id), 'followup_not_pending').current_status).toBe('cancelled');
  // Due 1 s later. When this one has arrived, the cancelled one would have arrived too.
  const witness = await scheduled(leadId, { due_at: inSeconds(11), message: 'Witness' });
  await becomes(witness.id, 'sent');
  expect((await arrived(phone)).map(({ text }) => text)).toEqual(['Witness']);
  expect(await read(followup.id)).toMatchObject({ status: 'cancelled', cancel_reason: 'api', next_attempt_at: null });
});

test('a message of the lead cancels its follow-ups, except those with cancel_on_reply false', async () => {
  const { id: leadId, phone } = await newLead();
  const cancelled = await scheduled(leadId, { delay_minutes: 60 });
  const kept = await scheduled(leadId, { delay_minutes: 60, cancel_on_reply: false });
  await write(phone, 'I am here');
  expect(await becomes(cancelled.id, 'cancelled')).toMatchObject({ cancel_reason: 'lead_replied' });
  expect(await read(kept.id)).toMatchObject({ status: 'pending' });
});

test('an opt-out cancels every pending follow-up of the lead, and the list of leads shows it', async () => {
  const { id: leadId, phone } = await newLead();
  const followup = await scheduled(leadId, { delay_minutes: 60, cancel_on_reply: false });
  await write(phone, 'stop');
  expect(await becomes(followup.id, 'cancelled')).toMatchObject({ cancel_reason: 'opted_out' });
  const isListed = async (optedOut: boolean) =>
    (await request('GET', `/leads?opted_out=${optedOut}&customer_phone=${phone}`, { key: store.key })).body.total === 1;
  await eventually(() => isListed(true), Boolean);
  expect(await isListed(false)).toBe(false);
  await write(phone, 'start');
  await eventually(() => isListed(false), Boolean);
});

test('a follow-up that nothing can send before `expires_at` is cancelled then, and is not sent when a channel comes', async () => {
  const { key, id } = await newStore();
  const body = { name: 'Ana', customer_phone: '5511960000001' };
  const lead = (await request('POST', '/leads', { key, body })).body;
  const [due_at, expires_at] = [inSeconds(1), inSeconds(4)];
  const planned = { lead_id: lead.id, message: 'Too late', due_at, expires_at };
  const { id: followupId } = (await request('POST', '/followups/scheduled', { key, body: planned })).body;
  const readNow = async () => (await request('GET', `/followups/scheduled/${followupId}`, { key })).body;
  const cancelled = await eventually(readNow, ({ status }) => status === 'cancelled');
  expect(cancelled).toMatchObject({ cancel_reason: 'expired', message_id: null, next_attempt_at: null, expires_at });
  expect(Date.parse(cancelled.updated_at)).toBeGreaterThanOrEqual(Date.parse(expires_at));
  await admin(['channel', 'connect', '--store', id, '--provider', 'sandbox']);
  expect((await request('GET', `/leads/${lead.id}/messages`, { key })).body.total).toBe(0);
});

test('an appointment cancels the follow-ups of its lead that have cancel_on_appointment', async () => {
  const { id: leadId } = await newLead();
  const cancelled = await scheduled(leadId, { delay_minutes: 60, cancel_on_appointment: true });
  const kept = await scheduled(leadId, { delay_minutes: 60 });
  const body = { title: 'Visit', scheduled_at: daysAhead(3).toISOString(), lead_id: leadId };
  expect((await request('POST', '/appointments', { key: store.key, body })).status).toBe(201);
  expect(await read(cancelled.id)).toMatchObject({ status: 'cancelled', cancel_reason: 'appointment_booked' });
  expect(await read(kept.id)).toMatchObject({ status: 'pending' });
});

test('ten requests with one idempotency key create one follow-up', async () => {
  const { id: leadId } = await newLead();
  const headers = { 'idempotency-key': randomUUID() };
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => schedule(leadId, { message: 'Once', delay_minutes: 60 }, headers)),
  );
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
  const list = await request('GET', `/followups/scheduled?lead_id=${leadId}&status=pending`, { key: store.key });
  expect(list.body.total).toBe(1);
});

test.each([
  ['in the past', { due_at: '2020-01-01T00:00:00Z' }],
  ['more than a year ahead', { due_at: daysAhead(400).toISOString() }],
  ['by both due_at and delay_minutes', { due_at: daysAhead(1).toISOString(), delay_minutes: 5 }],
  ['by neither', {}],
])('a follow-up due %s is rejected', async (_, when) => {
  const { id: leadId } = await newLead();
  expectProblem(await schedule(leadId, { message: 'Never', ...when }), 'validation_failed');
});

/** Sets one sending window, on the weekday three days from now, from 09:00 UTC. Returns when it opens. */
async function openInThreeDays(storeId: string): Promise<Date> {
  const folder = mkdtempSync(join(tmpdir(), 'mostrador-windows-'));
  const file = join(folder, 'windows.json');
  const today = new Date();
  const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
  const day = days[(today.getUTCDay() + 3) % 7];
  writeFileSync(file, JSON.stringify([{ weekdays: [day], from: '09:00', to: '18:00' }]));
  await admin(['store', 'update', '--store', storeId, '--sending-windows', file]);
  rmSync(folder, { recursive: true });
  return new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + 3, 9));
}

/** Creates a store in UTC with a lead. */
async function newStoreWithLead() {
  const { id, key } = await newStore({ arguments: ['--timezone', 'UTC'] });
  const lead = await request('POST', '/leads', { key, body: { name: 'Ana', customer_phone: String(++phones) } });
  return { id, key, leadId: lead.body.id as string };
}

test('a follow-up due outside the sending windows waits for the next one and keeps its due_at', async () => {
  const own = await newStoreWithLead();
  const opening = await openInThreeDays(own.id);
  const due_at = inSeconds(600);
  const body = { lead_id: own.leadId, message: 'In the morning', due_at };
  const followup = (await request('POST', '/followups/scheduled', { key: own.key, body })).body;
  expect(Date.parse(followup.due_at)).toBe(Date.parse(due_at));
  const afterOpeningMs = Date.parse(followup.next_attempt_at) - opening.getTime();
  expect(afterOpeningMs).toBeGreaterThanOrEqual(0);
  expect(afterOpeningMs).toBeLessThan(5 * 60_000);
});

test('Temporal shows what a follow-up waits for, until when, and its end, and finds it by store, lead and id', async () => {
  const own = await newStoreWithLead();
  const body = { lead_id: own.leadId, message: 'In an hour', delay_minutes: 60 };
  const { id, due_at } = (await request('POST', '/followups/scheduled', { key: own.key, body })).body;
  const connection = await Connection.connect({ address: addresses.temporal_address });
  try {
    const { workflow } = new Client({ connection });
    const handle = workflow.getHandle(`followup:${id}`);
    const details = async () =>
      (await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;
    const shows = (text: string) =>
      eventually(
        () => details().catch(String),
        (shown) => shown.includes(text),
      );
    expect(await shows(`Waits until ${due_at}`)).toContain('it is not due yet');
    for (const query of [`StoreId = '${own.id}'`, `LeadId = '${own.leadId}'`, `EntityId = '${id}'`]) {
      const found = () => workflow.count(`${query} AND WorkflowType = 'followup'`);
      expect((await eventually(found, ({ count }) => count > 0)).count).toBe(1);
    }
    await openInThreeDays(own.id);
    const { next_attempt_at } = (await request('GET', `/followups/scheduled/${id}`, { key: own.key })).body;
    expect(next_attempt_at).not.toBe(due_at);
    await shows(`Waits until ${next_attempt_at}`);
    expect((await request('DELETE', `/followups/scheduled/${id}`, { key: own.key })).status).toBe(200);
    await handle.result();
    expect(await details()).toBe('Done: cancelled');
  } finally {
    await connection.close();
  }
});

test('a reminder of the booking rules asks on the telephone, and the answer there confirms the appointment', async () => {
  const { key, id: storeId } = await newStore({ arguments: ['--locale', 'pt-BR', '--timezone', 'America/Sao_Paulo'] });
  const { sandbox_url } = await admin(['channel', 'connect', '--store', storeId, '--provider', 'sandbox']);
  const phone = String(++phones);
  const lead = (await request('POST', '/leads', { key, body: { name: 'Ana', customer_phone: phone } })).body;
  const reminder = {
    minutes_before: 5,
    message: '{{name}}, {{service}}: {{time}}\n{{calendar_link}}',
    ask_confirmation: true,
  };
  const rules = await request('PUT', '/booking/rules', { key, body: { overlap: 'allow', reminders: [reminder] } });
  expect(rules.status, rules.text).toBe(200);
  // More time than a machine may stand still, or the reminder is left out.
  const body = { title: 'Corte', scheduled_at: inSeconds(5 * 60 + 10), lead_id: lead.id };
  const appointment = (await request('POST', '/appointments', { key, body })).body;
  const about = `/followups/scheduled?appointment_id=${appointment.id}`;
  const [{ id }] = (await request('GET', about, { key })).body.data;
  const sent = await eventually(
    async () => (await request('GET', `/followups/scheduled/${id}`, { key })).body,
    ({ status }) => status === 'sent',
  );
  const time = new Intl.DateTimeFormat('pt-BR', { timeZone: 'America/Sao_Paulo', hour: 'numeric', minute: '2-digit' });
  const start = new Date(appointment.scheduled_at);
  const [text, link] = sent.message.split('\n');
  expect(text).toMatch(/^Ana, Corte: [a-z]+-feira, |^Ana, Corte: (sábado|domingo), /);
  expect(text.endsWith(` às ${time.format(start)}`)).toBe(true);
  // The telephone of the customer opens it, and has no key.
  const file = await fetch(link);
  expect([file.status, file.headers.get('content-type')]).toEqual([200, 'text/calendar; charset=utf-8']);
  expect(await file.text()).toContain(`UID:${appointment.id}@mostrador`);
  const forged = link.replace(/.\.ics$/, (end: string) => (end === 'A.ics' ? 'B.ics' : 'A.ics'));
  expect((await fetch(forged)).status).toBe(404);

  const answer = await fetch(`${sandbox_url}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ customer_phone: phone, name: 'Ana', text: '1' }),
  });
  expect(answer.status).toBeLessThan(300);
  const read = async () => (await request('GET', `/appointments/${appointment.id}`, { key })).body;
  expect(await eventually(read, ({ confirmed_at }) => confirmed_at !== null)).toMatchObject({ status: 'scheduled' });
  const told = await eventually(
    async () => (await request('GET', '/events?types=appointment.confirmed', { key })).body.data,
    ({ length }) => length > 0,
  );
  expect(told).toMatchObject([
    { actor: { kind: 'channel', id: null }, entity: { id: appointment.id }, data: { source: 'customer' } },
  ]);
});
