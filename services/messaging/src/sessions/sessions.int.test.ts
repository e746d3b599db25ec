import { randomUUID } from 'node:crypto';
import { closeSession, isFirstContact, listSessions, updateMessagingSettings } from '@mostrador/contracts';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';
import { ensureConversation } from '../conversations/conversation.repository.ts';
import { endIdleSessions } from './end-idle-sessions.ts';
import { touchSession } from './session.repository.ts';

let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging();
});
afterAll(() => messaging?.stop());

const touch = (storeId: string, leadId: string, at: string | Date) =>
  messaging.database.write(testContext({ storeId }), async (sql) => {
    await ensureConversation(sql, storeId, leadId);
    const { events, ...touched } = await touchSession(sql, storeId, leadId, {
      at: new Date(at),
      direction: 'inbound',
    });
    await appendOutbox(sql, storeId, events);
    return touched;
  });
const list = (storeId: string, leadId: string) =>
  messaging.rpc.call(listSessions, { params: { leadId } }, testContext({ storeId }));
const close = (storeId: string, leadId: string, sessionId: string, options = {}) =>
  messaging.rpc.call(closeSession, { params: { leadId, sessionId } }, testContext({ storeId, ...options }));
const idleHours = (storeId: string, session_idle_hours: number) =>
  messaging.rpc.call(updateMessagingSettings, { body: { session_idle_hours } }, testContext({ storeId }));
const endIdle = () =>
  endIdleSessions({ ...messaging.dependencies, log: testContext().log }, new AbortController().signal);
const eventsOf = async (storeId: string) =>
  (await messaging.events(storeId)).map(({ topic, data }) => `${topic} ${data.session_id}`);
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
const newLead = () => ({ storeId: randomUUID(), leadId: randomUUID() });

test('a lead is in its first contact until a session of it has ended', async () => {
  const { storeId, leadId } = newLead();
  const isFirst = async () =>
    (await messaging.rpc.call(isFirstContact, { body: { lead_id: leadId } }, testContext({ storeId }))).first_contact;
  expect(await isFirst()).toBe(true);
  const { sessionId } = await touch(storeId, leadId, new Date());
  expect(await isFirst()).toBe(true);
  await close(storeId, leadId, sessionId);
  await touch(storeId, leadId, new Date());
  expect(await isFirst()).toBe(false);
});

describe('a session', () => {
  test('is opened once by fifty concurrent messages, with one event', async () => {
    const { storeId, leadId } = newLead();
    const touched = await Promise.all(Array.from({ length: 50 }, () => touch(storeId, leadId, new Date())));
    expect(new Set(touched.map(({ sessionId }) => sessionId)).size).toBe(1);
    expect(touched.filter(({ opened }) => opened)).toHaveLength(1);
    expect(await list(storeId, leadId)).toMatchObject([{ status: 'active', ended_at: null }]);
    expect(await eventsOf(storeId)).toEqual([`messaging.session.started ${touched[0]?.sessionId}`]);
  });

  test('a second active session of a lead violates a database constraint', async () => {
    const { storeId, leadId } = newLead();
    await touch(storeId, leadId, new Date());
    const second = messaging.adminSql`
      insert into sessions (store_id, lead_id, started_at, last_message_at) values (${storeId}, ${leadId}, now(), now())`;
    await expect(second).rejects.toThrow('sessions_active');
  });

  test('continues with every message, and after 24 idle hours the next message opens another one', async () => {
    const { storeId, leadId } = newLead();
    const { sessionId } = await touch(storeId, leadId, '2026-11-01T10:00:00Z');
    expect(await touch(storeId, leadId, '2026-11-02T09:59:59.999Z')).toEqual({ sessionId, opened: false });
    // A late message does not move the last activity back.
    expect(await touch(storeId, leadId, '2026-11-01T11:00:00Z')).toEqual({ sessionId, opened: false });
    const next = await touch(storeId, leadId, '2026-11-03T09:59:59.999Z');
    expect(next).toEqual({ sessionId: expect.not.stringMatching(sessionId), opened: true });
    expect(await list(storeId, leadId)).toEqual([
      {
        id: sessionId,
        lead_id: leadId,
        status: 'ended',
        started_at: '2026-11-01T10:00:00.000Z',
        ended_at: '2026-11-03T09:59:59.999Z',
      },
      {
        id: next.sessionId,
        lead_id: leadId,
        status: 'active',
        started_at: '2026-11-03T09:59:59.999Z',
        ended_at: null,
      },
    ]);
    expect(await eventsOf(storeId)).toEqual([
      `messaging.session.started ${sessionId}`,
      `messaging.session.ended ${sessionId}`,
      `messaging.session.started ${next.sessionId}`,
    ]);
  });

  test('ends after the idle time that its store sets', async () => {
    const { storeId, leadId } = newLead();
    await idleHours(storeId, 0.5);
    await touch(storeId, leadId, '2026-11-01T10:00:00Z');
    expect(await touch(storeId, leadId, '2026-11-01T10:29:00Z')).toMatchObject({ opened: false });
    expect(await touch(storeId, leadId, '2026-11-01T10:59:00Z')).toMatchObject({ opened: true });
  });
});

describe('the list', () => {
  test('has all sessions in chronological order, as a bare array', async () => {
    const { storeId, leadId } = newLead();
    for (let day = 1; day <= 30; day += 2) {
      await touch(storeId, leadId, new Date(Date.UTC(2026, 9, day, 12)));
    }
    const sessions = await list(storeId, leadId);
    expect(sessions).toHaveLength(15);
    const starts = sessions.map(({ started_at }) => started_at);
    expect(starts).toEqual(starts.toSorted());
  });

  test('is empty for a lead that never wrote, and an unknown or another store’s lead is not found', async () => {
    const storeId = randomUUID();
    expect(await list(storeId, messaging.crm.addLead(storeId))).toEqual([]);
    await expect(list(storeId, randomUUID())).rejects.toMatchObject({ code: 'lead_not_found' });
    const theirs = newLead();
    await touch(theirs.storeId, theirs.leadId, new Date());
    await expect(list(storeId, theirs.leadId)).rejects.toMatchObject({ code: 'lead_not_found' });
  });
});

describe('closing', () => {
  test('ends the session now, changes nothing the second time, and the next message opens a new one', async () => {
    const { storeId, leadId } = newLead();
    const { sessionId } = await touch(storeId, leadId, hoursAgo(1));
    const closed = await close(storeId, leadId, sessionId);
    expect(closed).toMatchObject({ id: sessionId, status: 'ended', ended_at: expect.any(String) });
    expect(await close(storeId, leadId, sessionId)).toEqual(closed);
    expect((await touch(storeId, leadId, new Date())).sessionId).not.toBe(sessionId);
    expect((await eventsOf(storeId)).filter((event) => event.includes('ended'))).toHaveLength(1);
    const [started, ended, ...next] = await messaging.feed(storeId);
    expect(started).toMatchObject({ type: 'session.started', data: { object: { status: 'active', ended_at: null } } });
    expect(ended).toEqual({
      type: 'session.ended',
      entity_id: sessionId,
      data: { session_id: sessionId, lead_id: leadId, object: closed },
    });
    expect(next.map(({ type }) => type)).toEqual(['session.started']);
  });

  test('with the same key twice gets the stored answer', async () => {
    const { storeId, leadId } = newLead();
    const { sessionId } = await touch(storeId, leadId, new Date());
    const keyed = { idempotencyKey: 'k', idempotencyScope: `POST /leads/${leadId}/sessions/${sessionId}/close` };
    const first = await close(storeId, leadId, sessionId, keyed);
    expect(await close(storeId, leadId, sessionId, keyed)).toEqual(first);
  });

  test('during concurrent messages leaves at most one active session', async () => {
    const { storeId, leadId } = newLead();
    const { sessionId } = await touch(storeId, leadId, new Date());
    const touching = Array.from({ length: 30 }, () => touch(storeId, leadId, new Date()));
    await Promise.all([...touching, close(storeId, leadId, sessionId)]);
    const sessions = await list(storeId, leadId);
    expect(sessions.filter(({ status }) => status === 'active').length).toBeLessThanOrEqual(1);
    expect(sessions.length).toBeLessThanOrEqual(2);
  });

  test('does not find a session of another lead or store', async () => {
    const { storeId, leadId } = newLead();
    const { sessionId } = await touch(storeId, leadId, new Date());
    for (const [code, store, lead, session] of [
      ['session_not_found', storeId, messaging.crm.addLead(storeId), sessionId],
      ['session_not_found', storeId, leadId, randomUUID()],
      ['lead_not_found', randomUUID(), leadId, sessionId],
      ['lead_not_found', storeId, randomUUID(), sessionId],
      ['lead_not_found', storeId, randomUUID(), randomUUID()],
    ] as const) {
      await expect(close(store, lead, session)).rejects.toMatchObject({ code });
    }
    expect(await list(storeId, leadId)).toMatchObject([{ status: 'active' }]);
  });
});

describe('the job for idle sessions', () => {
  test('ends each idle session by its store’s idle time, at the moment when that ran out, with an event', async () => {
    await endIdle();
    const [usual, short] = [newLead(), newLead()];
    await idleHours(short.storeId, 2);
    const at = hoursAgo(3);
    const opened = {
      usual: await touch(usual.storeId, usual.leadId, at),
      short: await touch(short.storeId, short.leadId, at),
    };
    expect(await endIdle()).toBe(1);
    expect(await list(usual.storeId, usual.leadId)).toMatchObject([{ status: 'active' }]);
    expect(await list(short.storeId, short.leadId)).toMatchObject([
      { status: 'ended', ended_at: new Date(at.getTime() + 2 * 3_600_000).toISOString() },
    ]);
    expect(await eventsOf(short.storeId)).toContain(`messaging.session.ended ${opened.short.sessionId}`);
    expect(await eventsOf(usual.storeId)).not.toContain(`messaging.session.ended ${opened.usual.sessionId}`);
    expect(await endIdle()).toBe(0);
  });

  test('ends more sessions than a batch, each once, even when two jobs run at once', async () => {
    await endIdle();
    const storeId = randomUUID();
    const { adminSql } = messaging;
    await adminSql`
      insert into conversations (store_id, lead_id) select ${storeId}, uuidv7() from generate_series(1, 1200)`;
    await adminSql`
      insert into sessions (store_id, lead_id, started_at, last_message_at)
      select store_id, lead_id, now() - interval '25 hours', now() - interval '25 hours' from conversations
      where store_id = ${storeId}`;
    const ended = await Promise.all([endIdle(), endIdle()]);
    while ((await endIdle()) > 0);
    expect(await adminSql`select 1 from sessions where store_id = ${storeId} and status = 'active'`).toEqual([]);
    expect(await messaging.events(storeId)).toHaveLength(1200);
    expect(ended.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(1200);
  });
});
