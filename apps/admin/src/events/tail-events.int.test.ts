import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { accountsOperations, type Event, eventsOperations } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handlers } from '@mostrador/kit/rpc/server';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anyStore, startTestPlatform, type TestPlatform } from '../../test/platform.ts';

const { listStores } = accountsOperations;
const { listEvents } = eventsOperations;
const operations = { listStores, listEvents };
const store = randomUUID();
const entityId = randomUUID();
const oldest = 11;

let feed: Event[] = [];
/** How many requests fail before the next answer. */
let failures = 0;

const eventAt = (sequence: number): Event => ({
  id: randomUUID(),
  type: sequence % 2 ? 'lead.created' : 'lead.updated',
  created_at: '2026-11-21T09:00:00.000Z',
  sequence,
  store_id: store,
  entity: { type: 'lead', id: entityId, version: sequence, etag: null },
  actor: null,
  request_id: null,
  previous: null,
  data: { lead_id: entityId, object: { name: 'Maria' } },
});

/** A feed that no longer has its first ten events. */
const handlers: Handlers<typeof operations> = {
  listStores: anyStore,
  listEvents: async (_context, { query = {} }) => {
    if (failures > 0 && failures--) throw new AppError('service_unavailable', { detail: 'Not now.' });
    const { after = 0, limit = 50, types } = query;
    const last = feed.at(-1)?.sequence ?? 0;
    if (after === -1) return { data: [], next: last };
    if (after > last || (after > 0 && after < oldest - 1)) throw new AppError('cursor_expired');
    const looked = feed.filter(({ sequence }) => sequence > after).slice(0, limit);
    const data = looked.filter(({ type }) => types === undefined || types.split(',').includes(type));
    return { data, next: looked.at(-1)?.sequence ?? after };
  },
};

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform(operations, handlers);
});
afterAll(() => platform?.stop());

const reset = (count: number) => {
  feed = Array.from({ length: count }, (_, index) => eventAt(oldest + index));
};
const tail = (...options: string[]) => platform.run(['event', 'tail', '--store', store, ...options]);
const sequencesIn = (out: string) =>
  out
    .split('\n')
    .filter(Boolean)
    .map((line) => Number(line.trim().split(' ')[0]));

/** Starts the command, and collects what it prints. */
function follow(...options: string[]) {
  const main = join(import.meta.dirname, '../main.ts');
  const child = spawn(process.execPath, [main, 'event', 'tail', '--store', store, '--follow', ...options], {
    env: { ...process.env, NATS_URL: platform.url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const ended = Promise.all([text(child.stderr), exited]).then(([err, exitCode]) => ({ err, exitCode }));
  return { child, ended, out: () => out };
}

test('without --after the last 20 events are printed, without what they say about customers', async () => {
  reset(300);
  const { out, exitCode } = await tail();
  expect(exitCode).toBe(0);
  expect(sequencesIn(out)).toEqual(Array.from({ length: 20 }, (_, index) => 291 + index));
  expect(out).toContain(`lead  ${entityId}`);
  expect(out).not.toContain('Maria');
});

test('--after 0 reads all pages, and --json prints each event as one line', async () => {
  reset(450);
  const { out } = await tail('--after', '0', '--json');
  expect(
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(feed);
});

test('a feed that has fewer events than asked for is printed from its oldest event', async () => {
  reset(3);
  expect(sequencesIn((await tail()).out)).toEqual([11, 12, 13]);
  feed = [];
  expect(await tail()).toEqual({ out: '', err: '', exitCode: 0 });
});

test('--types prints only these, and pages without one of them do not end it', async () => {
  reset(500);
  feed = feed.map((event) => (event.sequence === 505 ? { ...event, type: 'lead.merged' } : event));
  expect(sequencesIn((await tail('--after', '0', '--types', 'lead.merged')).out)).toEqual([505]);
});

test('an expired --after is an error that says what to do, and a wrong option names itself', async () => {
  reset(5);
  expect(await tail('--after', '3')).toMatchObject({ exitCode: 1, err: expect.stringContaining('cursor_expired') });
  const wrong = await tail('--after', 'first', '--types', 'lead.exploded', '--entity', 'x');
  expect(wrong.exitCode).toBe(2);
  for (const option of ['--after', '--types', '--entity']) expect(wrong.err).toContain(`error: ${option} `);
});

test('--follow prints what comes, survives a pause of the service, and ends with 0 after Ctrl-C', async () => {
  reset(2);
  const { child, ended, out } = follow();
  await waitFor(() => sequencesIn(out()).length === 2, { description: 'the first two events' });
  failures = 2;
  await waitFor(() => failures === 0, { description: 'two failed requests' });
  feed.push(eventAt(13));
  await waitFor(() => sequencesIn(out()).length === 3, { description: 'the third event' });
  child.kill('SIGINT');
  expect(await ended).toEqual({ err: expect.stringContaining('does not answer'), exitCode: 0 });
  expect(sequencesIn(out())).toEqual([11, 12, 13]);
});

test('a reader that has enough, such as `head`, ends the command without an error', async () => {
  reset(1);
  const { child, ended, out } = follow();
  await waitFor(() => sequencesIn(out()).length === 1, { description: 'the first event' });
  child.stdout.destroy();
  feed.push(eventAt(12));
  expect(await ended).toEqual({ err: '', exitCode: 0 });
});
