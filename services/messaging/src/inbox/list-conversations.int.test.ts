import { randomUUID } from 'node:crypto';
import {
  cancelMessage,
  closeSession,
  type listConversations,
  listLeadContacts,
  listSessions,
  maxPreviewLength,
  type RequestOf,
} from '@mostrador/contracts';
import type { Person } from '@mostrador/kit/rpc/context';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newInbox, type TestInbox } from '../../test/inbox.ts';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';
import { fail } from '../delivery/record-final.ts';
import { followLeads } from './catch-up.ts';

let messaging: TestMessaging;
let inbox: TestInbox;
beforeAll(async () => {
  messaging = await startMessaging();
});
afterAll(() => messaging?.stop());
beforeEach(async () => {
  inbox = await newInbox(messaging);
});

const context = () => testContext({ storeId: inbox.storeId });
const addLead = (name: string) => messaging.crm.addLead(inbox.storeId, undefined, name);
/** Changes a lead in crm, and lets messaging learn it. */
const change = async (leadId: string, members: Parameters<TestMessaging['crm']['change']>[2]) => {
  messaging.crm.change(inbox.storeId, leadId, members);
  await followLeads(messaging.dependencies, context(), [leadId]);
};
/** A lead who has just written. */
const heard = async (name: string, members?: Parameters<typeof change>[1]) => {
  const leadId = addLead(name);
  await inbox.hear(leadId);
  if (members) await change(leadId, members);
  return leadId;
};
const seller = (sellerId: string): Person => ({ userId: randomUUID(), role: 'seller', sellerId });

test('a conversation has its lead, its last message and what the store should know of it', async () => {
  const leadId = addLead('Maria');
  await inbox.hear(leadId, 'Bom dia');
  const since = (await inbox.list()).data[0]?.last_activity_at;
  await inbox.hear(leadId, '🦊'.repeat(maxPreviewLength + 1));
  const { data, ...rest } = await inbox.list();
  expect(rest).toEqual({ total: 1, page: 1, limit: 50, cursor: undefined });
  const [, id] = await inbox.messageIds(leadId);
  const at = data[0]?.last_message.created_at;
  expect(data).toEqual([
    {
      lead: {
        id: leadId,
        name: 'Maria',
        customer_phone: expect.stringMatching(/^55119/),
        channel_user_id: null,
        username: null,
        status: 'pending',
        seller_id: null,
        ai_paused_until: null,
        ai_paused_by: null,
      },
      last_message: {
        id,
        direction: 'inbound',
        source: 'lead',
        type: 'text',
        body: '🦊'.repeat(maxPreviewLength),
        status: 'received',
        created_at: at,
        revoked_at: null,
        voice: false,
      },
      unread_count: 2,
      unanswered: true,
      waiting_since: since,
      needs_attention: false,
      opted_out_at: null,
      held_by: 'store',
      window_open: true,
      window_expires_at: null,
      last_activity_at: at,
    },
  ]);
});

test('a lead without a message is not in the list, and a new one is at once', async () => {
  const leadId = addLead('Maria');
  await messaging.adminSql`insert into conversations (store_id, lead_id) values (${inbox.storeId}, ${leadId})`;
  expect(await inbox.list()).toMatchObject({ data: [], total: 0 });
  await inbox.say(leadId);
  expect(await inbox.names()).toEqual(['Maria']);
});

test('the list has the latest activity in either direction first', async () => {
  const [one, two] = [await heard('One'), await heard('Two')];
  await heard('Three');
  expect(await inbox.names()).toEqual(['Three', 'Two', 'One']);
  await inbox.say(one, 'followup');
  expect(await inbox.names()).toEqual(['One', 'Three', 'Two']);
  await inbox.hear(two);
  expect(await inbox.names()).toEqual(['Two', 'One', 'Three']);
});

test('a walk has each conversation in which nothing happens once, while others move to the front', async () => {
  const leads = [];
  for (let n = 0; n < 7; n++) leads.push(await heard(String(n)));
  const first = await inbox.list({ limit: 3 });
  expect(first).toMatchObject({ total: 7, page: 1, limit: 3 });
  await inbox.hear(leads[0] as string);
  await heard('new');
  const second = await inbox.list({ limit: 3, cursor: first.cursor as string });
  const names = [...first.data, ...second.data].map(({ lead }) => lead.name);
  expect(names).toEqual(['6', '5', '4', '3', '2', '1']);
  expect(second).toMatchObject({ total: 7, page: 2, cursor: undefined });
  expect(await inbox.names({ limit: 3, page: 2 })).toEqual(['5', '4', '3']);
});

test('conversations of the same moment are in the order of their leads, and each is on one page', async () => {
  for (let n = 0; n < 5; n++) await heard(String(n));
  await messaging.adminSql`update conversations set last_message_at = now() where store_id = ${inbox.storeId}`;
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await inbox.list({ limit: 2, ...(cursor ? { cursor } : {}) });
    ids.push(...page.data.map(({ lead }) => lead.id));
    cursor = page.cursor;
  } while (cursor);
  expect(ids).toEqual([...new Set(ids)].toSorted().toReversed());
  expect(ids).toHaveLength(5);
});

describe('sorted by waiting', () => {
  const sort = 'waiting_since';

  test('who has waited longest is first, keeps the place while writing more, and leaves with an answer', async () => {
    const [one, two] = [await heard('One'), await heard('Two')];
    await heard('Three');
    await inbox.hear(one);
    expect(await inbox.list({ sort })).toMatchObject({ total: 3 });
    expect(await inbox.names({ sort })).toEqual(['One', 'Two', 'Three']);
    await inbox.say(one, 'ai');
    const messageId = await inbox.say(two);
    expect(await inbox.names({ sort })).toEqual(['Three']);
    expect((await inbox.list()).data.map(({ waiting_since }) => waiting_since === null)).toEqual([true, true, false]);
    await inbox.hear(one);
    expect(await inbox.names({ sort })).toEqual(['Three', 'One']);
    await messaging.rpc.call(cancelMessage, { params: { leadId: two, messageId } }, context());
    expect(await inbox.names({ sort })).toEqual(['Two', 'Three', 'One']);
  });

  test('who writes in a session that a request closes waits no longer, and one that ends by itself is no answer', async () => {
    const [closed, idle] = [await heard('Closed'), await heard('Idle')];
    const sessionOf = async (leadId: string) =>
      (await messaging.rpc.call(listSessions, { params: { leadId } }, context())).at(-1)?.id as string;
    const close = async (leadId: string, sessionId: string) =>
      messaging.rpc.call(closeSession, { params: { leadId, sessionId } }, context());
    const { adminSql } = messaging;
    await close(closed, await sessionOf(closed));
    await adminSql`
      update sessions set status = 'ended', ended_at = now(), end_recorded_at = now()
      where store_id = ${inbox.storeId} and lead_id = ${idle}`;
    expect(await inbox.names({ unanswered: true })).toEqual(['Idle']);
    expect(await inbox.names({ sort })).toEqual(['Idle']);
    const first = await sessionOf(idle);
    await inbox.hear(idle);
    await close(idle, first);
    expect((await inbox.list({ sort })).data).toMatchObject([{ lead: { name: 'Idle' }, unread_count: 2 }]);
    await adminSql`
      update sessions set status = 'ended', ended_at = now(), end_recorded_at = now()
      where store_id = ${inbox.storeId} and lead_id = ${idle} and status = 'active'`;
    await close(idle, await sessionOf(idle));
    expect(await inbox.list({ sort })).toMatchObject({ data: [], total: 0 });
    await inbox.hear(closed);
    expect(await inbox.names({ unanswered: true })).toEqual(['Closed']);
  });

  test('a walk has each lead who waits once, while others begin to wait and are answered', async () => {
    const leads = [];
    for (let n = 0; n < 5; n++) leads.push(await heard(String(n)));
    await messaging.adminSql`
      update conversations set waiting_since = date_trunc('hour', now()) where store_id = ${inbox.storeId}`;
    const first = await inbox.list({ sort, limit: 2 });
    await inbox.say(first.data[0]?.lead.id as string);
    await inbox.hear(first.data[1]?.lead.id as string);
    await heard('new');
    const second = await inbox.list({ sort, limit: 2, cursor: first.cursor as string });
    const third = await inbox.list({ sort, limit: 2, cursor: second.cursor as string });
    const ids = [first, second, third].flatMap(({ data }) => data.map(({ lead }) => lead.id));
    expect(ids.slice(0, 5)).toEqual(leads.toSorted());
    expect(third).toMatchObject({ data: [{}, { lead: { name: 'new' } }], page: 3, total: 5, cursor: undefined });
  });

  test('filters, a search and what a seller sees narrow it', async () => {
    const [ana, bia] = [randomUUID(), randomUUID()];
    await heard('A of Ana', { seller_id: ana });
    await heard('B of Bia', { seller_id: bia, status: 'lost' });
    const answered = await heard('C of Ana', { seller_id: ana });
    await heard('D free');
    await heard('E of Ana', { seller_id: ana });
    await inbox.say(answered);
    const asAna = seller(ana);
    expect(await inbox.names({ sort }, asAna)).toEqual(['A of Ana', 'D free', 'E of Ana']);
    expect(await inbox.names({ sort, limit: 1, page: 2 }, asAna)).toEqual(['D free']);
    expect(await inbox.names({ sort, seller_id: bia }, asAna)).toEqual([]);
    expect(await inbox.names({ sort, q: 'of' }, asAna)).toEqual(['A of Ana', 'E of Ana']);
    expect(await inbox.names({ sort, q: 'of' })).toEqual(['A of Ana', 'B of Bia', 'E of Ana']);
    expect(await inbox.names({ sort, status: 'lost', unread: true })).toEqual(['B of Bia']);
    expect(await inbox.names({ sort, seller_id: 'none', unanswered: true })).toEqual(['D free']);
  });

  test('a lead without a stored first unanswered message has waited since the last message', async () => {
    const [one, two] = [await heard('One'), await heard('Two')];
    await messaging.adminSql`update conversations set waiting_since = null where lead_id in ${messaging.adminSql([one, two])}`;
    const [before] = (await inbox.list({ sort })).data;
    expect(before).toMatchObject({ lead: { name: 'One' }, waiting_since: before?.last_activity_at });
    await inbox.hear(one);
    const { data } = await inbox.list({ sort });
    expect(data).toMatchObject([{ waiting_since: before?.waiting_since }, { lead: { name: 'Two' } }]);
  });
});

describe('filters', () => {
  test('select by the status and the seller of the lead, alone and together', async () => {
    const [ana, bia] = [randomUUID(), randomUUID()];
    await heard('A', { status: 'lost', seller_id: ana });
    await heard('B', { status: 'in_progress', seller_id: bia });
    await heard('C');
    expect(await inbox.names({ status: 'lost,in_progress' })).toEqual(['B', 'A']);
    expect(await inbox.names({ seller_id: ana.toUpperCase() })).toEqual(['A']);
    expect(await inbox.names({ seller_id: 'none' })).toEqual(['C']);
    expect(await inbox.names({ seller_id: bia, status: 'lost' })).toEqual([]);
    expect(await inbox.list({ seller_id: bia, status: 'in_progress' })).toMatchObject({ total: 1 });
  });

  test('select what is unread, unanswered, or paused now', async () => {
    const answered = await heard('answered');
    await inbox.say(answered, 'ai');
    const read = await heard('read');
    await inbox.read(read, (await inbox.messageIds(read))[0] as string);
    const ana = { kind: 'user', id: randomUUID(), name: 'Ana' } as const;
    await heard('paused', { ai_paused_until: new Date(Date.now() + 3_600_000).toISOString(), ai_paused_by: ana });
    await heard('was paused', { ai_paused_until: new Date(Date.now() - 1).toISOString(), ai_paused_by: ana });
    expect(await inbox.names({ unread: true })).toEqual(['was paused', 'paused', 'answered']);
    expect(await inbox.names({ unanswered: true })).toEqual(['was paused', 'paused', 'read']);
    expect(await inbox.names({ ai_paused: true })).toEqual(['paused']);
    expect(await inbox.names({ ai_paused: true, unread: true, unanswered: true })).toEqual(['paused']);
    const { data } = await inbox.list();
    expect(data.map(({ lead }) => lead.ai_paused_until !== null)).toEqual([false, true, false, false]);
    expect(data.map(({ lead }) => lead.ai_paused_by)).toEqual([null, ana, null, null]);
  });

  test('select what needs attention: the last message to the lead failed, or its outcome is unknown', async () => {
    const { database } = messaging.dependencies;
    const [failed, later, cancelled] = [await heard('failed'), await heard('later'), await heard('cancelled')];
    const error = { code: 'x', detail: 'x' };
    for (const leadId of [failed, later, cancelled]) {
      const id = await inbox.say(leadId);
      await database.write(context(), (sql) => fail(sql, inbox.storeId, id, error));
    }
    await inbox.hear(failed);
    await inbox.say(later);
    expect(await inbox.names({ needs_attention: true })).toEqual(['failed', 'cancelled']);
    const messageId = await inbox.say(cancelled);
    expect(await inbox.names({ needs_attention: true })).toEqual(['failed']);
    await messaging.rpc.call(cancelMessage, { params: { leadId: cancelled, messageId } }, context());
    expect(await inbox.names({ needs_attention: true })).toEqual(['cancelled', 'failed']);
  });

  test('a search finds conversations by their leads in crm, within the other filters', async () => {
    await heard('Maria Souza');
    await heard('João');
    await heard('Maria Lima', { status: 'lost' });
    addLead('Maria without a message');
    expect(await inbox.names({ q: 'Maria' })).toEqual(['Maria Lima', 'Maria Souza']);
    expect(await inbox.names({ q: 'Maria', status: 'pending' })).toEqual(['Maria Souza']);
    const first = await inbox.list({ q: 'Maria', limit: 1 });
    expect(first).toMatchObject({ total: 2 });
    expect(await inbox.names({ q: 'Maria', limit: 1, cursor: first.cursor as string })).toEqual(['Maria Souza']);
    expect(await inbox.list({ q: 'nothing' })).toMatchObject({ data: [], total: 0 });
  });

  test.each<[string, object]>([
    ['an unknown status', { status: 'open' }],
    ['a seller that is no id', { seller_id: 'ana' }],
    ['a filter that is false', { unread: false }],
    ['a filter that is false', { ai_paused: false }],
    ['a filter that is false', { unanswered: false }],
    ['a filter that is false', { needs_attention: false }],
    ['a short search', { q: 'a' }],
    ['a search for signs alone', { q: '..!' }],
    ['a page of none', { limit: 0 }],
    ['a large page', { limit: 201 }],
    ['a page before the first', { page: 0 }],
    ['an unknown filter', { tag: 'x' }],
    ['an unknown sort', { sort: '-waiting_since' }],
    ['a cursor of nothing', { cursor: 'x' }],
    ['a cursor with a page', { cursor: 'x', page: 1 }],
  ])('with %s are refused', async (_, query) => {
    await expect(inbox.list(query as RequestOf<typeof listConversations>['query'])).rejects.toMatchObject({
      code: 'validation_failed',
    });
  });

  test('a cursor belongs to its filters, and to what its person sees', async () => {
    const ana = randomUUID();
    for (const name of ['A', 'B']) await heard(name);
    const { cursor = '' } = await inbox.list({ limit: 1 });
    await expect(inbox.list({ cursor, unread: true })).rejects.toMatchObject({ code: 'validation_failed' });
    await expect(inbox.list({ cursor }, seller(ana))).rejects.toMatchObject({ code: 'validation_failed' });
    await expect(inbox.list({ cursor, sort: 'waiting_since' })).rejects.toMatchObject({ code: 'validation_failed' });
    expect(await inbox.names({ cursor, sort: '-last_activity_at' })).toEqual(['A']);
    const waiting = await inbox.list({ sort: 'waiting_since', limit: 1 });
    const other = { cursor: waiting.cursor as string, unanswered: true } as const;
    await expect(inbox.list(other)).rejects.toMatchObject({ code: 'validation_failed' });
    expect(await inbox.names({ cursor: waiting.cursor as string, sort: 'waiting_since' })).toEqual(['B']);
  });
});

test('a seller sees the conversations of their own leads and of those without a seller', async () => {
  const [ana, bia] = [randomUUID(), randomUUID()];
  await heard('of Ana', { seller_id: ana });
  await heard('of Bia', { seller_id: bia });
  await heard('of no seller');
  const [asAna, asBia] = [seller(ana), seller(bia)];
  expect(await inbox.list({}, asAna)).toMatchObject({ total: 2 });
  expect(await inbox.names({}, asAna)).toEqual(['of no seller', 'of Ana']);
  expect(await inbox.names({ seller_id: ana }, asAna)).toEqual(['of Ana']);
  expect(await inbox.names({ seller_id: 'none' }, asBia)).toEqual(['of no seller']);
  expect(await inbox.list({ seller_id: ana }, asBia)).toMatchObject({ data: [], total: 0 });
  expect(await inbox.names({ q: 'of' }, asBia)).toEqual(['of no seller', 'of Bia']);
  expect(await inbox.names({ unread: true, limit: 1, page: 2 }, asAna)).toEqual(['of Ana']);
  expect(await inbox.names({}, { ...asAna, role: 'manager' })).toEqual(['of no seller', 'of Bia', 'of Ana']);
});

test('another store sees nothing of it', async () => {
  await heard('Maria');
  expect(await (await newInbox(messaging)).list()).toMatchObject({ data: [], total: 0 });
});

test('while crm does not answer, the list has the leads that are known', async () => {
  await heard('known');
  expect(await inbox.names()).toEqual(['known']);
  await messaging.crm.stop();
  try {
    await inbox.say(addLead('new'));
    expect(await inbox.names()).toEqual(['known']);
  } finally {
    await messaging.crm.start();
  }
  expect(await inbox.names()).toEqual(['new', 'known']);
});

test('while crm hangs, the list does not wait for it until its own deadline', async () => {
  await heard('known');
  await inbox.names();
  await messaging.crm.stop();
  const hangs = messaging.nats.nats.subscribe(listLeadContacts.subject, { callback: () => {} });
  try {
    await messaging.nats.nats.flush();
    await inbox.say(addLead('new'));
    expect(await inbox.names()).toEqual(['known']);
  } finally {
    hangs.unsubscribe();
    await messaging.crm.start();
  }
  expect(await inbox.names()).toEqual(['new', 'known']);
});

test('the list shows an opt-out and an open or closed reply window', async () => {
  const [open, closed, called] = [await heard('open'), await heard('closed'), await heard('called')];
  const never = addLead('never');
  await inbox.say(never);
  await inbox.hear(open, 'sair');
  const { adminSql } = messaging;
  await adminSql`update channels set reply_window_minutes = 60 where store_id = ${inbox.storeId}`;
  await adminSql`
    update conversations set last_inbound_at = now() - interval '2 hours'
    where store_id = ${inbox.storeId} and lead_id in (${closed}, ${called})`;
  await adminSql`
    update conversations set called_at = now() where store_id = ${inbox.storeId} and lead_id = ${called}`;
  const { data } = await inbox.list();
  const shown = new Map(data.map(({ lead, ...rest }) => [lead.name, rest]));
  expect(shown.get('open')).toMatchObject({ window_open: true, opted_out_at: expect.any(String) });
  expect(shown.get('closed')).toMatchObject({ window_open: false, window_expires_at: expect.any(String) });
  expect(shown.get('called')).toMatchObject({ window_open: true, window_expires_at: expect.any(String) });
  expect(shown.get('never')).toMatchObject({ window_open: false, window_expires_at: null, opted_out_at: null });
});
