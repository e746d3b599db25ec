import { randomUUID } from 'node:crypto';
import { deliveryShardOf, pumpDeliveries } from '@mostrador/contracts';
import type { Database } from '@mostrador/kit/database/database';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';
import { silentLog, testContext } from '@mostrador/testing/context';
import { createRandom, type Random } from '@mostrador/testing/random';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';
import { type Accepted, ChannelError, type OutboundMessage } from '../channels/channel-provider.ts';
import type { Pump } from '../dependencies.ts';
import { createPump } from './pump.ts';
import { closeShard, isShardOpen, keepingShard, shardOf, takeShard } from './shard.repository.ts';

type Call = OutboundMessage & { readonly storeId: string };

let messaging: TestMessaging;
/** What the provider does with a message. */
let provider: (message: Call) => Promise<Accepted>;
let sent: Call[];
let storeId: string;
/** Pumps of other processes. */
let pumps: Pump[];
let fence = 0;

beforeAll(async () => {
  messaging = await startMessaging({
    openChannel: (store) => ({
      send: (message) => {
        const call = { ...message, storeId: store };
        sent.push(call);
        return provider(call);
      },
    }),
  });
});
beforeEach(async () => {
  storeId = randomUUID();
  sent = [];
  pumps = [];
  provider = async () => accepted();
  await messaging.adminSql`update messages set status = 'failed', lease_token = null, lease_until = null`;
  await messaging.adminSql`update delivery_shards set open_until = 'epoch'`;
  await messaging.adminSql`delete from outbox`;
  await addStore(storeId);
});
afterAll(() => messaging?.stop());

const accepted = (): Accepted => ({ providerMessageId: randomUUID(), waId: null });
const isSent = (leadIds: string[]) =>
  waitFor(
    async () =>
      (
        await messaging.adminSql`
        select from messages where lead_id = any(${leadIds}::uuid[]) and status <> 'sent'`
      ).length === 0,
    { description: 'the messages are sent' },
  );

async function addStore(id: string, rates: { pairBurst?: number; numberRate?: number } = {}): Promise<void> {
  await messaging.adminSql`
    insert into channels (store_id, provider, number_rate, pair_burst)
    values (${id}, 'sandbox', ${rates.numberRate ?? 1000}, ${rates.pairBurst ?? 1000})`;
  await messaging.adminSql`insert into store_settings (store_id, message_wait_seconds) values (${id}, 0)`;
}

let phones = 5511700000000;
const phoneOf = new Map<string, string>();
/** A lead that the channel knows, with this many queued messages. */
async function addLead(messages = 1, store = storeId): Promise<string> {
  const phone = String(++phones);
  const leadId = messaging.crm.addLead(store, phone);
  phoneOf.set(leadId, phone);
  await messaging.adminSql`
    insert into conversations (store_id, lead_id, last_inbound_at, wa_id)
    values (${store}, ${leadId}, now(), ${phone})`;
  for (let number = 1; number <= messages; number += 1) await messaging.send(store, leadId, `Message ${number}`);
  return leadId;
}

/** A store of the same shard. */
const neighbour = (id: string): string => randomUUID().slice(0, -2) + id.slice(-2);

const shard = () => deliveryShardOf(storeId);
const context = (timeoutMs = 60_000) => testContext({ timeoutMs });
/** One request of the shard's step. */
const request = (pollMs: number, ofFence = fence, ofShard = shard()) =>
  messaging.rpc.call(pumpDeliveries, { body: { shard: ofShard, fence: ofFence, poll_ms: pollMs } }, context());

type PumpOptions = { take?: boolean; fence?: number; database?: Database; rpc?: RpcClient; callLimitMs?: number };

/** A pump of another process, until the test is over. `begin` begins a request and returns how to end it. */
async function newPump({ take = true, fence: own = ++fence, database, rpc, callLimitMs }: PumpOptions = {}) {
  const held = { shard: shard(), fence: own };
  if (take) expect(await messaging.systemDatabase.write(context(), (sql) => takeShard(sql, held, 60_000))).toBe(true);
  const { dependencies } = messaging;
  const limits = { ...dependencies.limits, ...(callLimitMs && { callLimitMs }) };
  const others = { ...(database && { database }), ...(rpc && { rpc }) };
  const pump = createPump({ ...dependencies, ...others, limits, log: silentLog() });
  pumps.push(pump);
  return {
    begin() {
      const stop = new AbortController();
      const run = pump.run(held, Date.now() + 60_000, stop.signal);
      return async () => {
        stop.abort();
        return await run;
      };
    },
    stop: () => pump.stop(),
  };
}

/** Runs such a pump. Returns how to end it, with what it found. */
async function running(options?: PumpOptions) {
  const pump = await newPump(options);
  const end = pump.begin();
  return async () => {
    const found = await end();
    await pump.stop();
    return found;
  };
}

/** Holds the channels of the stores, so that each set of theirs stops in the middle. */
async function whileLocked(
  stores: readonly string[],
  during: (untilWaiting: (sets: number, begin?: () => Promise<void>) => Promise<void>) => Promise<void>,
): Promise<void> {
  const { adminSql } = messaging;
  await adminSql.begin(async (sql) => {
    await sql`select from channels where store_id = any(${[...stores]}::uuid[]) for no key update`;
    await during(async (sets, begin) => {
      await begin?.();
      const waiting = () => adminSql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%number_sent_tat%'`;
      await waitFor(async () => (await waiting()).length >= sets, { description: 'sets wait for the channel' });
    });
  });
}

/**
 * The database, whose first transactions of a kind fail: those after a call before they begin, and those that claim a
 * message after they were committed, as when the answer of the commit is lost.
 */
function failingWrites(kind: 'record' | 'claim', times: number): Database {
  const { database } = messaging.dependencies;
  let left = times;
  const countOf = async (status: string) =>
    (await messaging.adminSql`select from messages where store_id = ${storeId} and status = ${status}`).length;
  return {
    ...database,
    async write(scope, work) {
      if (left > 0 && kind === 'record' && (await countOf('sending')) > 0 && sent.length > 0) {
        left -= 1;
        throw new AppError('service_unavailable');
      }
      const before = await countOf('sending');
      const result = await database.write(scope, work);
      if (left > 0 && kind === 'claim' && (await countOf('sending')) > before) {
        left -= 1;
        throw new AppError('upstream_timeout');
      }
      return result;
    },
  };
}

describe('the pump of a shard', () => {
  test('sends the messages of many leads, those of a lead in the order of acceptance, each once', async () => {
    const leads = await Promise.all(Array.from({ length: 30 }, () => addLead(5)));
    const end = await running();
    await isSent(leads);
    expect(await end()).toEqual({ worked: true, replaced: false });
    expect(sent).toHaveLength(150);
    for (const leadId of leads) {
      const texts = sent.filter(({ to }) => to === phoneOf.get(leadId)).map(({ text }) => text);
      expect(texts).toEqual([1, 2, 3, 4, 5].map((number) => `Message ${number}`));
    }
  });

  test('records what a step records: state, count, response, events and watchdog', async () => {
    await messaging.adminSql`update channels set provider = 'whatsapp_cloud' where store_id = ${storeId}`;
    const leadId = await addLead();
    await messaging.adminSql`
      update sessions set opened_by_lead = true where store_id = ${storeId} and lead_id = ${leadId}`;
    const end = await running();
    await isSent([leadId]);
    await end();
    const [row] = await messaging.adminSql`
      select m.status, m.attempts, m.provider_message_id is not null as named, m.lease_until, m.lease_token,
        m.sent_at >= m.created_at as sent_later, m.counted_at is not null as counted,
        m.unsettled_at between now() + interval '59 minutes' and now() + interval '61 minutes' as watched,
        c.interaction_count, c.pair_tat > now() as paced, s.first_response_at is not null as responded
      from messages m join conversations c using (store_id, lead_id) join sessions s on s.id = m.session_id
      where m.lead_id = ${leadId}`;
    expect(row).toEqual({
      ...{ status: 'sent', attempts: 1, named: true, lease_until: null, lease_token: null, sent_later: true },
      ...{ counted: true, watched: true, interaction_count: 1, paced: true, responded: true },
    });
    const events = await messaging.events(storeId);
    expect(events.filter(({ topic }) => topic === 'messaging.message.sent')).toHaveLength(1);
    const fed = (await messaging.feed(storeId)).map(({ type }) => type);
    expect(fed.filter((type) => type.startsWith('message.'))).toEqual(['message.queued', 'message.sent']);
  });

  test('sends what is accepted while it runs, without a wake-up, and what falls due', async () => {
    const end = await running();
    const leadId = await addLead();
    await isSent([leadId]);
    expect(await messaging.wakeUps(storeId)).toEqual([]);
    const failures = [new ChannelError('not_sent', 'away', 'Away.', { retryAfterSeconds: 1 })];
    provider = async () => {
      const failure = failures.pop();
      if (failure) throw failure;
      return accepted();
    };
    await messaging.send(storeId, leadId, 'again');
    await isSent([leadId]);
    expect(sent.map(({ text, attempt }) => `${text} ${attempt}`)).toEqual(['Message 1 1', 'again 1', 'again 2']);
    await end();
  });

  test('keeps the rate of the pair within a batch', async () => {
    const paced = neighbour(storeId);
    await addStore(paced, { pairBurst: 2 });
    const leadId = await addLead(3, paced);
    const end = await running();
    await waitFor(
      async () =>
        (
          await messaging.adminSql`
          select from messages where lead_id = ${leadId} and status = 'queued' and next_attempt_at > now()`
        ).length === 1,
      { description: 'the third message waits' },
    );
    await end();
    expect(sent).toHaveLength(2);
  });

  test('keeps the rate of the number over the leads of a batch', async () => {
    const slow = neighbour(storeId);
    await addStore(slow, { numberRate: 1 });
    const leads = await Promise.all([1, 2, 3].map(() => addLead(1, slow)));
    const end = await running();
    const waiting = async () =>
      (await messaging.adminSql`select from messages where lead_id = any(${leads}::uuid[]) and slot_at > now()`).length;
    await waitFor(async () => (await waiting()) === 2, { description: 'two wait for their turn' });
    await end();
    expect(sent).toHaveLength(1);
  });

  test('a lead whose call hangs delays no other lead of its store, and no other store', async () => {
    const other = neighbour(storeId);
    await addStore(other);
    const hanging = await addLead();
    const held = Promise.withResolvers<Accepted>();
    provider = (message) => (message.to === phoneOf.get(hanging) ? held.promise : Promise.resolve(accepted()));
    const end = await running();
    await waitFor(() => sent.length === 1, { description: 'the call hangs' });
    await isSent([await addLead(3), await addLead(1, other)]);
    held.resolve(accepted());
    await isSent([hanging]);
    await end();
  });

  test('a call that never ends, whatever its signal says, is ended as one with an unknown outcome', async () => {
    const hanging = await addLead();
    provider = () => new Promise(() => {});
    const end = await running({ callLimitMs: 1 });
    await waitFor(
      async () =>
        (await messaging.adminSql`select from messages where lead_id = ${hanging} and status = 'unknown'`).length === 1,
      { description: 'the attempt is unknown' },
    );
    await end();
  });

  test('a conversation that another transaction has locked delays no other lead', async () => {
    const locked = await addLead();
    const others = await Promise.all([addLead(), addLead()]);
    const end = await messaging.adminSql.begin(async (sql) => {
      await sql`select from conversations where lead_id = ${locked} for no key update`;
      const stop = await running();
      await isSent(others);
      return stop;
    });
    await isSent([locked]);
    await end();
  });

  test('stores whose transactions hang delay no other store of the shard', async () => {
    const hanging = [storeId, neighbour(storeId), neighbour(storeId)];
    const other = neighbour(storeId);
    for (const id of [...hanging.slice(1), other]) await addStore(id);
    const held = await Promise.all(hanging.map((id) => addLead(2, id)));
    let end: () => Promise<unknown> = async () => {};
    await whileLocked(hanging, async (untilWaiting) => {
      end = await running();
      await untilWaiting(hanging.length);
      await isSent([await addLead(3, other)]);
    });
    await isSent(held);
    await end();
  });

  test('a store with a flood does not delay a store with one message', async () => {
    await Promise.all(Array.from({ length: 40 }, () => addLead(5)));
    const end = await running();
    const other = neighbour(storeId);
    await addStore(other);
    await waitFor(() => sent.length > 0, { description: 'the flood has begun' });
    const leadId = await addLead(1, other);
    const before = sent.length;
    await isSent([leadId]);
    const index = sent.findIndex((call) => call.storeId === other);
    expect(index - before).toBeLessThan(100);
    await end();
  });

  test('stores with long queues and new messages share 48 calls, and another store begins its first call at once', async () => {
    const busy = Promise.withResolvers<void>();
    provider = async (call) => {
      if (call.storeId !== storeId) await busy.promise;
      return accepted();
    };
    const floods = Array.from({ length: 4 }, () => neighbour(storeId));
    const leads: string[] = [];
    const flood = async (messages: number) => {
      for (const store of floods) for (let count = 0; count < messages; count += 1) leads.push(await addLead(1, store));
    };
    for (const store of floods) await addStore(store);
    await flood(13);
    const pump = await newPump();
    const end = pump.begin();
    await waitFor(() => sent.length === 48, { description: 'as many calls as the process makes' });
    await flood(3);
    const leadId = await addLead();
    await isSent([leadId]);
    expect(sent).toHaveLength(49);
    busy.resolve();
    await isSent(leads);
    await end();
  });

  test('a message that fails before its call leaves the call to a store that waits', async () => {
    const [busy, asked, answer] = [0, 1, 2].map(() => Promise.withResolvers<void>());
    provider = async () => {
      await busy?.promise;
      return accepted();
    };
    const gone = await addLead();
    await messaging.adminSql`update conversations set wa_id = null where lead_id = ${gone}`;
    const floods = Array.from({ length: 4 }, () => neighbour(storeId));
    const leads: string[] = [];
    for (const store of floods) await addStore(store);
    for (const store of floods) for (let count = 0; count < 12; count += 1) leads.push(await addLead(1, store));
    const call: RpcClient['call'] = async () => {
      asked?.resolve();
      await answer?.promise;
      throw new AppError('lead_not_found');
    };
    const end = await running({ rpc: { ...messaging.dependencies.rpc, call } });
    await asked?.promise;
    await waitFor(() => sent.length === 47, { description: 'all other calls that the process makes' });
    answer?.resolve();
    await waitFor(() => sent.length === 48, { description: 'the call of the store that waits' });
    busy?.resolve();
    await isSent(leads);
    await end();
  });
});

describe('between two requests of a step', () => {
  test('an outcome is recorded and the next message goes out, though the store got other work meanwhile', async () => {
    const first = await addLead(2);
    const answers = Promise.withResolvers<void>();
    provider = ({ to }) => (to === phoneOf.get(first) ? answers.promise : Promise.resolve()).then(accepted);
    const pump = await newPump();
    let end: () => Promise<unknown> = async () => {};
    // The set is under way while its request ends: no call is under way then, and the store has no work.
    await whileLocked([storeId], async (untilWaiting) => {
      end = pump.begin();
      await untilWaiting(1);
      await end();
      end = pump.begin();
    });
    await waitFor(() => sent.length === 1, { description: 'the call of the first request' });
    const [second, third] = [await addLead(0), await addLead(0)];
    await whileLocked([storeId], async (untilWaiting) => {
      // A set of the second request runs, and both wait for a turn behind it: the outcome, and then a new message.
      await untilWaiting(1, async () => void (await messaging.send(storeId, second, 'a set')));
      answers.resolve();
      await new Promise(setImmediate);
      await messaging.send(storeId, third, 'behind the outcome');
    });
    await isSent([first, second, third]);
    await end();
    await pump.stop();
    expect(sent.filter(({ to }) => to === phoneOf.get(first)).map(({ text }) => text)).toEqual([
      'Message 1',
      'Message 2',
    ]);
  });
});

describe('a set that fails', () => {
  test('after the calls: the outcomes are recorded by further attempts, and nothing becomes unknown', async () => {
    const leads = await Promise.all([addLead(2), addLead(2)]);
    const end = await running({ database: failingWrites('record', 8) });
    await isSent(leads);
    await end();
    expect(sent).toHaveLength(4);
  });

  test('because its commit got no answer: what it has claimed is due again at once', async () => {
    const known = await addLead(2);
    // Without an id of the channel it is claimed alone.
    const alone = await addLead();
    await messaging.adminSql`update conversations set wa_id = null where lead_id = ${alone}`;
    const end = await running({ database: failingWrites('claim', 3) });
    await isSent([known, alone]);
    await end();
    expect(sent.map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
  });

  test('when the process stops: an outcome that waits for its turn is recorded', async () => {
    const leads = await Promise.all([addLead(), addLead()]);
    const pump = await newPump();
    const held = Promise.withResolvers<void>();
    provider = () => held.promise.then(accepted);
    const end = pump.begin();
    await waitFor(() => sent.length === 2, { description: 'the calls' });
    await end();
    const stopped = pump.stop();
    held.resolve();
    await stopped;
    expect(
      await messaging.adminSql`select from messages where lead_id = any(${leads}::uuid[]) and status <> 'sent'`,
    ).toHaveLength(0);
  });
});

/** The database, whose writes fail at random: before they begin, or after they were committed. */
function unreliable(random: Random, share: () => number): Database {
  const { database } = messaging.dependencies;
  const fails = () => random.next() < share();
  return {
    ...database,
    async write(scope, work) {
      if (fails()) throw new AppError('service_unavailable');
      const result = await database.write(scope, work);
      if (fails()) throw new AppError('upstream_timeout');
      return result;
    },
  };
}

describe('in any order of events', () => {
  test.each([1, 2, 3, 4, 5, 6])('%i: each message is accepted once, in the order of its lead', async (seed) => {
    const random = createRandom(seed);
    const other = neighbour(storeId);
    await addStore(other);
    const stores = [storeId, other, storeId, other, storeId];
    const leads = await Promise.all(stores.map((store) => addLead(0, store)));
    // Without an id of the channel a lead is claimed alone, until an answer of the channel has one.
    await messaging.adminSql`
      update conversations set wa_id = null where lead_id = any(${leads.slice(0, 2)}::uuid[])`;
    let isCalm = false;
    const held: (() => void)[] = [];
    const called = new Set<string>();
    const overlaps: string[] = [];
    const accepts: { to: string; text: string }[] = [];
    provider = async ({ to, text }) => {
      if (called.has(to)) overlaps.push(text);
      called.add(to);
      if (!isCalm && random.next() < 0.5) await new Promise<void>((resolve) => held.push(resolve));
      called.delete(to);
      if (!isCalm && random.next() < 0.1) throw new ChannelError('not_sent', 'away', 'Away.', { retryAfterSeconds: 1 });
      accepts.push({ to, text });
      return { providerMessageId: randomUUID(), waId: random.pick([null, to]) };
    };
    const database = unreliable(random, () => (isCalm ? 0 : 0.1));
    const release = () => held.splice(random.below(Math.max(held.length, 1)), 1)[0]?.();
    const made: Awaited<ReturnType<typeof newPump>>[] = [await newPump({ database })];
    let end: (() => Promise<unknown>) | undefined;
    const queued = new Map<string, string[]>(leads.map((leadId) => [phoneOf.get(leadId) as string, []]));
    for (let step = 0; step < 150; step += 1) {
      const index = random.below(leads.length);
      const [leadId, store] = [leads[index] as string, stores[index] as string];
      const what = random.next();
      if (what < 0.3) {
        queued.get(phoneOf.get(leadId) as string)?.push(String(step));
        await messaging.send(store, leadId, String(step));
      } else if (what < 0.6) release();
      else if (what < 0.75) await new Promise(setImmediate);
      else if (what < 0.97) {
        // A request ends, or the next one begins.
        if (end) await end();
        end = end ? undefined : made.at(-1)?.begin();
      } else made.push(await newPump({ database }));
    }
    isCalm = true;
    await end?.();
    for (const resolve of held) resolve();
    const last = await newPump();
    const endLast = last.begin();
    await isSent(leads);
    await endLast();
    await Promise.all([...made, last].map((pump) => pump.stop()));
    const byPhone = Map.groupBy(accepts, ({ to }) => to);
    const inOrder = [...queued.keys()].map((to) => [to, (byPhone.get(to) ?? []).map(({ text }) => text)]);
    expect(inOrder).toEqual([...queued]);
    expect(overlaps).toEqual([]);
  });
});

describe('two pumps', () => {
  test('the one that was replaced claims nothing more, and records what it began', async () => {
    const held = Promise.withResolvers<Accepted>();
    const first = await addLead(2);
    provider = () => held.promise;
    const endOld = await running();
    await waitFor(() => sent.length === 1, { description: 'the first call' });
    // The new pump only takes the shard. Whatever is sent from now on, the old one sends.
    expect(
      await messaging.systemDatabase.write(context(), (sql) =>
        takeShard(sql, { shard: shard(), fence: ++fence }, 60_000),
      ),
    ).toBe(true);
    held.resolve(accepted());
    const second = await addLead();
    const statuses = () => messaging.adminSql<{ status: string }[]>`
      select status from messages where lead_id = any(${[first, second]}::uuid[]) order by lead_id = ${second}, number`;
    await waitFor(async () => (await statuses())[0]?.status === 'sent', { description: 'the call is recorded' });
    expect(await endOld()).toMatchObject({ replaced: true });
    expect((await statuses()).map(({ status }) => status)).toEqual(['sent', 'queued', 'queued']);
    expect(sent).toHaveLength(1);

    provider = async () => accepted();
    const endNew = await running({ take: false, fence });
    await isSent([first, second]);
    expect(await endNew()).toEqual({ worked: true, replaced: false });
    expect(sent).toHaveLength(3);
  });

  test('a lower fence does not get the shard while the other one answers, and gets it afterwards', async () => {
    const high = ++fence + 1000;
    expect(await request(1, high)).toMatchObject({ state: 'closed' });
    await messaging.adminSql`update delivery_shards set open_until = now() + interval '1 minute' where shard = ${shard()}`;
    expect(await request(1, high - 1)).toMatchObject({ state: 'replaced' });
    await messaging.adminSql`update delivery_shards set open_until = 'epoch' where shard = ${shard()}`;
    expect(await request(1, high - 1)).toMatchObject({ state: 'closed' });
    fence = high;
  });
});

describe('a shard', () => {
  test('is the same in SQL and in TypeScript', async () => {
    const ids = Array.from({ length: 500 }, () => randomUUID());
    const rows = await messaging.adminSql<{ id: string; shard: number }[]>`
      select id, ${shardOf(messaging.adminSql as never, messaging.adminSql`id` as never) as never} as shard
      from unnest(${ids}::uuid[]) as id`;
    expect(rows.map(({ shard }) => shard)).toEqual(rows.map(({ id }) => deliveryShardOf(id)));
    expect(new Set(rows.map(({ shard }) => shard)).size).toBe(32);
  });

  test('closes when nothing is due, says what waits, and then wants wake-ups', async () => {
    const leadId = await addLead();
    await messaging.adminSql`
      update messages set next_attempt_at = now() + interval '1 hour', error_code = 'away', error_detail = 'Away.'
      where lead_id = ${leadId}`;
    await messaging.adminSql`delete from outbox`;
    fence += 1;
    const answer = await request(1);
    expect(answer).toMatchObject({
      state: 'closed',
      waiting: [{ lead_id: leadId, reason: 'an attempt failed (away)', until: answer.wake_at }],
    });
    expect(Date.parse(answer.wake_at ?? '')).toBeGreaterThan(Date.now());
    await addLead();
    expect(await messaging.wakeUps(storeId)).toHaveLength(1);
  });

  test('stays open while a message is being accepted, which is then seen or wakes the shard', async () => {
    const leadId = await addLead(0);
    const own = { shard: shard(), fence: ++fence };
    const close = () => messaging.systemDatabase.write(context(), (sql) => closeShard(sql, own, 0));
    await messaging.systemDatabase.write(context(), (sql) => takeShard(sql, own, 60_000));
    const asked = Promise.withResolvers<boolean>();
    const goOn = Promise.withResolvers<void>();
    const accepting = messaging.database.write({ ...context(), storeId }, async (sql) => {
      await sql`select ${keepingShard(sql, storeId)}`;
      const [row] = await sql<{ open: boolean }[]>`select ${isShardOpen(sql, storeId)} as open`;
      asked.resolve(row?.open ?? false);
      await goOn.promise;
    });
    expect(await asked.promise).toBe(true);
    // The acceptance has read that the shard is open, and has not committed.
    expect(await close()).toBe(false);
    goOn.resolve();
    await accepting;
    await messaging.send(storeId, leadId);
    expect(await close()).toBe(false);
    expect(await messaging.wakeUps(storeId)).toEqual([]);
    await messaging.adminSql`update messages set status = 'cancelled' where lead_id = ${leadId}`;
    expect(await close()).toBe(true);
    await messaging.send(storeId, leadId);
    expect(await messaging.wakeUps(storeId)).toHaveLength(1);
  });

  test('whose pump is silent wants wake-ups again', async () => {
    const own = { shard: shard(), fence: ++fence };
    await messaging.systemDatabase.write(context(), (sql) => takeShard(sql, own, 0));
    await addLead();
    expect(await messaging.wakeUps(storeId)).toHaveLength(1);
  });

  test('goes on with what a pump that died has begun, when its lease has ended', async () => {
    const leadId = await addLead(2);
    await messaging.adminSql`
      update messages set status = 'sending', lease_token = gen_random_uuid(), lease_until = now(), attempts = 1
      where lead_id = ${leadId} and number = 1`;
    const end = await running();
    await waitFor(
      async () =>
        (await messaging.adminSql`select from messages where lead_id = ${leadId} and status = 'unknown'`).length === 1,
      { description: 'the lost attempt is unknown' },
    );
    await end();
    expect(sent).toEqual([]);
  });
});
