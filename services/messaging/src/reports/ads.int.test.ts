import { type AdCounts, summarizeConversations } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { type Content, contents } from '@mostrador/testing/providers/whatsapp/entries';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newPhone, startStore, type TestStore } from '../../test/customers.ts';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';

let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging();
  messaging.inbound.start();
});
afterAll(() => messaging?.stop());

const hourMs = 3_600_000;
const adsOf = async (storeId: string, from = Date.now() - hourMs, to = Date.now() + hourMs) =>
  (await messaging.rpc.call(summarizeConversations, { body: { boundaries: [from, to] } }, testContext({ storeId })))
    .by_ad as AdCounts[];
const from = (referral: object): Content => ({ ...contents.text(), referral });
const first = { source_type: 'ad', source_id: '1', source_url: 'https://fb.me/1', headline: 'Cut' };
const nothing = { source_type: null, source_id: null, source_url: null, headline: null };

/** Who writes what, in order. */
async function withMessages(...written: readonly (readonly [string, Content])[]): Promise<TestStore> {
  const store = await startStore(messaging);
  for (const [phone, content] of written) await store.does({ phone }, content);
  return store;
}

test('each ad and post has its messages, its leads, and those whose first message it brought', async () => {
  const [ana, bia, caio] = [newPhone(), newPhone(), newPhone()] as const;
  const store = await withMessages(
    [ana, from(first)],
    [ana, contents.text()],
    [ana, from({ ...first, headline: 'Cut and colour' })],
    [bia, contents.text()],
    [bia, from({ ...first, headline: undefined })],
    [caio, from({ source_type: 'post', source_id: '1' })],
  );
  expect(await adsOf(store.storeId)).toEqual([
    { ...first, headline: 'Cut and colour', messages: 3, leads: 2, new_leads: 1 },
    { ...nothing, source_type: 'post', source_id: '1', messages: 1, leads: 1, new_leads: 1 },
  ]);
});

test('an ad without an id is known by its page, and one of which nothing is told is counted, too', async () => {
  const store = await withMessages(
    [newPhone(), from({ source_url: 'https://fb.me/a' })],
    [newPhone(), from({ source_url: 'https://fb.me/b' })],
    [newPhone(), from({ source_url: 'https://fb.me/a' })],
    [newPhone(), from({ ctwa_clid: 'click' })],
  );
  expect(await adsOf(store.storeId)).toEqual([
    { ...nothing, source_url: 'https://fb.me/a', messages: 2, leads: 2, new_leads: 2 },
    { ...nothing, source_url: 'https://fb.me/b', messages: 1, leads: 1, new_leads: 1 },
    { ...nothing, messages: 1, leads: 1, new_leads: 1 },
  ]);
});

test('another period, another store and the past of the telephone have none of them', async () => {
  const { storeId } = await withMessages([newPhone(), from(first)]);
  const elsewhere = await startStore(messaging);
  expect(await adsOf(elsewhere.storeId)).toEqual([]);
  expect(await adsOf(storeId, Date.now() - 2 * hourMs, Date.now() - hourMs)).toEqual([]);
  await messaging.adminSql`update messages set from_history = true where store_id = ${storeId}`;
  expect(await adsOf(storeId)).toEqual([]);
});
