import { contents } from '@mostrador/testing/providers/whatsapp/entries';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newPhone, newUserId, newWamid, startStore } from '../../test/customers.ts';
import { statusUpdate } from '../../test/inbound-webhook.ts';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';

let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging();
  messaging.inbound.start();
});
afterAll(() => messaging?.stop());

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);

/** A lead who is known by the number alone, and who got a message. */
async function withSent() {
  const store = await startStore(messaging);
  const phone = newPhone();
  const asked = newWamid();
  await store.does({ phone }, contents.text('Olá'), { id: asked, at: ago(60) });
  const leadId = (await store.leadOf(phone)) as string;
  const { id } = await messaging.send(store.storeId, leadId, 'Chegou!');
  const wamid = newWamid();
  await messaging.adminSql`
    update messages set status = 'sent', sent_at = now(), channel_id = ${store.channelId}, provider_message_id = ${wamid}
    where id = ${id}`;
  const status = (recipient_user_id: string) =>
    store.posts(
      statusUpdate(store.number.phoneNumberId, {
        id: wamid,
        status: 'delivered',
        recipient_id: phone,
        recipient_user_id,
      }),
    );
  const idsOf = async (lead: string) => {
    const [row] = await messaging.adminSql`select wa_id, user_id from conversations where lead_id = ${lead}`;
    return row;
  };
  return { store, phone, leadId, asked, status, idsOf };
}

test.each(['a status', 'a reaction'])('%s that tells both ids gives the lead the other one', async (how) => {
  const { store, phone, leadId, asked, status, idsOf } = await withSent();
  const userId = newUserId();
  if (how === 'a status') await status(userId);
  else await store.does({ phone, userId }, contents.reaction(asked, '👍'));
  expect(await idsOf(leadId)).toEqual({ wa_id: phone, user_id: userId });
  // They write without the number.
  await store.does({ userId }, contents.text('Sou eu'));
  expect((await store.messages(leadId)).map(({ body }) => body)).toContain('Sou eu');
  expect(await store.failed()).toEqual([]);
});

test('a status that names another person for the number takes the number from the lead', async () => {
  const { store, phone, leadId, status, idsOf } = await withSent();
  const [before, now] = [newUserId(), newUserId()];
  await store.does({ phone, userId: before }, contents.text('Sou eu'), { at: ago(30) });
  await status(now);
  expect(await idsOf(leadId)).toEqual({ wa_id: null, user_id: before });
  await store.does({ phone, userId: now }, contents.text('Quem é?'));
  expect((await store.messages(leadId)).map(({ body }) => body)).not.toContain('Quem é?');
  expect(await store.failed()).toEqual([]);
});
