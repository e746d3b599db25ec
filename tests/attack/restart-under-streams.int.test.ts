// N2: each open console asked accounts once a second about its stream, and any failure of that request ended the stream.
// So a restart of accounts ended all streams.

import { type IncomingMessage, request } from 'node:http';
import { disableUser } from '@mostrador/contracts';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPlatform } from '../chaos/exact/stage.ts';
import { createPeople, type Person } from './people.ts';

const sessions = 45;
/** In as many tabs, or browsers, each. */
const streamsEach = 4;

let stage: Awaited<ReturnType<typeof startPlatform>>;
let people: ReturnType<typeof createPeople>;
const opened: Stream[] = [];

type Stream = { readonly response: IncomingMessage; text: string; hasEnded: boolean };

beforeAll(async () => {
  stage = await startPlatform({
    service: 'events',
    processes: ['gateway', 'events', 'crm'],
    environment: { TRUSTED_PROXIES: '127.0.0.1' },
  });
  people = createPeople(stage);
});
afterAll(async () => {
  for (const { response } of opened) response.destroy();
  await stage?.stop();
});

async function open(url: string | URL, headers: Record<string, string>): Promise<Stream> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { headers, agent: false }).once('response', resolve).once('error', reject).end();
  });
  expect(response.statusCode).toBe(200);
  const stream: Stream = { response, text: '', hasEnded: false };
  response.setEncoding('utf8');
  response.on('data', (chunk) => {
    stream.text += chunk;
  });
  response.on('error', () => {});
  response.once('close', () => {
    stream.hasEnded = true;
  });
  opened.push(stream);
  return stream;
}
const openFor = ({ cookie }: Person) =>
  open(people.address('/events/stream'), { cookie, 'sec-fetch-site': 'same-origin' });
const endedOf = (streams: readonly Stream[]) => streams.filter(({ hasEnded }) => hasEnded).length;

test('no stream ends while accounts is killed, stalled and started again, and those of revoked sessions end', async () => {
  const store = await people.newStore();
  const { key } = await stage.newStore();
  const signedIn: Person[] = [];
  for (let made = 0; made < sessions; made += 1) signedIn.push(await people.signIn(store));
  const [leaving, disabled] = signedIn as [Person, Person, ...Person[]];
  const streamsOf = new Map<Person, Stream[]>();
  for (const person of signedIn) {
    const count = streamsEach;
    streamsOf.set(person, await Promise.all(Array.from({ length: count }, () => openFor(person))));
  }
  const ofKey = await open(`${stage.url()}/events/stream`, { 'x-api-key': key });

  await stage.kill('accounts');
  const isDownFor = performance.now();
  await waitFor(() => performance.now() - isDownFor > 5_000, { description: '5 s have passed', timeoutMs: 20_000 });
  expect(endedOf(opened)).toBe(0);
  await stage.start('accounts');

  stage.signal('accounts', 'SIGSTOP');
  const stalledFor = performance.now();
  await waitFor(() => performance.now() - stalledFor > 4_000, { description: '4 s have passed', timeoutMs: 20_000 });
  expect(endedOf(opened)).toBe(0);
  stage.signal('accounts', 'SIGCONT');

  await stage.call(disableUser, { body: { email: disabled.email } });
  // Each is repeated while accounts, which has much to do now, answers too late.
  await expect.poll(async () => (await people.ask('DELETE', '/session', { cookie: leaving.cookie })).status).toBe(204);
  for (const person of [leaving, disabled]) {
    const streams = streamsOf.get(person) ?? [];
    await waitFor(() => endedOf(streams) === streams.length, { description: 'the streams of the person have ended' });
  }
  // The others go on, and hear what happens.
  const before = opened.length - 2 * streamsEach;
  expect(opened.length - endedOf(opened)).toBe(before);
  const others = opened.filter(({ hasEnded }) => !hasEnded);
  const create = () =>
    people.ask('POST', '/leads', {
      cookie: signedIn[2]?.cookie ?? '',
      body: { name: 'Ana', customer_phone: '5511987650001' },
    });
  await waitFor(async () => (await create()).status < 500, { description: 'the lead is created' });
  await waitFor(() => others.every((stream) => stream === ofKey || stream.text.includes('lead.created')), {
    description: 'every other stream of the store has heard of the lead',
  });
  expect(endedOf(others)).toBe(0);
});
