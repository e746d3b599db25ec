import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReceivedSpan } from '@mostrador/testing/otlp-receiver';
import { type GoogleServer, startGoogleCalendar } from '@mostrador/testing/providers/google-calendar/server';
import { startWhatsappServer, type WhatsappServer } from '@mostrador/testing/providers/whatsapp/server';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { admin, daysAhead, newStore, request } from './platform.ts';

const { collectorUrl, localDirectory } = inject('platform');
let google: GoogleServer;
let whatsapp: WhatsappServer;
let store: Awaited<ReturnType<typeof newStore>>;

beforeAll(async () => {
  [google, whatsapp, store] = await Promise.all([startGoogleCalendar(), startWhatsappServer(), newStore()]);
  const { phoneNumberId, phone } = whatsapp.settings;
  await admin(
    [
      ...['calendar', 'connect', '--store', store.id, '--provider', 'google', '--calendar-id', google.calendarId],
      ...['--api-url', google.url, '--token-url', google.tokenUrl, '--secrets-stdin'],
    ],
    JSON.stringify(google.secrets()),
  );
  const { webhook_url } = await admin(
    [
      ...['channel', 'connect', '--store', store.id, '--provider', 'whatsapp_cloud', '--phone', phone],
      ...['--phone-number-id', phoneNumberId, '--api-url', whatsapp.apiUrl, '--secrets-stdin'],
    ],
    JSON.stringify({ access_token: 'EAAtoken', app_secret: 'app-secret', verify_token: 'verify-token' }),
  );
  whatsapp.settings.webhookUrl = webhook_url;
});
afterAll(async () => {
  await Promise.all([google?.stop(), whatsapp?.close()]);
});

/** A new trace, as a proxy that traces sends it. */
function newTrace(flags = '01') {
  const id = randomBytes(16).toString('hex');
  return { id, headers: { traceparent: `00-${id}-${randomBytes(8).toString('hex')}-${flags}` } };
}

const spansOf = async (traceId: string): Promise<ReceivedSpan[]> =>
  (await fetch(`${collectorUrl}/traces/${traceId}`)).json() as Promise<ReceivedSpan[]>;

/**
 * The names from the root to each leaf, in order of time. Without what the system role does, because the shared state of
 * a provider is read at most once a second.
 */
function pathsOf(spans: readonly ReceivedSpan[]): string[] {
  const known = new Map(spans.map((span) => [span.spanId, span]));
  const pathTo = (span: ReceivedSpan): string => {
    const parent = known.get(span.parentSpanId ?? '');
    return `${parent ? `${pathTo(parent)} > ` : ''}${span.service} ${span.name}`;
  };
  const own = spans.filter(({ attributes }) => attributes['mostrador.role'] !== 'system');
  return own.toSorted((a, b) => a.startMs - b.startMs).map(pathTo);
}

/** Each path with the one before it, so that a test names the last span of each. */
const treeOf = (...lines: string[][]): string[] =>
  lines.flatMap((line) => line.map((_, index) => line.slice(0, index + 1).join(' > ')));

/** Waits until the trace has a span at the end of each path of one of the trees, and returns its spans. */
async function untilTraced(traceId: string, ...trees: readonly (readonly string[])[]): Promise<ReceivedSpan[]> {
  const sorted = (paths: readonly string[]) => [...new Set(paths)].sort();
  await expect.poll(async () => sorted(pathsOf(await spansOf(traceId)))).toBeOneOf(trees.map(sorted));
  return await spansOf(traceId);
}

/** A request over NATS: the span of the caller, and that of the service. */
const asked = (caller: string, subject: string): string[] => [
  `${caller} ${subject}`,
  `${subject.split('.')[0]} ${subject}`,
];

/** Attributes are ids, names, numbers and a route's pattern, so nothing that a person wrote. */
function expectIdsOnly(spans: readonly ReceivedSpan[]): void {
  const texts = spans
    .flatMap(({ attributes }) => Object.values(attributes))
    .filter((value) => typeof value === 'string');
  expect(texts.filter((text) => !/^[\w.:/-]+$/.test(text))).toEqual([]);
}

type Line = { readonly trace_id?: string; readonly span_id?: string; readonly service?: string; readonly msg?: string };

/** The JSON lines that the processes logged. */
function logLines(): Line[] {
  const folder = join(localDirectory, 'logs');
  const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
  return lines.filter((line) => line.includes('"trace_id"')).map((line) => JSON.parse(line));
}

test('the creation of an appointment is one trace, to the call of the calendar', async () => {
  const trace = newTrace();
  const body = { title: 'Exame de Maria', notes: 'Traz os óculos', scheduled_at: daysAhead(10).toISOString() };
  const { status, body: made } = await request('POST', '/appointments', {
    ...{ key: store.key, body },
    headers: trace.headers,
  });
  expect(status).toBe(201);

  const creation = [
    'gateway POST /integrations/v1/appointments',
    ...asked('gateway', 'scheduling.api.appointments.create'),
  ];
  const transaction = [...creation, 'scheduling postgresql transaction'];
  const step = [
    ...[...transaction, 'scheduling wake appointment', 'workflows step syncCalendarEvent'],
    ...asked('workflows', 'scheduling.step.calendar.sync'),
  ];
  const tree = treeOf(
    transaction,
    [...step, 'scheduling postgresql transaction'],
    [...step, 'scheduling provider call'],
  );
  const spans = await untilTraced(trace.id, tree);
  expect(new Set(spans.map(({ attributes }) => attributes['mostrador.entity_id']))).toEqual(
    new Set([undefined, made.id]),
  );
  expect(new Set(spans.map(({ attributes }) => attributes['mostrador.store_id']))).toEqual(
    new Set([undefined, store.id]),
  );
  expect(spans.filter(({ failed }) => failed)).toEqual([]);
  expectIdsOnly(spans);
  expect(google.requests.length).toBeGreaterThan(0);
});

test('the delivery of a message is one trace, to the call of the channel', async () => {
  const phone = '5511987650001';
  const lead = { name: 'Ana', customer_phone: phone };
  const { id: leadId } = (await request('POST', '/leads', { key: store.key, body: lead })).body;
  expect(await whatsapp.customerWrites({ from: phone, text: 'Oi' })).toBe(200);
  const messages = async () => (await request('GET', `/leads/${leadId}/messages`, { key: store.key })).body.data;
  await expect.poll(messages).toHaveLength(1);

  const trace = newTrace();
  const sent = await request('POST', `/leads/${leadId}/messages`, {
    ...{ key: store.key, body: { message: 'Seus óculos chegaram' } },
    headers: trace.headers,
  });
  expect(sent.body).toMatchObject({ sent: true });

  const sending = [
    'gateway POST /integrations/v1/leads/:leadId/messages',
    ...asked('gateway', 'messaging.api.messages.send'),
  ];
  const transaction = [...sending, 'messaging postgresql transaction'];
  // The message wakes its shard, unless that is open for another message.
  const step = [
    ...[...transaction, 'messaging wake deliveryShard', 'workflows step pumpDeliveries'],
    ...asked('workflows', 'messaging.step.deliveries.pump'),
  ];
  const spans = await untilTraced(
    trace.id,
    treeOf(
      [...sending, 'messaging postgresql read'],
      transaction,
      [...step, 'messaging postgresql transaction'],
      [...step, 'messaging provider call'],
    ),
    treeOf([...sending, 'messaging postgresql read'], transaction, [...sending, 'messaging provider call']),
  );
  expectIdsOnly(spans);
  expect(JSON.stringify(spans)).not.toContain(phone);
});

test('a log line names its trace, in each process', async () => {
  const trace = newTrace();
  await request('GET', '/appointments', { key: store.key, headers: trace.headers });
  const processesOf = () => new Set(logLines().flatMap((line) => (line.trace_id === trace.id ? [line.service] : [])));
  await expect.poll(processesOf).toEqual(new Set(['gateway', 'scheduling']));
  const own = logLines().find(({ trace_id, msg }) => trace_id === trace.id && msg === 'http request');
  const ids = async () => (await spansOf(trace.id)).map(({ spanId }) => spanId);
  await expect.poll(ids).toContain(own?.span_id);
});

test('a request whose proxy does not record the trace leaves no span', async () => {
  const [unrecorded, recorded] = [newTrace('00'), newTrace()];
  for (const { headers } of [unrecorded, recorded]) {
    expect((await request('GET', '/store', { key: store.key, headers })).status).toBe(200);
  }
  await expect.poll(async () => (await spansOf(recorded.id)).length).toBeGreaterThan(0);
  expect(await spansOf(unrecorded.id)).toEqual([]);
});
