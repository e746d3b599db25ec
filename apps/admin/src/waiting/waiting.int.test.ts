import { randomUUID } from 'node:crypto';
import {
  connectCalendar,
  listStores,
  type OperatorKind,
  type RequestOf,
  recordOperation,
  syncCalendarEvent,
  updateMessagingSettings,
  waitingKinds,
} from '@mostrador/contracts';
import { createRpcServer } from '@mostrador/kit/rpc/server';
import { silentLog, testContext } from '@mostrador/testing/context';
import type { TestService } from '@mostrador/testing/service';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startAssistant, type TestAssistant } from '../../../../services/assistant/test/assistant.ts';
import { startEvents, type TestEvents } from '../../../../services/events/test/events.ts';
import { stageWebhook } from '../../../../services/events/test/webhooks.ts';
import { connectWhatsapp } from '../../../../services/messaging/test/inbound-webhook.ts';
import { startMessaging, type TestMessaging } from '../../../../services/messaging/test/messaging.ts';
import { CalendarError } from '../../../../services/scheduling/src/calendars/calendar-provider.ts';
import { startFollowups } from '../../../../services/scheduling/test/followups.ts';
import { startScheduling, type TestScheduling } from '../../../../services/scheduling/test/scheduling.ts';
import { type ScriptedCalendar, scriptedCalendar } from '../../../../services/scheduling/test/scripted-calendar.ts';
import { storeRecord } from '../../test/platform.ts';
import { runAt } from '../../test/run-here.ts';

let messaging: TestMessaging;
let scheduling: TestScheduling;
let events: TestEvents;
let assistant: TestAssistant;
let calendar: ScriptedCalendar;
let recorded: RequestOf<typeof recordOperation>['body'][] = [];
const drains: { drain(): Promise<void> }[] = [];

beforeAll(async () => {
  calendar = scriptedCalendar();
  [messaging, scheduling, events, assistant] = await Promise.all([
    startMessaging(),
    startScheduling({ openProvider: (connection) => calendar.open(connection) }),
    startEvents(),
    startAssistant(),
  ]);
  events.startSender();
  for (const { nats } of [messaging, scheduling, events, assistant]) {
    drains.push(
      createRpcServer({
        nats: nats.nats,
        service: 'accounts',
        operations: { listStores, recordOperation },
        handlers: {
          listStores: async (_context, { body }) => ({
            stores: body.store_id ? [storeRecord(body.store_id)] : [],
            more: false,
          }),
          recordOperation: async (_context, { body }) => {
            recorded.push(body);
            return { done: true } as const;
          },
        },
        log: silentLog(),
      }),
    );
    await nats.nats.flush();
  }
});
afterAll(async () => {
  await Promise.all(drains.map((server) => server.drain()));
  await Promise.all([messaging?.stop(), scheduling?.stop(), events?.stop(), assistant?.stop()]);
});
beforeEach(() => {
  recorded = [];
});

/** One that waits and whose last attempt failed, in a store of its own, and what became of it. */
type Planted = {
  readonly storeId: string;
  readonly id: string;
  readonly state: () => Promise<string>;
  close?(): Promise<void>;
};
type Kind = {
  readonly service: () => TestService;
  plant(): Promise<Planted>;
  /** What a retry and a give-up make of it. */
  readonly retried: string;
  readonly givenUp: string;
};

const later = "now() + interval '1 hour'";
/** A calendar watch cannot be given up, and has a test of its own. */
type PlantedKind = Exclude<OperatorKind, 'calendar_watch'>;
const kinds: Record<PlantedKind, Kind> = {
  ai_turn: {
    service: () => assistant,
    async plant() {
      const [storeId, leadId] = [randomUUID(), randomUUID()];
      const [row] = await assistant.adminSql`
        insert into ai_turns (store_id, lead_id, first_received_at, last_received_at, next_attempt_at, started_at,
          attempts, error_code, model_failures)
        values (${storeId}, ${leadId}, now() - interval '1 minute', now() - interval '1 minute',
          now() + interval '1 hour', now(), 2, 'model_timed_out', '{"demo": {}}') returning id`;
      const state = `state || ' ' || coalesce(next_attempt_at <= now(), false) || ' ' || (error_code is null)`;
      return { storeId, id: row?.id, state: stateOf(assistant, 'ai_turns', state, 'id', row?.id) };
    },
    retried: 'open true true',
    givenUp: 'silent false true',
  },
  message: {
    service: () => messaging,
    async plant() {
      const storeId = randomUUID();
      await messaging.addChannel(storeId);
      await messaging.rpc.call(
        updateMessagingSettings,
        { body: { message_wait_seconds: 0 } },
        testContext({ storeId }),
      );
      const { id } = await messaging.send(storeId, messaging.crm.addLead(storeId));
      await messaging.adminSql.unsafe(
        `update messages set attempts = 1, error_code = 'x', error_detail = 'y', next_attempt_at = ${later} where id = '${id}'`,
      );
      return {
        storeId,
        id,
        state: stateOf(messaging, 'messages', `status || ' ' || (next_attempt_at is null)`, 'id', id),
      };
    },
    retried: 'queued true',
    givenUp: 'failed true',
  },
  inbound_payload: {
    service: () => messaging,
    async plant() {
      const storeId = randomUUID();
      const { channelId } = await connectWhatsapp(messaging, storeId);
      const [row] = await messaging.adminSql`
        insert into inbound_payloads (store_id, channel_id, payload, processed_at, failed_at, attempts, last_error)
        values (${storeId}, ${channelId}, '{}', now(), now(), 20, 'failed') returning id`;
      const state = `(processed_at is null) || ' ' || (failed_at is null) || ' ' || attempts`;
      return { storeId, id: row?.id, state: stateOf(messaging, 'inbound_payloads', state, 'id', row?.id) };
    },
    retried: 'true true 0',
    givenUp: 'false true 20',
  },
  followup: {
    service: () => scheduling,
    async plant() {
      const followups = await startFollowups(scheduling);
      const { id } = await followups.create();
      await scheduling.adminSql.unsafe(
        `update followups set due_at = now() - interval '1 hour', attempts = 1, error_code = 'x', error_detail = 'y',
           next_attempt_at = ${later} where id = '${id}'`,
      );
      const state = stateOf(
        scheduling,
        'followups',
        `status || ' ' || coalesce(next_attempt_at <= now(), false)`,
        'id',
        id,
      );
      return { storeId: followups.storeId, id, state, close: () => followups.stop() };
    },
    retried: 'pending true',
    givenUp: 'cancelled false',
  },
  calendar_sync: {
    service: () => scheduling,
    async plant() {
      const followups = await startFollowups(scheduling);
      const { storeId } = followups;
      const body = { provider: 'caldav', url: 'https://dav.example.com/' } as const;
      await scheduling.rpc.call(connectCalendar, { body }, testContext({ storeId }));
      const { id } = await scheduling.create(storeId);
      calendar.next(() => {
        throw new CalendarError('unavailable', 'caldav_503', 'The calendar server fails.');
      });
      await scheduling.rpc.call(syncCalendarEvent, { body: { appointment_id: id } }, testContext({ storeId }));
      const state = `state || ' ' || coalesce(next_attempt_at <= now(), false)`;
      return {
        ...{ storeId, id, close: () => followups.stop() },
        state: stateOf(scheduling, 'calendar_syncs', state, 'appointment_id', id),
      };
    },
    retried: 'pending true',
    givenUp: 'failed false',
  },
  webhook_delivery: {
    service: () => events,
    async plant() {
      const staged = await stageWebhook(events);
      staged.receiver.answer(() => ({ status: 500 }));
      await staged.append(randomUUID());
      await expect.poll(async () => (await staged.deliveries()).map(({ error }) => error)).toEqual(['http_500']);
      const [delivery] = await staged.deliveries();
      const id = String(delivery?.id);
      const state = `status || ' ' || coalesce(next_attempt_at <= now(), false)`;
      return {
        ...{ storeId: staged.storeId, id, close: () => staged.close() },
        state: stateOf(events, 'webhook_deliveries', state, 'id', id),
      };
    },
    retried: 'pending true',
    givenUp: 'failed false',
  },
};

const stateOf =
  ({ adminSql }: TestService, table: string, expression: string, key: string, id: string) =>
  async (): Promise<string> => {
    const [row] = await adminSql.unsafe(`select ${expression} as state from ${table} where ${key} = '${id}'`);
    return String(row?.state);
  };

const admin = async (kind: PlantedKind, ...words: string[]) => {
  const ended = await runAt(kinds[kind].service().nats.url, ['waiting', ...words, '--kind', kind, '--json']);
  const text = ended.out || ended.err;
  return { ...ended, result: text.startsWith('{') ? JSON.parse(text) : undefined };
};
const each = Object.keys(kinds) as PlantedKind[];
const publicKind = (kind: PlantedKind) => (kind in waitingKinds ? { kind } : {});
const action = (kind: PlantedKind, verb: string) => `${kind in waitingKinds ? 'waiting' : kind}.${verb}`;

describe.each(each)('what waits of the kind %s', (kind) => {
  test('is listed across stores with its store, the oldest first, and by reason, age and store', async () => {
    const [one, other] = [await kinds[kind].plant(), await kinds[kind].plant()];
    const ids = async (...words: string[]) => {
      const { exitCode, result } = await admin(kind, 'list', '--limit', '1000', ...words);
      expect({ exitCode, unavailable: result.unavailable }).toEqual({ exitCode: 0, unavailable: [] });
      return result.data.map((item: { id: string; store_id: string }) => `${item.store_id} ${item.id}`);
    };
    const both = [`${one.storeId} ${one.id}`, `${other.storeId} ${other.id}`];
    expect((await ids()).filter((id: string) => both.includes(id))).toHaveLength(2);
    expect(await ids('--reason', 'failed_attempt')).toEqual(expect.arrayContaining(both));
    expect(await ids('--reason', 'unknown_outcome')).toEqual([]);
    expect(await ids('--store', one.storeId)).toEqual([both[0]]);
    expect(await ids('--store', one.storeId, '--older-than', '3d')).toEqual([]);
    expect((await admin(kind, 'list', '--limit', '1')).result).toMatchObject({ data: [{}], more: true });
    await Promise.all([one.close?.(), other.close?.()]);
  });

  test.each([
    ['retry', 'retry', 'retried'],
    ['give-up', 'give_up', 'givenUp'],
  ] as const)(
    'a %s changes it in every store, with an audit entry for each, and only what it names',
    async (verb, recordedAs, effect) => {
      const [one, other, untouched] = [await kinds[kind].plant(), await kinds[kind].plant(), await kinds[kind].plant()];
      const before = await Promise.all([one, other, untouched].map(({ state }) => state()));

      const tried = await admin(kind, verb, '--store', one.storeId, '--dry-run');
      expect(tried).toMatchObject({
        exitCode: 0,
        result: { dry_run: true, changes: [{ store_id: one.storeId, kind, matched: 1, done: 1, skipped: {} }] },
      });
      expect(await Promise.all([one, other, untouched].map(({ state }) => state()))).toEqual(before);
      expect(recorded).toEqual([]);

      const named = await admin(kind, verb, '--store', one.storeId, '--id', one.id);
      expect(named.result).toMatchObject({ changes: [{ matched: 1, done: 1 }] });
      expect(recorded).toEqual([
        { store_id: one.storeId, action: action(kind, recordedAs), details: { ...publicKind(kind), ids: [one.id] } },
      ]);

      const nothing = await admin(kind, verb, '--all-stores', '--reason', 'unknown_outcome');
      expect(nothing).toMatchObject({ exitCode: 0, result: { changes: [] } });
      expect(recorded).toHaveLength(1);

      const rest = await admin(kind, verb, '--all-stores', '--reason', 'failed_attempt');
      expect(rest.exitCode).toBe(0);
      const stores = rest.result.changes.map(({ store_id }: { store_id: string }) => store_id);
      expect(stores).toEqual(expect.arrayContaining([other.storeId, untouched.storeId]));
      expect(recorded.map(({ store_id }) => store_id)).toEqual(
        expect.arrayContaining([other.storeId, untouched.storeId]),
      );
      expect(recorded.at(-1)?.details).toMatchObject({
        filter: { reason: 'failed_attempt', older_than: expect.any(String) },
      });
      for (const { state } of [one, other, untouched])
        expect(await state()).toMatch(new RegExp(`^${kinds[kind][effect]}`));
      await Promise.all([one, other, untouched].map(({ close }) => close?.()));
    },
  );
});

test('a store whose rows cannot be changed is left, with the reason, and has no audit entry', async () => {
  const { storeId, id } = await kinds.message.plant();
  await messaging.adminSql`update channels set disconnected_at = now() where store_id = ${storeId}`;
  const { result } = await admin('message', 'retry', '--store', storeId);
  expect(result.changes).toEqual([
    { store_id: storeId, kind: 'message', matched: 1, done: 0, skipped: { not_connected: 1 } },
  ]);
  expect(recorded).toEqual([]);
  const unknown = await admin('message', 'give-up', '--store', storeId, '--id', id, '--unknown-as', 'failed');
  expect(unknown.result).toMatchObject({ changes: [{ done: 1 }] });
});

test('a calendar whose read is due is listed and read again, and cannot be given up', async () => {
  const storeId = randomUUID();
  const body = { provider: 'caldav', url: 'https://dav.example.com/' } as const;
  await scheduling.rpc.call(connectCalendar, { body }, testContext({ storeId }));
  await scheduling.adminSql`
    update calendar_watches set wake_at = now() - interval '1 hour' where store_id = ${storeId}`;
  const ask = async (...words: string[]) =>
    await runAt(scheduling.nats.url, ['waiting', ...words, '--store', storeId, '--kind', 'calendar_watch', '--json']);
  const listed = JSON.parse((await ask('list')).out);
  expect(listed.data).toMatchObject([{ store_id: storeId, kind: 'calendar_watch', reason: 'due' }]);
  const retried = JSON.parse((await ask('retry')).out);
  expect(retried.changes).toMatchObject([{ matched: 1, done: 1 }]);
  expect(recorded).toMatchObject([{ store_id: storeId, action: 'calendar_watch.retry' }]);
  const [watch] = await scheduling.adminSql`
    select wake_at > now() - interval '1 minute' as is_new from calendar_watches where store_id = ${storeId}`;
  expect(watch).toEqual({ is_new: true });
  expect(await ask('give-up')).toMatchObject({ exitCode: 1, err: expect.stringContaining('calendar disconnect') });
});

test('a service that does not answer is named, and the exit code is 1', async () => {
  const url = messaging.nats.url;
  const listed = await runAt(url, ['waiting', 'list', '--json']);
  expect(listed.exitCode).toBe(1);
  expect(JSON.parse(listed.out).unavailable).toEqual(['assistant', 'events', 'scheduling']);
  const changed = await runAt(url, ['waiting', 'retry', '--all-stores', '--dry-run']);
  expect(changed).toMatchObject({ exitCode: 1, out: expect.stringContaining('scheduling does not answer') });
});

test.each([
  [['list', '--kind', 'lead'], '--kind must be one of'],
  [['list', '--reason', 'tired'], '--reason must be one of'],
  [['list', '--older-than', 'yesterday'], '--older-than must be an age'],
  [['list', '--limit', '0'], '--limit must be a whole number'],
  [['retry'], 'exactly one of --store and --all-stores is required'],
  [['retry', '--all-stores', '--store', randomUUID()], 'exactly one of'],
  [['retry', '--all-stores', '--reason', 'tired'], '--reason'],
  [['give-up', '--all-stores'], '--kind is required'],
  [['give-up', '--all-stores', '--kind', 'message', '--id', randomUUID()], '--id needs --store and --kind'],
  [
    ['give-up', '--store', randomUUID(), '--kind', 'followup', '--unknown-as', 'sent'],
    '--unknown-as needs --kind message',
  ],
  [['give-up', '--store', randomUUID(), '--kind', 'message', '--unknown-as', 'lost'], '--unknown-as'],
  [['retry', '--store', randomUUID(), '--kind', 'message', '--id', 'x'], '--id'],
])('`waiting %j` is wrong usage', async (words, text) => {
  const ended = await runAt(messaging.nats.url, ['waiting', ...words]);
  expect(ended).toMatchObject({ exitCode: 2, out: '', err: expect.stringContaining(text) });
});
