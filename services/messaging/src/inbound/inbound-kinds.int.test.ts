import { type InboundKindName, inboundKinds, reportConversation } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import {
  accountErrorPayload,
  type Content,
  type Customer,
  callPayload,
  contactPayload,
  contents,
  echoPayload,
  handoverPayload,
  historyDeclinedPayload,
  historyMediaPayload,
  historyPayload,
  preferencePayload,
} from '@mostrador/testing/providers/whatsapp/entries';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newPhone, newUserId, newWamid, startStore, type TestStore } from '../../test/customers.ts';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';

let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging();
  messaging.inbound.start();
});
afterAll(() => messaging?.stop());

/** What happens: content of the customer, or a whole webhook. `target` is the customer's first message. */
type Case = (
  target: string,
  customer: Required<Pick<Customer, 'phone' | 'userId'>>,
) => Content | ((store: TestStore) => unknown);

const newNumber = newPhone();
const monthAgo = new Date(Date.now() - 30 * 24 * 3_600_000);
const cases: Record<InboundKindName, readonly Case[]> = {
  text: [() => contents.text(), () => contents.fromAd()],
  image: [() => contents.image('Foto'), () => contents.image()],
  audio: [() => contents.audio()],
  video: [() => contents.video('Vídeo')],
  document: [() => contents.document()],
  sticker: [() => contents.sticker()],
  location: [() => contents.location()],
  contacts: [() => contents.contacts()],
  interactive: [() => contents.buttonReply(), () => contents.listReply(), () => contents.flowReply()],
  button: [() => contents.button()],
  order: [() => contents.order()],
  ephemeral: [() => contents.ephemeral()],
  unsupported: [() => contents.unsupported(), () => contents.unsupported('poll_creation')],
  errors: [() => ({ type: 'errors', errors: [{ code: 131051 }] })],
  unknown: [() => contents.novelty(), () => ({})],
  unknown_reference: [
    (target) => contents.novelty({ message_id: target }),
    (target) => contents.novelty({ original_message_id: target, text: 'x' }),
  ],
  reaction: [(target) => contents.reaction(target, '👍'), (target) => contents.removedReaction(target)],
  edit: [(target) => contents.edit(target, 'Edited')],
  revoke: [(target) => contents.revoke(target)],
  'unsupported.reaction': [() => contents.unsupported('reaction')],
  'unsupported.edit': [() => contents.unsupported('edit')],
  'unsupported.revoke': [() => contents.unsupported('revoke')],
  'unsupported.pin': [() => contents.unsupported('pin')],
  'unsupported.keep_in_chat': [() => contents.unsupported('keep_in_chat')],
  'unsupported.poll_update': [() => contents.unsupported('poll_update')],
  system: [() => contents.otherNotice(), () => ({ type: 'system' })],
  'system.user_changed_number': [() => contents.changedNumber(newNumber)],
  'system.customer_changed_number': [(_, { phone }) => contents.customerChangedNumber(phone, newNumber)],
  'system.user_changed_user_id': [(_, { userId }) => contents.changedUserId(userId, newUserId())],
  'system.customer_identity_changed': [() => contents.changedIdentity()],
  'system.user_identity_changed': [() => ({ type: 'system', system: { type: 'user_identity_changed', body: 'x' } })],
  'system.user_preference_changed': [() => contents.changedPreference('stop')],
  user_preferences: [
    (_, customer) =>
      ({ number }) =>
        preferencePayload(number, customer, 'stop'),
  ],
  request_welcome: [() => contents.requestWelcome()],
  group: [() => contents.inGroup()],
  echo: [
    (_, customer) =>
      ({ number }) =>
        echoPayload(number, customer),
    (_, customer) =>
      ({ number }) =>
        echoPayload(number, customer, contents.image('Da loja')),
  ],
  history: [
    (_, customer) =>
      ({ number }) =>
        historyPayload(number, [{ customer, messages: [{ content: contents.text('antes'), at: monthAgo }] }]),
    (_, customer) =>
      ({ number }) =>
        historyPayload(number, [
          { customer, messages: [{ content: contents.text('antes'), at: monthAgo, fromMe: true }] },
        ]),
  ],
  history_media: [
    (_, customer) =>
      ({ number }) =>
        historyMediaPayload(number, customer, { content: contents.image('antes'), id: newWamid(), at: monthAgo }),
  ],
  history_declined: [
    () =>
      ({ number }) =>
        historyDeclinedPayload(number),
  ],
  contact: [
    (_, { phone }) =>
      ({ number }) =>
        contactPayload(number, { phone, name: 'Maria Souza' }),
    (_, { phone }) =>
      ({ number }) =>
        contactPayload(number, { phone, action: 'remove' }),
    () =>
      ({ number }) =>
        contactPayload(number, { phone: newPhone(), name: 'Never wrote' }),
  ],
  handover: [
    (_, customer) =>
      ({ number }) =>
        handoverPayload(number, customer, 'control_passed'),
    (_, customer) =>
      ({ number }) =>
        handoverPayload(number, customer, 'control_taken'),
  ],
  call: [
    (_, customer) =>
      ({ number }) =>
        callPayload(number, customer),
  ],
  account_errors: [
    () =>
      ({ number }) =>
        accountErrorPayload(number),
  ],
};

const rows = Object.entries(cases).flatMap(([kind, each]) =>
  each.map((happens, index) => ({ kind: kind as InboundKindName, index, happens })),
);

/** All that counts as the customer's words changes. */
async function read({ storeId }: TestStore, leadId: string) {
  const { adminSql } = messaging;
  const [conversation] = await adminSql<{ last_inbound_at: Date }[]>`
    select last_inbound_at, interaction_count, unread_count, is_unanswered, waiting_since, next_number::int, last_message_at
    from conversations where store_id = ${storeId} and lead_id = ${leadId}`;
  const count = async (rows: PromiseLike<readonly object[]>) => (await rows).length;
  return {
    ...(conversation as { last_inbound_at: Date }),
    leads: await count(adminSql`select 1 from conversations where store_id = ${storeId}`),
    messages: await count(adminSql`select 1 from messages where store_id = ${storeId}`),
    sessions: await count(adminSql`select 1 from sessions where store_id = ${storeId}`),
    // What cancels follow-ups.
    heard: await count(adminSql`
      select 1 from outbox where store_id = ${storeId} and topic = 'messaging.message.received'`),
    report: await messaging.rpc.call(
      reportConversation,
      { body: { lead_id: leadId, from: '2026-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' } },
      testContext({ storeId }),
    ),
  };
}

test('every kind of the table has a case here', () => {
  expect(Object.keys(cases).toSorted()).toEqual(Object.keys(inboundKinds).toSorted());
});

test('the name of a contact and its removal go to crm, and a contact without a name tells nothing', async () => {
  const store = await startStore(messaging);
  const [phone, at] = [newPhone(), new Date('2026-11-20T10:00:00Z')];
  await store.posts(contactPayload(store.number, { phone: `+${phone}`, name: 'Maria Souza', at }));
  await store.posts(contactPayload(store.number, { phone, action: 'remove' }));
  await store.posts(contactPayload(store.number, { phone, name: ' ' }));
  const named = messaging.crm.contactNames.filter(({ storeId }) => storeId === store.storeId);
  expect(named.flatMap(({ contacts }) => contacts)).toMatchObject([
    { customer_phone: phone, name: 'Maria Souza', at: at.toISOString() },
    { customer_phone: phone, name: null },
  ]);
  expect(await store.failed()).toEqual([]);
});

test('an entry from the number of the store itself that names no customer changes nothing', async () => {
  const store = await startStore(messaging);
  await store.posts(store.payload({ phone: store.number.phone }, contents.text('from the store itself')));
  expect(await store.failed()).toEqual([]);
  const rows = await messaging.adminSql`select 1 from messages where store_id = ${store.storeId}`;
  expect(rows).toHaveLength(0);
});

test('a message says from which ad the customer came', async () => {
  const store = await startStore(messaging);
  await store.does({ phone: newPhone(), userId: newUserId() }, contents.fromAd());
  const [row] = await messaging.adminSql`select kind, content from messages where store_id = ${store.storeId}`;
  const { welcome_message: _, image_url: __, ...referral } = contents.fromAd().referral;
  expect(row).toEqual({ kind: 'text', content: { referral } });
});

test.each(rows)('$kind ($index): it counts as words, or changes nothing that counts', async ({ kind, happens }) => {
  const store = await startStore(messaging);
  const customer = { phone: newPhone(), userId: newUserId() };
  const target = newWamid();
  await store.does(customer, contents.text('Olá'), { id: target });
  const leadId = (await store.leadOf(customer.phone)) as string;
  // The store has read and answered it, and the session is over.
  await messaging.adminSql`update sessions set status = 'ended', ended_at = now() where store_id = ${store.storeId}`;
  await messaging.adminSql`
    update conversations set is_unanswered = false, waiting_since = null, unread_count = 0 where store_id = ${store.storeId}`;
  const before = await read(store, leadId);

  const happening = happens(target, customer);
  await store.posts(typeof happening === 'function' ? happening(store) : store.payload(customer, happening));

  const after = await read(store, leadId);
  expect(await store.failed()).toEqual([]);
  if (inboundKinds[kind].changes === 'echo') {
    // As a message that a seller writes in the console: the conversation is answered, and the customer said nothing.
    const { last_inbound_at, leads, heard } = before;
    expect(after).toMatchObject({ last_inbound_at, leads, heard, messages: 2, sessions: 2, interaction_count: 2 });
    expect(after).toMatchObject({ unread_count: 0, is_unanswered: false, waiting_since: null });
    const outbound = { seller: 1, ai: 0, api: 0, followup: 0 };
    expect(after.report).toMatchObject({ messages_inbound: 1, messages_outbound: outbound });
    return;
  }
  if (inboundKinds[kind].changes === 'history') {
    // A message and its session more, before the others. Nothing else moves.
    expect(after).toEqual({ ...before, messages: 2, sessions: 2, next_number: 3 });
    return;
  }
  if (inboundKinds[kind].changes === 'handover') {
    // The lead waits for a person again, if the store has the conversation. The session of what it wrote is over.
    expect({ ...after, is_unanswered: false, waiting_since: null }).toEqual(before);
    return;
  }
  if (!inboundKinds[kind].isWords) {
    expect(after).toEqual(before);
    return;
  }
  expect(after).toMatchObject({
    interaction_count: 2,
    unread_count: 1,
    is_unanswered: true,
    messages: 2,
    sessions: 2,
    heard: 2,
    leads: 1,
  });
  expect(after.last_inbound_at > before.last_inbound_at).toBe(true);
});
