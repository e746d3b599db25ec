import { randomUUID } from 'node:crypto';
import {
  listStoreMessages,
  type Message,
  type MessageStatus,
  mergeConversations,
  type RequestOf,
} from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { testContext } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';
import { ensureConversation } from '../conversations/conversation.repository.ts';
import { touchSession } from '../sessions/session.repository.ts';
import { insertMessage, takeNumber } from './message.repository.ts';

let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging();
});
afterAll(() => messaging?.stop());

type Query = RequestOf<typeof listStoreMessages>['query'];
type Listed = { data: Message[]; total: number; page: number; limit: number; cursor: string | undefined };

const list = async (storeId: string, query: Query = {}): Promise<Listed> => {
  const { body, headers } = await messaging.rpc.forward(listStoreMessages, { query }, testContext({ storeId }));
  return { ...JSON.parse(Buffer.from(body).toString()), cursor: headers.nextCursor };
};
const write = <T>(storeId: string, work: (sql: TransactionSql) => Promise<T>) =>
  messaging.database.write(testContext({ storeId }), work);

/** Inserts a message in either direction. Nothing is sent. */
const insert = async (
  sql: TransactionSql,
  storeId: string,
  {
    leadId,
    body = 'Hello',
    direction = 'outbound' as Message['direction'],
  }: {
    leadId: string;
    body?: string;
    direction?: Message['direction'];
  },
) => {
  await ensureConversation(sql, storeId, leadId);
  const { number, at } = await takeNumber(sql, storeId, leadId, 'api');
  const { sessionId } = await touchSession(sql, storeId, leadId, { at, direction });
  const source = direction === 'inbound' ? 'lead' : 'api';
  const content = { lead_id: leadId, session_id: sessionId, number, created_at: at, direction, body } as const;
  return await insertMessage(sql, storeId, { ...content, source });
};
const add = (storeId: string, message: Parameters<typeof insert>[2]) =>
  write(storeId, (sql) => insert(sql, storeId, message));
/** Without a word about `updated_at`, which a trigger keeps. */
const change = (sql: TransactionSql, id: string, status: MessageStatus) =>
  sql`update messages set status = ${status} where id = ${id}`;
const bodies = ({ data }: Pick<Listed, 'data'>) => data.map(({ body }) => body);
/** The list, once every change of these messages is settled. */
const settled = (storeId: string, count: number, query: Query = {}) =>
  waitFor(
    async () => {
      const page = await list(storeId, query);
      return page.data.length === count && page;
    },
    { description: `${count} messages to be settled` },
  );

test('the list has the messages of all leads of the store, the oldest change first', async () => {
  const [storeId, one, other] = [randomUUID(), randomUUID(), randomUUID()];
  const first = await add(storeId, { leadId: one, body: 'first' });
  await add(storeId, { leadId: other, body: 'second', direction: 'inbound' });
  await add(randomUUID(), { leadId: randomUUID(), body: 'of another store' });
  await write(storeId, (sql) => change(sql, first.id, 'sending'));
  const page = await settled(storeId, 2);
  expect(bodies(page)).toEqual(['second', 'first']);
  expect(page).toMatchObject({ total: 2, page: 1, limit: 50, cursor: undefined });
  expect(page.data[1]).toMatchObject({ id: first.id, lead_id: one, status: 'sending', direction: 'outbound' });
  expect(Date.parse(page.data[1]?.updated_at ?? '')).toBeGreaterThanOrEqual(first.created_at.getTime());
});

test('`since` finds a message again when its status changes, and not when nothing of it changes', async () => {
  const [storeId, leadId] = [randomUUID(), randomUUID()];
  const sent = await add(storeId, { leadId, body: 'sent' });
  await add(storeId, { leadId, body: 'quiet' });
  const { data } = await settled(storeId, 2);
  const since = data.at(-1)?.updated_at as string;
  expect(await list(storeId, { since })).toMatchObject({ data: [], total: 0 });
  await write(storeId, (sql) => change(sql, sent.id, 'delivered'));
  // Delivery's own columns, and the place in the conversation, are not shown.
  await write(
    storeId,
    (sql) => sql`
    update messages set attempts = 3, next_attempt_at = now() - interval '1 second', number = -number where store_id = ${storeId}`,
  );
  expect(await settled(storeId, 1, { since })).toMatchObject({
    data: [{ id: sent.id, status: 'delivered' }],
    total: 1,
  });
});

test('each filter selects, and all of them hold together', async () => {
  const [storeId, leadId] = [randomUUID(), randomUUID()];
  await add(storeId, { leadId: randomUUID(), body: 'of another lead' });
  await add(storeId, { leadId, body: 'in', direction: 'inbound' });
  const [read, failed] = [await add(storeId, { leadId, body: 'read' }), await add(storeId, { leadId, body: 'failed' })];
  await write(storeId, async (sql) => {
    await change(sql, read.id, 'read');
    await change(sql, failed.id, 'failed');
  });
  await settled(storeId, 4);
  const found = async (query: Query) => bodies(await list(storeId, query)).sort();
  expect(await found({ lead_id: leadId.toUpperCase() })).toEqual(['failed', 'in', 'read']);
  expect(await found({ lead_id: randomUUID() })).toEqual([]);
  expect(await found({ direction: 'inbound' })).toEqual(['in']);
  expect(await found({ direction: 'outbound' })).toEqual(['failed', 'of another lead', 'read']);
  expect(await found({ status: 'read' })).toEqual(['read']);
  expect(await found({ status: 'failed,read,received' })).toEqual(['failed', 'in', 'read']);
  expect(await found({ status: 'failed,received', direction: 'outbound', lead_id: leadId })).toEqual(['failed']);
  expect(await list(storeId, { status: 'read', direction: 'inbound' })).toMatchObject({ data: [], total: 0 });
});

test('pages and cursors meet every message once, and a cursor belongs to its filters', async () => {
  const [storeId, leadId] = [randomUUID(), randomUUID()];
  for (let n = 1; n <= 7; n += 1) await add(storeId, { leadId, body: `${n}` });
  await settled(storeId, 7);
  for (const query of [{}, { lead_id: leadId }, { status: 'queued,sent' }]) {
    const third = await list(storeId, { ...query, limit: 3, page: 3 });
    expect([bodies(third), third.total, third.cursor]).toEqual([['7'], 7, undefined]);
    const met: string[] = [];
    let page = await list(storeId, { ...query, limit: 2 });
    for (;;) {
      met.push(...bodies(page));
      if (!page.cursor) break;
      page = await list(storeId, { ...query, limit: 2, cursor: page.cursor });
    }
    expect(met).toEqual(['1', '2', '3', '4', '5', '6', '7']);
    expect(page).toMatchObject({ page: 4, total: 7 });
  }
  const { cursor } = await list(storeId, { limit: 1 });
  for (const query of [{ cursor, direction: 'outbound' }, { cursor, page: 2 }, { cursor: 'nonsense' }] as Query[]) {
    await expect(list(storeId, query)).rejects.toMatchObject({ code: 'validation_failed' });
  }
});

test.each([
  ['since', 'yesterday'],
  ['lead_id', '42'],
  ['direction', 'sideways'],
  ['status', 'sent,lost'],
  ['status', ''],
  ['limit', 201],
  ['updated_after', '2026-11-21T12:00:00Z'],
])('a wrong %s (%s) is a fault of that parameter', async (name, value) => {
  await expect(list(randomUUID(), { [name]: value } as Query)).rejects.toMatchObject({
    code: 'validation_failed',
    members: { errors: [{ in: 'query', name }] },
  });
});

test('a merge changes the messages of the merged lead, which come again with the lead that stays', async () => {
  const [storeId, goneId, keptId] = [randomUUID(), randomUUID(), randomUUID()];
  const moved = await add(storeId, { leadId: goneId, body: 'moved' });
  await add(storeId, { leadId: keptId, body: 'stayed' });
  const { data } = await settled(storeId, 2);
  const since = data.at(-1)?.updated_at as string;
  const merge = { body: { lead_id: goneId, merged_into: keptId } };
  await messaging.rpc.call(mergeConversations, merge, testContext({ storeId }));
  expect((await settled(storeId, 1, { since })).data).toMatchObject([{ id: moved.id, lead_id: keptId }]);
  expect(await list(storeId, { lead_id: goneId })).toMatchObject({ data: [], total: 0 });
  expect(bodies(await list(storeId, { lead_id: keptId }))).toEqual(['stayed', 'moved']);
});

/** A client that follows changes: it walks to the end by cursor, then reads what changed after the last message. */
function follower(storeId: string, limit: number) {
  const met = new Map<string, string>();
  let position: Query = {};
  let last: string | undefined;
  /** Reads a page. Returns whether there is a next one. */
  async function read(): Promise<boolean> {
    const { data, cursor } = await list(storeId, { limit, ...position });
    for (const { id, status, updated_at } of data) {
      met.set(id, status);
      last = updated_at;
    }
    const since = position.since === undefined ? {} : { since: position.since };
    position = cursor ? { cursor, ...since } : last === undefined ? {} : { since: last };
    return cursor !== undefined;
  }
  /** Reads to the end. Returns whether the client then has the current status of each message. */
  async function isUpToDate(): Promise<boolean> {
    while (await read());
    const rows = await messaging.adminSql<{ id: string; status: string }[]>`
      select id, status from messages where store_id = ${storeId}`;
    return rows.every(({ id, status }) => met.get(id) === status);
  }
  return { met, read, isUpToDate };
}

test('a client that follows changes does not miss a change that commits after a later one', async () => {
  const [storeId, leadId] = [randomUUID(), randomUUID()];
  const [early, late] = [await add(storeId, { leadId }), await add(storeId, { leadId })];
  const { met, read, isUpToDate } = follower(storeId, 10);
  await waitFor(() => isUpToDate(), { description: 'both messages to be read' });
  await write(storeId, async (sql) => {
    await change(sql, early.id, 'sent');
    await write(storeId, (other) => change(other, late.id, 'sent'));
    await read();
    await read();
    // A walk that returned the later change now would skip the earlier one, which is not committed.
    expect([met.get(early.id), met.get(late.id)]).toEqual(['queued', 'queued']);
  });
  await waitFor(() => isUpToDate(), { description: 'both changes to be read' });
});

test('a client that follows changes reads each at least once beside many writers', async () => {
  const storeId = randomUUID();
  const leads = Array.from({ length: 4 }, () => randomUUID());
  const { read, isUpToDate } = follower(storeId, 7);
  const steps: MessageStatus[] = ['sending', 'sent', 'delivered', 'read'];
  let writing = true;
  const writers = leads.map(async (leadId) => {
    for (let round = 0; round < 25; round += 1) {
      const { id } = await write(storeId, (sql) => insert(sql, storeId, { leadId }));
      for (const status of steps.slice(0, 1 + (round % steps.length))) {
        await write(storeId, (sql) => change(sql, id, status));
      }
    }
  });
  const reading = (async () => {
    while (writing) await read();
  })();
  await Promise.all(writers);
  writing = false;
  await reading;
  await waitFor(() => isUpToDate(), { description: 'every change to be read' });
});
