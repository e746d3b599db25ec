import { getMessage, listStoreMessages, maxInboundBodyBytes, maxListedBodyLength } from '@mostrador/contracts';
import { contents } from '@mostrador/testing/providers/whatsapp/entries';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newPhone, newWamid, startStore, type TestStore } from '../../test/customers.ts';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';

let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging();
  messaging.inbound.start();
});
afterAll(() => messaging?.stop());

async function readLast(store: TestStore, phone: string) {
  const leadId = (await store.leadOf(phone)) as string;
  const listed = (await store.messages(leadId)).at(-1);
  const params = { leadId, messageId: listed?.id ?? '' };
  return { listed, message: await messaging.rpc.call(getMessage, { params }, store.context()) };
}

test('a text is kept whole up to 64 KiB, and a longer one is cut between characters and says so', async () => {
  const store = await startStore(messaging);
  const phone = newPhone();
  const whole = '👋'.repeat(maxInboundBodyBytes / 4);
  for (const [text, body_truncated] of [
    ['x'.repeat(4097), false],
    [whole, false],
    [`a${whole}`, true],
  ] as const) {
    await store.does({ phone }, contents.text(text));
    const { listed, message } = await readLast(store, phone);
    expect(message).toMatchObject({ body_truncated, body: body_truncated ? text.slice(0, -2) : text });
    expect(listed).toEqual(message);
  }
  expect(await store.failed()).toEqual([]);
});

test('a caption, a button’s text and an edit are kept alike', async () => {
  const store = await startStore(messaging);
  const phone = newPhone();
  const id = newWamid();
  const long = 'é'.repeat(5000);
  await store.does({ phone }, contents.image(long), { id });
  expect((await readLast(store, phone)).message.body).toBe(long);
  // The later edit counts. The channel gives its time in seconds.
  await store.does({ phone }, contents.captionEdit(id, `${long}!`), { at: new Date(Date.now() - 5_000) });
  expect((await readLast(store, phone)).message.body).toBe(`${long}!`);
  const tooLong = 'é'.repeat(maxInboundBodyBytes);
  await store.does({ phone }, contents.captionEdit(id, tooLong));
  expect((await readLast(store, phone)).message).toMatchObject({
    body: tooLong.slice(0, maxInboundBodyBytes / 2),
    body_truncated: true,
  });
});

test('a page of 200 of the longest texts fits into one answer, and each that is cut says so', async () => {
  const store = await startStore(messaging);
  const phone = newPhone();
  await store.does({ phone }, contents.text());
  const leadId = (await store.leadOf(phone)) as string;
  // Each character takes six bytes as JSON.
  await messaging.adminSql`
    insert into messages (store_id, lead_id, session_id, number, direction, source, body, status, metadata)
    select store_id, lead_id, session_id, n, 'inbound', 'lead', repeat(chr(1), ${maxInboundBodyBytes}), 'received',
      jsonb_build_object('x', repeat(chr(1), 2000))
    from messages, generate_series(2, 200) as n where lead_id = ${leadId}`;
  const all = await messaging.rpc.call(listStoreMessages, { query: { lead_id: leadId, limit: 200 } }, store.context());
  for (const page of [all.data, (await store.messages(leadId)).toReversed()]) {
    expect(page.length).toBeGreaterThanOrEqual(199);
    const long = page.filter(({ body }) => body.length > 10);
    for (const { body, body_truncated } of long) {
      expect(body.length).toBe(body_truncated ? maxListedBodyLength : maxInboundBodyBytes);
    }
    expect(long.filter(({ body_truncated }) => !body_truncated)).toHaveLength(1);
  }
});

test('an event with a long text has no object, and names the message', async () => {
  const store = await startStore(messaging);
  await store.does({ phone: newPhone() }, contents.text('x'.repeat(maxInboundBodyBytes)));
  const told = (await messaging.feed(store.storeId)).find(({ type }) => type === 'message.received');
  expect(told?.data).toMatchObject({ object: null, message_id: told?.entity_id });
});
