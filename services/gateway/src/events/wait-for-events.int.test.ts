import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from '@mostrador/testing/wait';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { api, createClient, expectProblem } from '../../test/client.ts';
import { serveFeed, type TestFeed } from '../../test/feed.ts';
import { startTestGateway, type TestGateway } from '../../test/gateway.ts';
import { mostFollowers } from './followers.ts';

let gateway: TestGateway;
let feed: TestFeed;
let storeId: string;
let keyId: string;
let send: ReturnType<typeof createClient>['send'];

beforeEach(async () => {
  gateway = await startTestGateway();
  const { store, apiKey, key } = await gateway.newStore();
  [storeId, keyId] = [store.id, key.id];
  ({ send } = createClient(gateway, apiKey));
  feed = await serveFeed(gateway);
});
afterEach(() => gateway?.stop());

const wait = (query = '') => send(`${api}/events?wait=20${query}`);
/** A request follows the feed before it has read its first page, which is what a failure of the service would answer. */
const untilWaiting = (count = 1) =>
  waitFor(() => gateway.followers.count() === count && feed.asked.length >= count, {
    description: `${count} requests have read their first page and wait`,
  });

test('a request without `wait` gets the page as it is, and one with `wait` does so when there are events', async () => {
  expect((await send(`${api}/events`)).json()).toEqual({ data: [], next: 0 });
  const event = feed.append(storeId);
  for (const query of ['', '?wait=20', '?after=0&wait=20']) {
    expect((await send(`${api}/events${query}`)).json()).toEqual({ data: [event], next: 1 });
  }
  expect((await send(`${api}/events/${event.id}`)).json()).toEqual(event);
  expectProblem(await send(`${api}/events?after=7&wait=20`), 410, 'cursor_expired');
});

test('a waiting request is answered when an event comes, and the service is never asked to wait', async () => {
  feed.append(storeId);
  const answering = wait('&after=1');
  await untilWaiting();
  const event = feed.append(storeId);
  expect((await answering).json()).toEqual({ data: [event], next: 2 });
  expect(feed.asked.every(({ wait }) => wait === 0)).toBe(true);
  expect(gateway.followers.count()).toBe(0);
});

test('a waiting request is answered also when the notice of its event is lost', async () => {
  const answering = wait();
  await untilWaiting();
  const event = feed.append(storeId, 'lead.updated', { quietly: true });
  expect((await answering).json()).toEqual({ data: [event], next: 1 });
});

test('an event of another type goes by, and `-1` waits for the events to come', async () => {
  feed.append(storeId, 'lead.created');
  const answering = wait('&after=-1&types=lead.created');
  await waitFor(() => feed.asked.length > 0, { description: 'the first page was read' });
  feed.append(storeId, 'lead.updated');
  const event = feed.append(storeId, 'lead.created');
  expect((await answering).json()).toEqual({ data: [event], next: 3 });
});

test('when the time is over the page is empty, and says where the next request goes on', async () => {
  feed.append(storeId);
  expect((await send(`${api}/events?wait=1&after=1`)).json()).toEqual({ data: [], next: 1 });
});

test('a waiting request outlasts an outage of the service', async () => {
  const answering = wait();
  await untilWaiting();
  feed.state.isDown = true;
  const event = feed.append(storeId);
  const before = feed.asked.length;
  await waitFor(() => feed.asked.length > before, { description: 'the page was read during the outage' });
  feed.state.isDown = false;
  expect((await answering).json()).toEqual({ data: [event], next: 1 });
});

test('a client that leaves waits no longer', async () => {
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = gateway.app.server.address() as AddressInfo;
  const { apiKey } = await gateway.newStore();
  const sent = request(`http://127.0.0.1:${port}${api}/events?wait=20`, { headers: { 'x-api-key': apiKey } });
  sent.on('error', () => {}).end();
  await untilWaiting();
  sent.destroy();
  await untilWaiting(0);
});

test('a store may have 20 waiting requests, which take no place from another store', async () => {
  const waiting = Array.from({ length: mostFollowers }, () => wait());
  await untilWaiting(mostFollowers);
  const refused = await wait();
  expectProblem(refused, 429, 'quota_exceeded');
  expect(refused.headers['retry-after']).toBe('5');
  expect((await send(`${api}/events`)).statusCode).toBe(200);
  const other = createClient(gateway, (await gateway.newStore()).apiKey);
  const others = other.send(`${api}/events?wait=1`);
  expect((await others).statusCode).toBe(200);
  feed.append(storeId);
  for (const answer of await Promise.all(waiting)) expect(answer.json()).toMatchObject({ next: 1 });
});

test('a request whose key is revoked while it waits gets no event any more', async () => {
  gateway.announcing.on = false;
  const answering = wait();
  await untilWaiting();
  await gateway.revokeKey(keyId);
  expectProblem(await answering, 401, 'invalid_api_key');
});

test('a gateway that stops answers its waiting requests', async () => {
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = gateway.app.server.address() as AddressInfo;
  const { apiKey } = await gateway.newStore();
  feed.append(storeId);
  const answering = fetch(`http://127.0.0.1:${port}${api}/events?wait=20&after=1`, {
    headers: { 'x-api-key': apiKey },
  });
  await untilWaiting();
  const closed = once(gateway.app.server, 'close');
  void gateway.app.close();
  const answer = await answering;
  expect(await answer.json()).toEqual({ data: [], next: 1 });
  expect(answer.headers.get('connection')).toBe('close');
  await closed;
});

test('a wait counts neither as the duration of the request nor in its metrics', async () => {
  const answering = wait();
  await untilWaiting();
  await wait1s();
  feed.append(storeId);
  await answering;
  const text = await gateway.metrics.text();
  expect(text).toMatch(
    /mostrador_http_duration_seconds_bucket\{le="0.5".*route="\/integrations\/v1\/events",status="200".* 2\n/,
  );
  expect(text).toMatch(/mostrador_feed_followers\{.*\} 0/);
});

/** Another request with a wait: no time is counted but the time of a request. */
const wait1s = () => send(`${api}/events?wait=1&after=0`);
