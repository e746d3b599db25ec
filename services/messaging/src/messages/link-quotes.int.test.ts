import { randomUUID } from 'node:crypto';
import { deliverMessages, mergeConversations } from '@mostrador/contracts';
import { contents, echoPayload, historyPayload } from '@mostrador/testing/providers/whatsapp/entries';
import { wamidOf } from '@mostrador/testing/providers/whatsapp/webhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newPhone, newUserId, newWamid, startStore, type TestStore } from '../../test/customers.ts';
import { statusUpdate } from '../../test/inbound-webhook.ts';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';

let messaging: TestMessaging;
/** The provider's answer to a send. */
let answer: PromiseWithResolvers<{ providerMessageId: string; waId: null }>;
let asked: PromiseWithResolvers<void>;
beforeAll(async () => {
  const send = () => {
    asked.resolve();
    return answer.promise;
  };
  messaging = await startMessaging({ openChannel: () => ({ send }) });
  messaging.inbound.start();
});
afterAll(() => messaging?.stop());

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);
const quoting = (id: string, text = 'Sim') => ({ ...contents.text(text), context: { id } }) as never;
/** The updates of messages that events told of, as the quoted message that they have and had. */
const updates = async (storeId: string) => {
  const rows = await messaging.adminSql<{ quotes: string; previous: object }[]>`
    select data -> 'object' ->> 'reply_to_id' as quotes, previous from feed_entries
    where store_id = ${storeId} and type = 'message.updated' order by position`;
  return rows.map(({ quotes, previous }) => [quotes, previous]);
};
/** The two ids of one message: with the customer's number, and with their user id. */
const bothIds = (customer: string) => {
  const key = randomUUID().replaceAll('-', '').toUpperCase().slice(0, 20);
  const idWith = (who: string) => wamidOf({ customer: who, key, isFromCustomer: true });
  return [idWith(customer), idWith(newUserId())] as const;
};
async function withLead() {
  const store = await startStore(messaging);
  const customer = { phone: newPhone() };
  await store.does(customer, contents.text('Olá'), { at: ago(60) });
  return { store, customer, leadId: (await store.leadOf(customer.phone)) as string };
}
const bodiesQuoted = async (store: TestStore, leadId: string) => {
  const all = await store.messages(leadId);
  return all.map(({ body, reply_to_id }) => [body, all.find(({ id }) => id === reply_to_id)?.body ?? null]);
};

test('a chunk of the past that quotes one that comes later is linked to it, by each of its ids, and no event tells it', async () => {
  const { store, customer, leadId } = await withLead();
  const [stored, quoted] = bothIds(customer.phone);
  const chunk = (content: object, id: string, at: Date) =>
    historyPayload(store.number, [{ customer, messages: [{ content: content as never, id, at }] }]);
  await store.posts(chunk(quoting(quoted, 'Temos'), newWamid(), ago(4000)));
  const before = (await store.messages(leadId))[0];
  await store.posts(chunk(contents.text('Tem lente?'), stored, ago(900_000)));
  expect(await bodiesQuoted(store, leadId)).toEqual([
    ['Tem lente?', null],
    ['Temos', 'Tem lente?'],
    ['Olá', null],
  ]);
  expect(await updates(store.storeId)).toEqual([]);
  const after = (await store.messages(leadId))[1];
  expect(Date.parse(after?.updated_at as string)).toBeGreaterThan(Date.parse(before?.updated_at as string));
});

test('an answer of today that quotes the past is linked when the past is imported, and an event tells it', async () => {
  const { store, customer, leadId } = await withLead();
  const [stored, quoted] = bothIds(customer.phone);
  await store.does(customer, quoting(quoted, 'Ainda tem?'));
  const past = { content: contents.text('Lente azul'), id: stored, at: ago(900_000), fromMe: true };
  await store.posts(historyPayload(store.number, [{ customer, messages: [past] }]));
  const [first] = await store.messages(leadId);
  expect((await bodiesQuoted(store, leadId)).at(-1)).toEqual(['Ainda tem?', 'Lente azul']);
  expect(await updates(store.storeId)).toEqual([[first?.id, expect.objectContaining({ reply_to_id: null })]]);
});

test('an answer that comes before the echo that it quotes, and a message before the one that it quotes, are linked', async () => {
  const { store, customer, leadId } = await withLead();
  const [echoed, written] = [newWamid(), newWamid()];
  await store.does(customer, quoting(echoed, 'Pode ser'));
  await store.posts(echoPayload(store.number, customer, contents.text('Às 15h?'), { id: echoed, at: ago(3) }));
  await store.does(customer, quoting(written, 'esta'));
  await store.does(customer, contents.text('Qual?'), { id: written });
  expect((await bodiesQuoted(store, leadId)).slice(1)).toEqual([
    ['Pode ser', 'Às 15h?'],
    ['Às 15h?', null],
    ['esta', 'Qual?'],
    ['Qual?', null],
  ]);
  expect(await updates(store.storeId)).toHaveLength(2);
  expect(await store.failed()).toEqual([]);
});

test.each(['the provider answers', 'a status update tells'])(
  'an answer to a message whose id is not known yet is linked when %s it',
  async (how) => {
    const { store, customer, leadId } = await withLead();
    answer = Promise.withResolvers();
    asked = Promise.withResolvers();
    const { id } = await messaging.send(store.storeId, leadId, 'Chegou!');
    const delivering = messaging.rpc.call(deliverMessages, { body: { lead_id: leadId } }, store.context());
    await asked.promise;
    const providerMessageId = newWamid();
    await store.does(customer, quoting(providerMessageId, 'Oba'));
    if (how === 'a status update tells') {
      const told = { id: providerMessageId, status: 'sent', biz_opaque_callback_data: id };
      await store.posts(statusUpdate(store.number.phoneNumberId, told as never));
    }
    answer.resolve({ providerMessageId, waId: null });
    await delivering;
    expect((await bodiesQuoted(store, leadId)).at(-1)).toEqual(['Oba', 'Chegou!']);
    expect(await updates(store.storeId)).toContainEqual([id, expect.objectContaining({ reply_to_id: null })]);
  },
);

test('a quote of what another lead has is linked when the two are one', async () => {
  const { store, customer, leadId } = await withLead();
  const other = { phone: newPhone() };
  const [stored, quoted] = bothIds(other.phone);
  await store.does(other, contents.text('Quanto custa?'), { id: stored });
  await store.does(customer, quoting(quoted, 'E esta?'));
  expect((await bodiesQuoted(store, leadId)).at(-1)).toEqual(['E esta?', null]);
  const goneId = (await store.leadOf(other.phone)) as string;
  messaging.crm.merge(store.storeId, goneId, leadId);
  await messaging.rpc.call(mergeConversations, { body: { lead_id: goneId, merged_into: leadId } }, store.context());
  expect((await bodiesQuoted(store, leadId)).at(-1)).toEqual(['E esta?', 'Quanto custa?']);
});
