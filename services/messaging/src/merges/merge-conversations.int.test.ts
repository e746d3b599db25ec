import { randomUUID } from 'node:crypto';
import {
  acceptMessage,
  closeConversationReports,
  deliverMessages,
  getMessage,
  listMessages,
  listSessions,
  mergeConversations,
  type RequestOf,
  reportConversation,
  sendMessage,
  settleMessage,
  summarizeConversations,
  verifyConversationReports,
} from '@mostrador/contracts';
import { silentLog, testContext } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { holdConversation } from '../../test/held-conversation.ts';
import { connectWhatsapp, notification, receive, textFrom, withUserId } from '../../test/inbound-webhook.ts';
import { shardIdOf, startMessaging, type TestMessaging } from '../../test/messaging.ts';
import type { Accepted } from '../channels/channel-provider.ts';
import { sendMissedInteractionCounts } from '../conversations/send-interaction-counts.ts';
import { processInbound } from '../inbound/process-inbound.ts';

let messaging: TestMessaging;
/** The provider's answer to every send. */
let answer: Promise<Accepted>;
const sentTo: string[] = [];
let storeId: string;
/** The lead that stays has the lower id in every second test, because locks are taken in the order of ids. */
let keptId: string;
let goneId: string;
let tests = 0;
const [short, long] = ['553177776666', '5531977776666'];
beforeAll(async () => {
  const send = async ({ to }: { to: string }) => {
    sentTo.push(to);
    return await answer;
  };
  messaging = await startMessaging({ openChannel: () => ({ send }) });
});
afterAll(() => messaging?.stop());
beforeEach(async () => {
  storeId = randomUUID();
  answer = Promise.resolve({ providerMessageId: randomUUID(), waId: null });
  sentTo.length = 0;
  await messaging.adminSql`insert into store_settings (store_id, message_wait_seconds) values (${storeId}, 0)`;
  const ids = [messaging.crm.addLead(storeId, short), messaging.crm.addLead(storeId, long)].toSorted();
  [keptId, goneId] = (tests++ % 2 === 0 ? ids : ids.toReversed()) as [string, string];
});

const context = () => testContext({ storeId });
const merge = async () => {
  messaging.crm.merge(storeId, goneId, keptId);
  const body = { lead_id: goneId, merged_into: keptId };
  return (await messaging.rpc.call(mergeConversations, { body }, context())).messages;
};
const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 10, minute));
const addConversation = async (leadId: string, columns: object = {}) => {
  const { adminSql } = messaging;
  await adminSql`insert into conversations ${adminSql({ store_id: storeId, lead_id: leadId, ...columns })}`;
};
const addSession = async (leadId: string, columns: object = {}): Promise<string> => {
  const { adminSql } = messaging;
  const row = { store_id: storeId, lead_id: leadId, started_at: at(0), last_message_at: at(0), ...columns };
  const [session] = await adminSql`insert into sessions ${adminSql(row)} returning id`;
  return session?.id;
};
/** Adds a lead's conversation with a session and these messages, which were accepted in this order. */
const addMessages = async (leadId: string, messages: readonly object[], columns: object = {}) => {
  const { adminSql } = messaging;
  await addConversation(leadId, { next_number: messages.length + 1, ...columns });
  const session_id = await addSession(leadId);
  for (const [n, message] of messages.entries()) {
    const inbound = { direction: 'inbound', source: 'lead', status: 'received', body: 'x', created_at: at(n) };
    const row = { store_id: storeId, lead_id: leadId, session_id, number: n + 1, ...inbound, ...message };
    await adminSql`insert into messages ${adminSql(row)}`;
  }
};
const outbound = (status: string, columns: object = {}) => ({
  direction: 'outbound',
  source: 'api',
  status,
  ...columns,
});
const stored = async () => {
  const rows = await messaging.adminSql`
    select body, number::int, lead_id from messages where store_id = ${storeId} order by number`;
  expect(rows.every(({ lead_id }) => lead_id === keptId)).toBe(true);
  expect(rows.map(({ number }) => number)).toEqual(rows.map((_, n) => n + 1));
  return rows.map(({ body }) => body);
};
const conversations = () => messaging.adminSql`select * from conversations where store_id = ${storeId}`;
const step = (lead_id: string) => messaging.rpc.call(deliverMessages, { body: { lead_id } }, testContext({ storeId }));
const eventsOf = async () => (await messaging.events(storeId)).map(({ topic, data }) => [topic, data.lead_id]);

test.each([
  ['kept', 'gone', 'other', 'store'],
  ['gone', 'kept', 'store', 'other'],
] as const)(
  'the later handover says who has the conversation: that of the %s lead',
  async (later, earlier, last, first) => {
    const conversations = {
      [later]: { handover_at: at(9), handover_owner: last, standby_at: at(1) },
      [earlier]: { handover_at: at(5), handover_owner: first, standby_at: at(2), standby_ended_at: at(3) },
    };
    await addConversation(keptId, conversations.kept);
    await addConversation(goneId, conversations.gone);
    await merge();
    expect(
      await messaging.adminSql`
      select handover_at, handover_owner, standby_at, standby_ended_at from conversations where store_id = ${storeId}`,
    ).toEqual([{ handover_at: at(9), handover_owner: last, standby_at: at(2), standby_ended_at: at(3) }]);
  },
);

test('the handover of the lead that goes stays when the other one has none', async () => {
  await addConversation(keptId);
  await addConversation(goneId, { handover_at: at(5), handover_owner: 'other' });
  await merge();
  expect(await messaging.adminSql`select handover_owner from conversations where store_id = ${storeId}`).toEqual([
    { handover_owner: 'other' },
  ]);
});

test('the messages of both leads are one list in the order of acceptance, and the next message follows', async () => {
  await addMessages(keptId, [
    { body: 'a', created_at: at(1) },
    { body: 'c', created_at: at(3) },
  ]);
  await addMessages(goneId, [
    { body: 'b', created_at: at(2) },
    { body: 'd', created_at: at(4) },
  ]);
  expect(await merge()).toBe(2);
  expect(await stored()).toEqual(['a', 'b', 'c', 'd']);
  await messaging.addChannel(storeId);
  await messaging.send(storeId, keptId, 'e');
  expect(await stored()).toEqual(['a', 'b', 'c', 'd', 'e']);
  const { data } = await messaging.rpc.call(listMessages, { params: { leadId: keptId }, query: {} }, context());
  expect(data.map(({ body }) => body)).toEqual(['e', 'd', 'c', 'b', 'a']);
});

test('a message that was moved has a new address, and the error at the old one names the lead that has it', async () => {
  await addMessages(goneId, [{}]);
  await merge();
  const [moved] = await messaging.adminSql<{ id: string }[]>`select id from messages where store_id = ${storeId}`;
  const read = (leadId: string) =>
    messaging.rpc.call(getMessage, { params: { leadId, messageId: moved?.id as string } }, context());
  expect(await read(keptId)).toMatchObject({ id: moved?.id, lead_id: keptId });
  await expect(read(goneId)).rejects.toMatchObject({ code: 'lead_not_found', members: { merged_into: keptId } });
});

test('the messages of each lead keep their order, even if the clock went back between them', async () => {
  await addMessages(keptId, [
    { ...outbound('queued'), body: 'first', created_at: at(5) },
    { ...outbound('queued'), body: 'second', created_at: at(1) },
  ]);
  await addMessages(goneId, [{ body: 'other', created_at: at(3) }]);
  await merge();
  expect(await stored()).toEqual(['other', 'first', 'second']);
});

test('the counts add up, and crm gets the sum', async () => {
  await addMessages(keptId, [{}, {}], { interaction_count: 2, reported_count: 2 });
  await addMessages(goneId, [{}, outbound('sent', { sent_at: at(3) }), outbound('failed')], {
    interaction_count: 2,
    reported_count: 1,
  });
  await merge();
  expect(await conversations()).toMatchObject([{ lead_id: keptId, next_number: '6', interaction_count: 4 }]);
  // A run of the periodic job that fails leaves the count to the next one.
  await expect
    .poll(async () => {
      await sendMissedInteractionCounts({ ...messaging.dependencies, log: silentLog() }, new AbortController().signal);
      return messaging.crm.interactionCounts.get(keptId);
    })
    .toBe(4);
  expect(messaging.crm.interactionCounts.get(goneId)).toBeUndefined();
});

test('the session with the latest message stays active, the other one ends with its event, and no session is lost', async () => {
  await addConversation(keptId);
  await addConversation(goneId);
  const ended = await addSession(goneId, { status: 'ended', ended_at: at(1), end_recorded_at: at(1) });
  const [older, newer] = [
    await addSession(keptId, { last_message_at: at(2) }),
    await addSession(goneId, { started_at: at(1), last_message_at: at(3) }),
  ];
  await merge();
  const sessions = await messaging.rpc.call(listSessions, { params: { leadId: keptId } }, context());
  expect(new Map(sessions.map(({ id, status }) => [id, status]))).toEqual(
    new Map([
      [ended, 'ended'],
      [older, 'ended'],
      [newer, 'active'],
    ]),
  );
  expect(await eventsOf()).toEqual([['messaging.session.ended', keptId]]);
});

test('the reply window, the pair rate and the id of the lead in the channel are those of the latest contact', async () => {
  await addConversation(keptId, { wa_id: short, last_inbound_at: at(1), called_at: at(3), pair_tat: at(9) });
  await addConversation(goneId, { wa_id: long, last_inbound_at: at(2), called_at: at(5), pair_tat: at(8) });
  await messaging.adminSql`
    insert into customer_user_ids (store_id, user_id, lead_id) values (${storeId}, 'BR.1', ${goneId})`;
  await merge();
  expect(await conversations()).toMatchObject([
    { lead_id: keptId, wa_id: long, last_inbound_at: at(2), called_at: at(5), pair_tat: at(9), opted_out_at: null },
  ]);
  expect(await messaging.adminSql`select lead_id from customer_user_ids where store_id = ${storeId}`).toEqual([
    { lead_id: keptId },
  ]);
});

test('an opt-out of either lead is one of the lead that stays', async () => {
  await addConversation(keptId, { wa_id: short, last_inbound_at: at(3) });
  await addConversation(goneId, { wa_id: long, last_inbound_at: at(2), opted_out_at: at(1) });
  await merge();
  expect(await conversations()).toMatchObject([{ wa_id: short, last_inbound_at: at(3), opted_out_at: at(1) }]);
  expect(await eventsOf()).toEqual([['messaging.lead.opted_out', keptId]]);
  expect(await messaging.feed(storeId)).toEqual([
    { type: 'lead.opted_out', entity_id: keptId, data: { lead_id: keptId, scope: 'all', source: 'stop_word' } },
  ]);
});

test('messages that wait are sent from the queue of the lead that stays', async () => {
  await messaging.addChannel(storeId);
  const { id } = await messaging.send(storeId, goneId, 'queued');
  await merge();
  expect(await messaging.wakeUps(storeId)).toMatchObject([
    { entity_id: shardIdOf(storeId), signal: 'message_accepted' },
    { entity_id: shardIdOf(storeId), signal: 'message_accepted' },
  ]);
  expect(await step(goneId)).toMatchObject({ done: true });
  expect(sentTo).toEqual([]);
  expect(await step(keptId)).toMatchObject({ done: true });
  expect(await messaging.adminSql`select status, lead_id from messages where id = ${id}`).toEqual([
    { status: 'sent', lead_id: keptId },
  ]);
});

test('a repeated merge, and one of leads without messages or of another store, changes nothing', async () => {
  await addMessages(goneId, [{ body: 'a' }]);
  const elsewhere = testContext({ storeId: randomUUID() });
  const body = { lead_id: goneId, merged_into: keptId };
  expect(await messaging.rpc.call(mergeConversations, { body }, elsewhere)).toEqual({ messages: 0 });
  expect(await conversations()).toMatchObject([{ lead_id: goneId }]);
  expect([await merge(), await merge(), await merge()]).toEqual([1, 0, 0]);
  expect(await stored()).toEqual(['a']);
  const unknown = { lead_id: randomUUID(), merged_into: randomUUID() };
  expect(await messaging.rpc.call(mergeConversations, { body: unknown }, context())).toEqual({ messages: 0 });
  expect(await conversations()).toHaveLength(1);
});

test('messages that a late request accepted for the merged lead are moved by the next merge', async () => {
  await addMessages(keptId, [{ body: 'a' }]);
  await addMessages(goneId, [{ body: 'b', created_at: at(2) }], { interaction_count: 1 });
  await merge();
  await addMessages(goneId, [{ body: 'c', created_at: at(3) }], { interaction_count: 1 });
  expect(await merge()).toBe(1);
  expect(await stored()).toEqual(['a', 'b', 'c']);
  expect(await conversations()).toMatchObject([{ lead_id: keptId, interaction_count: 2 }]);
});

test.each(['keeps', 'loses'])('a lead that %s its id is busy while a message to it is being sent', async (which) => {
  const lease = (until: Date) => ({ lease_token: randomUUID(), lease_until: until });
  const sending = outbound('sending', lease(new Date(Date.now() + 60_000)));
  await addMessages(keptId, [which === 'keeps' ? sending : {}]);
  await addMessages(goneId, [which === 'keeps' ? {} : sending]);
  await expect(merge()).rejects.toMatchObject({ code: 'lead_busy', retryAfterSeconds: 1 });
  expect(await conversations()).toHaveLength(2);
  await messaging.adminSql`update messages set lease_until = now() where store_id = ${storeId} and status = 'sending'`;
  expect(await merge()).toBe(1);
});

test('an outcome that comes after the lease and after the merge is recorded for the lead that stays', async () => {
  await messaging.addChannel(storeId);
  const { id } = await messaging.send(storeId, goneId, 'slow');
  const answered = Promise.withResolvers<Accepted>();
  answer = answered.promise;
  const stepping = step(goneId);
  await waitFor(() => sentTo.length === 1, { description: 'the provider has the message' });
  await expect(merge()).rejects.toMatchObject({ code: 'lead_busy' });
  await messaging.adminSql`update messages set lease_until = now() where id = ${id}`;
  expect(await merge()).toBe(1);
  answered.resolve({ providerMessageId: randomUUID(), waId: null });
  await stepping;
  expect(await messaging.adminSql`select status, lead_id from messages where id = ${id}`).toEqual([
    { status: 'sent', lead_id: keptId },
  ]);
  expect(await conversations()).toMatchObject([{ lead_id: keptId, interaction_count: 1 }]);
});

describe('a request that found the conversation just before the merge', () => {
  /** Begins `request` while the merge waits for the conversation of the lead that goes. */
  async function during<T>(request: () => Promise<T>): Promise<PromiseSettledResult<T>> {
    const held = await holdConversation(messaging, storeId, goneId);
    const merging = merge();
    await held.waiting(1);
    const requested = Promise.allSettled([request()]);
    await held.waiting(2);
    await Promise.all([held.release(), merging]);
    return (await requested)[0];
  }

  test('records the outcome of a message where the message is now', async () => {
    const id = randomUUID();
    await addMessages(goneId, [outbound('unknown', { id })]);
    const settled = await during(() =>
      messaging.rpc.call(settleMessage, { body: { message_id: id, status: 'sent' } }, context()),
    );
    expect(settled).toMatchObject({ status: 'fulfilled', value: { lead_id: keptId, status: 'sent' } });
    expect(await conversations()).toMatchObject([{ lead_id: keptId, interaction_count: 1 }]);
  });

  test('to write to the lead does not bring the conversation back', async () => {
    await messaging.addChannel(storeId);
    await addMessages(goneId, [{}]);
    const send = () =>
      messaging.rpc.call(sendMessage, { params: { leadId: goneId }, body: { message: 'Hello' } }, context());
    const sent = await during(send);
    const merged = { code: 'lead_not_found', members: { merged_into: keptId } };
    expect(sent).toMatchObject({ status: 'rejected', reason: merged });
    expect(await conversations()).toMatchObject([{ lead_id: keptId }]);
    await expect(send()).rejects.toMatchObject(merged);
  });
});

describe('after the merge', () => {
  test('a customer who writes from either form, or is known by another id, writes to the lead that stays', async () => {
    const { channelId, phoneNumberId } = await connectWhatsapp(messaging, storeId);
    const tools = { ...messaging.dependencies, log: silentLog() };
    const write = async (content: ReturnType<typeof textFrom>) => {
      await receive(messaging, channelId, notification(phoneNumberId, content));
      await processInbound(tools, new AbortController().signal);
    };
    await addConversation(keptId, { wa_id: short, last_inbound_at: at(1) });
    await addConversation(goneId, { wa_id: long, last_inbound_at: at(2) });
    await messaging.adminSql`
      insert into customer_user_ids (store_id, user_id, lead_id) values (${storeId}, 'BR.1', ${goneId})`;
    await merge();
    await write(textFrom(long, 'from the long form'));
    await write(textFrom(short, 'from the short form'));
    await write(withUserId(textFrom('5511900000009', 'under another number'), 'BR.1'));
    expect(await stored()).toEqual(['from the long form', 'from the short form', 'under another number']);
  });

  test('a follow-up for the merged lead is accepted for the lead that stays', async () => {
    await messaging.addChannel(storeId);
    const id = randomUUID();
    const accept = (body: Partial<RequestOf<typeof acceptMessage>['body']> = {}) => {
      const followup = { id, lead_id: goneId, source: 'followup' as const, message: 'Tudo bem?' };
      return messaging.rpc.call(acceptMessage, { body: { ...followup, ...body } }, context());
    };
    await addMessages(keptId, [{ body: 'a' }]);
    await addConversation(goneId, { last_inbound_at: new Date() });
    messaging.crm.merge(storeId, goneId, keptId);
    // The reply to the merged lead must count, so the follow-up waits for the merge.
    const unlessReply = { unless_reply_after: at(0).toISOString() };
    await expect(accept(unlessReply)).rejects.toMatchObject({ code: 'service_unavailable' });
    await merge();
    await expect(accept(unlessReply)).rejects.toMatchObject({ code: 'lead_replied' });
    expect(await accept()).toEqual({ id, status: 'queued', error: null });
    expect(await accept({ id: randomUUID(), source: 'seller' })).toMatchObject({ status: 'queued' });
    expect(await stored()).toEqual(['a', 'Tudo bem?', 'Tudo bem?']);
  });

  test('a queued message to a lead whose merge has only reached crm is sent', async () => {
    await messaging.addChannel(storeId);
    const { id } = await messaging.send(storeId, goneId, 'queued');
    messaging.crm.merge(storeId, goneId, keptId);
    await step(goneId);
    expect(await messaging.adminSql`select status from messages where id = ${id}`).toEqual([{ status: 'sent' }]);
    expect(sentTo).toHaveLength(1);
  });

  test('the report of the lead that stays has all messages, that of the store is as before, and the rollups verify', async () => {
    await addMessages(keptId, [{}, {}]);
    await addMessages(goneId, [{}, outbound('sent', { sent_at: at(3), counted_at: at(3) })]);
    await messaging.adminSql`
      update sessions set status = 'ended', ended_at = ${at(9)}, end_recorded_at = ${at(9)} where store_id = ${storeId}`;
    while ((await messaging.rpc.call(closeConversationReports, {}, testContext())).more);
    const body = { boundaries: [at(0).getTime(), Date.now() + 60_000] };
    const summary = () => messaging.rpc.call(summarizeConversations, { body }, context());
    const before = await summary();
    await merge();
    expect(await summary()).toEqual(before);
    const report = { lead_id: keptId, from: null, to: null };
    expect(await messaging.rpc.call(reportConversation, { body: report }, context())).toMatchObject({
      sessions_started: 2,
      messages_inbound: 3,
      messages_outbound: { api: 1 },
    });
    const verified = await messaging.rpc.call(verifyConversationReports, { body: { after: null } }, testContext());
    expect(verified.wrong).toEqual([]);
  });
});
