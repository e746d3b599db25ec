import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { getAppointment, readCalendarFeed } from '@mostrador/contracts';
import { reply } from '@mostrador/kit/rpc/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { api, createClient } from '../../test/client.ts';
import { startTestGateway, type TestGateway } from '../../test/gateway.ts';
import { appointmentId } from '../../test/scheduling.ts';

const unpack = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };
const codings = Object.keys(unpack) as (keyof typeof unpack)[];
let gateway: TestGateway;
let send: ReturnType<typeof createClient>['send'];
/** The served appointment's notes. */
let notes = '';

beforeAll(async () => {
  gateway = await startTestGateway({ corsOrigins: 'https://console.example.com' });
  const { apiKey } = await gateway.newStore();
  ({ send } = createClient(gateway, apiKey));
  const at = '2027-01-31T09:00:00.000Z';
  await gateway.serve(
    'scheduling',
    { getAppointment, readCalendarFeed },
    {
      getAppointment: async ({ storeId }) => {
        const ids = { id: appointmentId, store_id: storeId, lead_id: null };
        const times = { scheduled_at: at, created_at: at, updated_at: at };
        const rest = { title: 'Corte', duration_minutes: 60, status: 'scheduled' as const, notes, metadata: {} };
        return reply({ ...ids, ...times, ...rest }, { etag: '"v1"' });
      },
      readCalendarFeed: async () => ({ icalendar: 'BEGIN:VCALENDAR\r\n'.repeat(200) }),
    },
  );
});
afterAll(() => gateway?.stop());

const get = (headers: Record<string, string> = {}, method = 'GET') =>
  send(`${api}/appointments/${appointmentId}`, { headers, method });

test.each(codings)('a response of 1 KiB and more is sent in %s, with its own length and ETag', async (coding) => {
  notes = 'São '.repeat(400);
  const [plain, compressed] = [await get(), await get({ 'accept-encoding': coding })];
  expect(plain.headers).not.toHaveProperty('content-encoding');
  expect(compressed.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'content-encoding': coding,
    'content-length': String(compressed.rawPayload.length),
    etag: `"v1.${coding}"`,
    vary: 'Origin, Accept-Encoding',
  });
  expect(compressed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2);
  expect(unpack[coding](compressed.rawPayload)).toEqual(plain.rawPayload);
  const head = await get({ 'accept-encoding': coding }, 'HEAD');
  expect([head.body, head.headers['content-length'], head.headers.etag]).toEqual([
    '',
    compressed.headers['content-length'],
    `"v1.${coding}"`,
  ]);
});

test('a smaller response, or one to a client that accepts no coding of ours, is sent as it is', async () => {
  notes = '';
  const least = (await get()).rawPayload.length;
  for (const [bytes, accepted, coding] of [
    [1023, 'gzip', undefined],
    [1024, 'gzip', 'gzip'],
    [4096, 'deflate, compress', undefined],
    [4096, 'gzip;q=0', undefined],
  ] as const) {
    notes = 'x'.repeat(bytes - least);
    const { headers } = await get({ 'accept-encoding': accepted });
    expect(headers['content-encoding'], `${bytes} ${accepted}`).toBe(coding);
    expect(headers).toMatchObject({ vary: 'Origin, Accept-Encoding', etag: coding ? `"v1.${coding}"` : '"v1"' });
  }
});

test('a copy in any coding is current for If-None-Match, and the 304 names the tag of that copy', async () => {
  notes = 'São '.repeat(400);
  for (const tag of ['"v1"', '"v1.gzip"', '"v1.zstd"']) {
    const answer = await get({ 'accept-encoding': 'gzip', 'if-none-match': tag });
    expect([answer.statusCode, answer.headers.etag]).toEqual([304, tag]);
    expect(answer.headers.vary).toBe('Origin, Accept-Encoding');
  }
  expect((await get({ 'if-none-match': '"v2.gzip"' })).statusCode).toBe(200);
});

test('what has a secret address is not compressed', async () => {
  for (const url of [`/calendars/${'t'.repeat(40)}.ics`, `/sandbox/${'t'.repeat(40)}`]) {
    const answer = await send(url, { key: null, headers: { 'accept-encoding': 'gzip, br' } });
    expect(answer.statusCode).toBe(200);
    expect(answer.rawPayload.length).toBeGreaterThan(1024);
    expect(answer.headers).not.toHaveProperty('content-encoding');
  }
});
