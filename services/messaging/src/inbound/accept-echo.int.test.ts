import { randomUUID } from 'node:crypto';
import { acceptMessage, listConversations, type Message } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { contents, echoPayload, handoverPayload, standbyPayload } from '@mostrador/testing/providers/whatsapp/entries';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newPhone, newUserId, newWamid, startStore, type TestStore } from '../../test/customers.ts';
import { statusUpdate } from '../../test/inbound-webhook.ts';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';

let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging({ openChannel: () => ({ send: () => new Promise(() => {}) }) });
  messaging.inbound.start();
});
afterAll(() => messaging?.stop());

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);
const accept = async ({ storeId }: TestStore, leadId: string, source: 'ai' | 'followup', message: string = source) => {
  const body = { id: randomUUID(), lead_id: leadId, source, message };
  return (await messaging.rpc.call(acceptMessage, { body }, testContext({ storeId }))).id;
};
const inboxOf = async ({ storeId }: TestStore) =>
  (await messaging.rpc.call(listConversations, { query: {} }, testContext({ storeId, role: 'manager' }))).data;
const phone = { kind: 'phone', id: null, name: null };

/** A store with a lead who has written. */
async function withLead() {
  const store = await startStore(messaging);
  const customer = { phone: newPhone() };
  await store.does(customer, contents.text('Olá'), { at: ago(60) });
  const leadId = (await store.leadOf(customer.phone)) as string;
  const echo = (content = contents.text('Já chegou!') as object, entry: { id?: string; at?: Date } = {}) =>
    echoPayload(store.number, customer, content as never, entry);
  const state = async () => {
    const [row] = await messaging.adminSql`
      select last_inbound_at, interaction_count, is_unanswered, unread_count, needs_attention,
        (select first_response_at from sessions where store_id = c.store_id and lead_id = c.lead_id),
        round(extract(epoch from ai_paused_until - clock_timestamp()) / 60)::int as paused_minutes
      from conversations c where store_id = ${store.storeId} and lead_id = ${leadId}`;
    return row;
  };
  return { store, customer, leadId, echo, state };
}

// chatwoot 12569 lost what was written in the app; 13371 showed it as the bot's.
test('what the owner writes on the phone is a sent message of a seller, and says that it came from the phone', async () => {
  const { store, customer, leadId, echo, state } = await withLead();
  const before = await state();
  await store.posts(echo(contents.image('A lente'), { id: 'wamid.echo' }));
  expect(await store.messages(leadId)).toMatchObject([
    { source: 'lead', author: null },
    {
      ...{ direction: 'outbound', source: 'seller', author: phone, status: 'sent', type: 'image', body: 'A lente' },
      ...{ provider_message_id: 'wamid.echo', media: { mime_type: 'image/jpeg' }, sent_at: expect.any(String) },
    },
  ]);
  expect(await state()).toEqual({
    ...before,
    ...{ interaction_count: 2, is_unanswered: false, unread_count: 0, paused_minutes: 720 },
    first_response_at: expect.any(Date),
  });
  // It is known as sent from the beginning, and only feeds tell of it: no follow-up is cancelled, nothing is sent.
  expect((await store.facts()).slice(2)).toEqual(['message.sent', 'conversation.read']);
  expect((await messaging.wakeUps(store.storeId)).map(({ signal }) => signal)).toEqual(['channel_connected']);
  // The customer answers, and quotes what they got.
  await store.does(customer, { ...contents.text('Oba'), context: { id: 'wamid.echo' } } as never);
  const [, sent, reply] = await store.messages(leadId);
  expect(reply?.reply_to_id).toBe(sent?.id);
});

test('an echo that comes again, in whatever webhook, is one message', async () => {
  const { store, leadId, echo, state } = await withLead();
  const id = newWamid();
  await store.posts(echo(contents.text('Oi'), { id, at: ago(5) }));
  const before = await state();
  await store.posts(echo(contents.text('Oi'), { id, at: ago(4) }));
  await Promise.all([ago(3), ago(2)].map((at) => store.post(echo(contents.text('Oi'), { id, at }))));
  await store.settled();
  expect(await store.messages(leadId)).toHaveLength(2);
  expect(await state()).toEqual(before);
  expect(await store.failed()).toEqual([]);
});

test('an echo of a message that was sent over the API is that message, also when the answer to the send was lost', async () => {
  const { store, leadId, echo, state } = await withLead();
  const { adminSql } = messaging;
  const id = await accept(store, leadId, 'followup', 'Lembrete');
  const set = (columns: object) => adminSql`update messages set ${adminSql(columns)} where id = ${id}`;
  const wamid = newWamid();

  // It is being sent: whose echo this is shows when the channel answers.
  const lease = { lease_token: randomUUID(), lease_until: new Date(Date.now() + 600_000), next_attempt_at: null };
  await set({ status: 'sending', channel_id: store.channelId, ...lease });
  await store.post(echo(contents.text('Lembrete'), { id: wamid }));
  await waitFor(
    async () => {
      const [row] = await adminSql`
        select next_attempt_at > received_at as waits from inbound_payloads
        where store_id = ${store.storeId} and processed_at is null`;
      return row?.waits === true;
    },
    { description: 'the echo waits' },
  );
  expect(await store.messages(leadId)).toHaveLength(2);

  // The answer is lost. The echo says what became of it.
  await set({ status: 'unknown', unknown_since: new Date(), lease_token: null, lease_until: null });
  await store.settled();
  expect((await store.messages(leadId)).slice(1)).toMatchObject([
    { id, source: 'followup', author: null, status: 'sent', provider_message_id: wamid },
  ]);
  expect(await state()).toMatchObject({ interaction_count: 2, paused_minutes: null });
  // And one that comes when the id is known.
  await store.posts(echo(contents.text('Lembrete'), { id: wamid, at: ago(1) }));
  expect(await store.messages(leadId)).toHaveLength(2);
});

test('what the owner sends is no echo of a message with another kind, or of a later one, whose answer was lost', async () => {
  const { store, leadId, echo } = await withLead();
  const { adminSql } = messaging;
  const id = await accept(store, leadId, 'followup', 'Lembrete');
  const set = (columns: object) => adminSql`update messages set ${adminSql(columns)} where id = ${id}`;
  await set({ status: 'unknown', unknown_since: new Date(), channel_id: store.channelId, body: '', kind: 'template' });
  await store.posts(echo(contents.image(), { id: newWamid() }));
  await set({ body: 'Lembrete', kind: 'text' });
  await store.posts(echo(contents.image('Lembrete'), { id: newWamid() }));
  await store.posts(echo(contents.text('Lembrete'), { id: newWamid(), at: ago(30) }));
  expect((await store.messages(leadId)).slice(1).map(({ status, author }) => [status, author?.kind])).toEqual([
    ['unknown', undefined],
    ['sent', 'phone'],
    ['sent', 'phone'],
    ['sent', 'phone'],
  ]);
});

test('the AI stops in the same transaction: what it has queued is cancelled, and what it writes now is rejected', async () => {
  const { store, leadId, echo } = await withLead();
  const queued = await accept(store, leadId, 'ai');
  await store.posts(echo());
  expect((await store.messages(leadId)).find(({ id }) => id === queued)).toMatchObject({
    status: 'cancelled',
    error: { code: 'ai_paused' },
  });
  await expect(accept(store, leadId, 'ai')).rejects.toMatchObject({ code: 'ai_paused' });
  // A stop word of the store is none of the customer.
  await store.posts(echo(contents.text('stop')));
  await accept(store, leadId, 'followup');
});

test.each([
  ['was delayed for a day', 25 * 3600, 720],
  ['is from before what the lead wrote last, and whose pause is over', 45 * 60, 30],
])('an echo that %s answers, reads and pauses nothing', async (_, age, minutes) => {
  const { store, customer, leadId, echo, state } = await withLead();
  await messaging.adminSql`insert into store_settings (store_id, ai_pause_minutes) values (${store.storeId}, ${minutes})`;
  await store.does(customer, contents.text('E aí?'), { at: ago(30) });
  const queued = await accept(store, leadId, 'ai');
  await messaging.adminSql`update conversations set needs_attention = true where lead_id = ${leadId}`;
  const before = await state();
  await store.posts(echo(contents.text('antes'), { at: ago(age) }));
  const messages = await store.messages(leadId);
  expect(messages).toHaveLength(4);
  expect(messages.find(({ id }) => id === queued)?.status).toBe('queued');
  expect(await state()).toEqual({ ...before, interaction_count: 3 });
  expect(before).toMatchObject({ unread_count: 2, needs_attention: true, first_response_at: null });
  expect(await store.facts()).not.toContain('conversation.read');
});

test('reply from the phone unseen: an echo that comes after what the lead wrote since pauses the AI from the moment it was written, and answers and reads nothing', async () => {
  const { store, customer, leadId, echo, state } = await withLead();
  await store.does(customer, contents.text('E aí?'), { at: ago(30) });
  const queued = await accept(store, leadId, 'ai');
  const before = await state();
  await store.posts(echo(contents.text('Um momento'), { at: ago(3600) }));
  expect((await store.messages(leadId)).find(({ id }) => id === queued)).toMatchObject({
    status: 'cancelled',
    error: { code: 'ai_paused' },
  });
  expect(await state()).toMatchObject({ paused_minutes: 660, unread_count: 2, first_response_at: null });
  expect(before).toMatchObject({ paused_minutes: null, unread_count: 2 });
  await expect(accept(store, leadId, 'ai')).rejects.toMatchObject({ code: 'ai_paused' });
  expect(await store.facts()).not.toContain('conversation.read');
});

test('the first words to a new customer create the lead, by the number and by the id of one without a number', async () => {
  const store = await startStore(messaging);
  const customer = { phone: newPhone() };
  await store.posts(echoPayload(store.number, customer, contents.text('Bom dia')));
  const leadId = (await store.leadOf(customer.phone)) as string;
  expect(await store.messages(leadId)).toMatchObject([{ author: phone, body: 'Bom dia' }]);
  await expect(store.conversation(leadId)).resolves.toMatchObject({ window_open: false });
  const [session] = await messaging.adminSql`select opened_by_lead from sessions where lead_id = ${leadId}`;
  expect(session).toEqual({ opened_by_lead: false });

  const userId = newUserId();
  const known = { phone: newPhone(), userId };
  await store.does(known, contents.text('Olá'));
  await store.posts(echoPayload(store.number, { userId }, contents.text('Oi')));
  const messages = await store.messages((await store.leadOf(known.phone)) as string);
  expect(messages.map(({ source }: Message) => source)).toEqual(['lead', 'seller']);
});

test('edits, deletions and reactions on the phone change the message, whatever comes first', async () => {
  const { store, customer, leadId, echo } = await withLead();
  const [edited, deleted, mine] = [newWamid(), newWamid(), newWamid()];
  await store.does(customer, contents.text('Obrigada'), { id: mine });
  await store.posts(echo(contents.edit(edited, 'Às 15h'), { at: ago(1) }));
  await store.posts(echo(contents.text('Às 14h'), { id: edited, at: ago(9) }));
  await store.posts(echo(contents.text('errado'), { id: deleted, at: ago(8) }));
  await store.posts(echo(contents.revoke(deleted)));
  await store.posts(echo(contents.reaction(mine, '❤️')));
  // A customer edits only what they wrote.
  await store.posts(store.payload(customer, contents.edit(edited, 'Às 9h')));
  expect((await store.messages(leadId)).slice(1)).toMatchObject([
    { source: 'lead', reactions: [{ emoji: '❤️', from: 'seller' }] },
    { author: phone, body: 'Às 15h', edited_at: expect.any(String) },
    { author: phone, body: '', revoked_at: expect.any(String) },
  ]);
});

test('an answer on the phone quotes the message of the customer', async () => {
  const { store, customer, leadId, echo } = await withLead();
  const [question, answer] = [newWamid(), newWamid()];
  await store.does(customer, contents.text('Abre hoje?'), { id: question });
  await store.posts(echo({ ...contents.text('Até as 19h'), context: { id: question } }, { id: answer }));
  const [, asked, answered] = await store.messages(leadId);
  expect(answered).toMatchObject({ author: phone, body: 'Até as 19h', reply_to_id: asked?.id });
});

test('what the channel tells of an echo later, and told before it, shows on it', async () => {
  const { store, leadId, echo } = await withLead();
  const [early, late] = [newWamid(), newWamid()];
  await store.posts(statusUpdate(store.number.phoneNumberId, { id: early, status: 'read' }));
  await store.posts(echo(contents.text('1'), { id: early }));
  await store.posts(echo(contents.text('2'), { id: late }));
  await store.posts(statusUpdate(store.number.phoneNumberId, { id: late, status: 'delivered' }));
  expect((await store.messages(leadId)).slice(1).map(({ status }) => status)).toEqual(['read', 'delivered']);
});

test('on standby another agent of the number answers: its words and the customer’s are stored, and our AI is silent', async () => {
  const { store, customer, leadId, echo, state } = await withLead();
  const queued = await accept(store, leadId, 'ai');
  const [mine, asked, answer] = [newWamid(), newWamid(), newWamid()];
  const question = store.payload(customer, contents.text('Abre hoje?'), { id: asked, at: ago(9) });
  await store.posts(standbyPayload(question));
  expect((await store.messages(leadId)).find(({ id }) => id === queued)).toMatchObject({
    status: 'cancelled',
    error: { code: 'ai_paused' },
  });
  await expect(accept(store, leadId, 'ai')).rejects.toMatchObject({ code: 'ai_paused' });
  const told = await messaging.adminSql`
    select data->'on_standby' as on_standby from outbox
    where store_id = ${store.storeId} and topic = 'messaging.message.received' order by id`;
  expect(told.map(({ on_standby }) => on_standby)).toEqual([null, true]);
  expect(await state()).toMatchObject({ is_unanswered: true, unread_count: 2, paused_minutes: 1440 });
  await expect(store.conversation(leadId)).resolves.toMatchObject({ window_open: true });

  await store.posts(
    standbyPayload(echo({ ...contents.text('Até 18h'), context: { id: asked } }, { id: answer, at: ago(5) })),
  );
  await store.posts(standbyPayload(echo(contents.edit(answer, 'Até as 19h'), { at: ago(3) })));
  await store.posts(standbyPayload(statusUpdate(store.number.phoneNumberId, { id: answer, status: 'read' }) as never));
  const ofAgent = { kind: 'agent', id: null, name: null };
  expect((await store.messages(leadId)).slice(2)).toMatchObject([
    { source: 'lead', body: 'Abre hoje?' },
    { source: 'ai', author: ofAgent, body: 'Até as 19h', status: 'read', reply_to_id: expect.any(String) },
  ]);
  // No person has read it.
  expect(await state()).toMatchObject({ is_unanswered: false, unread_count: 2, paused_minutes: 1440 });
  // The same message over the field `messages`, and a message of who has the conversation back.
  await store.posts(question);
  const holder = async () => [(await store.conversation(leadId)).held_by, (await inboxOf(store))[0]?.held_by];
  expect(await holder()).toEqual(['other', 'other']);
  await store.does(customer, contents.text('Oi'), { id: mine });
  expect(await store.messages(leadId)).toHaveLength(5);
  expect(await holder()).toEqual(['store', 'store']);
  await store.posts(standbyPayload(echo(contents.text('De novo eu'), { id: newWamid(), at: ago(-1) })));
  expect(await holder()).toEqual(['other', 'other']);
  await store.posts(echo(contents.text('Aqui é a Ana'), { id: newWamid(), at: ago(-2) }));
  expect(await holder()).toEqual(['store', 'store']);
  expect(await store.failed()).toEqual([]);
});

test('a question that another agent has had for a day pauses nothing', async () => {
  const { store, customer, state } = await withLead();
  await store.posts(standbyPayload(store.payload(customer, contents.text('antes'), { at: ago(25 * 3600) })));
  expect(await state()).toMatchObject({ unread_count: 2, paused_minutes: null });
});

type Store = Awaited<ReturnType<typeof withLead>>;
const hands = ({ store, customer }: Store, type: 'control_passed' | 'control_taken' = 'control_passed', at = ago(1)) =>
  store.posts(handoverPayload(store.number, customer, type, at));
const agentSays = ({ store, echo }: Store, body: string, at: Date) =>
  store.posts(standbyPayload(echo(contents.text(body), { id: newWamid(), at })));
const handedOver = async ({ store }: Store) =>
  (await messaging.feed(store.storeId)).filter(({ type }) => type === 'conversation.handed_over').length;
const waits = { is_unanswered: true, paused_minutes: 1440 };

test.each([
  ['after what the agent said last', ['says', 'passes']],
  ['before it, because webhooks come in any order', ['passes', 'says']],
])(
  'a conversation that another agent passes to the store waits for a person, also when that is told %s',
  async (_, steps) => {
    const it = await withLead();
    const { store, leadId, state } = it;
    const waitingSince = async () =>
      (
        await messaging.adminSql`
    select waiting_since from conversations where store_id = ${store.storeId} and lead_id = ${leadId}`
      )[0];
    const asked = await waitingSince();
    const queued = await accept(store, leadId, 'ai');
    for (const step of steps) {
      if (step === 'says') await agentSays(it, 'Um momento, chamo uma pessoa', ago(2));
      else await hands(it);
    }
    expect(await state()).toMatchObject(waits);
    expect(await waitingSince()).toEqual(asked);
    expect((await store.messages(leadId)).find(({ id }) => id === queued)).toMatchObject({ status: 'cancelled' });
    expect(await handedOver(it)).toBe(1);
    // It comes again after a person has answered, and ended the pause.
    await store.posts(it.echo(contents.text('Sou a Ana'), { id: newWamid(), at: ago(0) }));
    await messaging.adminSql`
    update conversations set ai_paused_until = null where store_id = ${store.storeId} and lead_id = ${leadId}`;
    await hands(it, 'control_passed', ago(30));
    expect(await state()).toMatchObject({ is_unanswered: false, paused_minutes: null });
    expect(await handedOver(it)).toBe(1);
    expect(await store.failed()).toEqual([]);
  },
);

test('what the agent answered before the customer wrote last stays an answer, and so does what it says after it has the conversation again', async () => {
  const it = await withLead();
  const { store, customer, state } = it;
  await agentSays(it, 'Até 18h', ago(50));
  await store.posts(standbyPayload(store.payload(customer, contents.text('Quero uma pessoa'), { at: ago(40) })));
  await hands(it, 'control_passed', ago(30));
  expect(await state()).toMatchObject(waits);
  const [row] = await messaging.adminSql`
    select array_agg(answers order by number) as answers from messages where store_id = ${store.storeId} and source = 'ai'`;
  expect(row?.answers).toEqual([true]);
  await agentSays(it, 'Voltei', ago(5));
  expect(await state()).toMatchObject({ is_unanswered: false });
});

test('a conversation that another agent takes silences our AI, and one that was passed a day ago changes nothing', async () => {
  const it = await withLead();
  const before = await it.state();
  await hands(it, 'control_passed', ago(25 * 3600));
  expect(await it.state()).toEqual(before);
  await hands(it, 'control_taken');
  expect(await it.state()).toEqual({ ...before, paused_minutes: 1440 });
  await expect(accept(it.store, it.leadId, 'ai')).rejects.toMatchObject({ code: 'ai_paused' });
  expect(await handedOver(it)).toBe(0);
});

test.each([
  ['control_taken', 'control_passed', 'other', 0],
  ['control_passed', 'control_taken', 'store', 1],
] as const)('a %s stays when an older %s comes after it', async (newer, older, owner, handovers) => {
  const it = await withLead();
  await hands(it, newer, ago(5));
  const after = await it.state();
  await hands(it, older, ago(20));
  const [row] = await messaging.adminSql`
    select handover_owner from conversations where store_id = ${it.store.storeId}`;
  expect(row).toEqual({ handover_owner: owner });
  expect(await it.state()).toEqual(after);
  expect(await handedOver(it)).toBe(handovers);
});

test('a handover of a customer who is no lead creates none', async () => {
  const it = await withLead();
  await hands({ ...it, customer: { phone: newPhone() } });
  const rows = await messaging.adminSql`select 1 from conversations where store_id = ${it.store.storeId}`;
  expect(rows).toHaveLength(1);
  expect(await it.store.failed()).toEqual([]);
});
