import { randomUUID } from 'node:crypto';
import { acceptMessage, reportConversation } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { contents } from '@mostrador/testing/providers/whatsapp/entries';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newPhone, newWamid, startStore } from '../../test/customers.ts';
import { statusUpdate } from '../../test/inbound-webhook.ts';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';
import { toRateCard } from '../prices/rate-card.ts';

const rateCard = toRateCard(
  JSON.stringify({
    currency: 'XTS',
    rates: [{ market: '55', category: 'utility', from: '2026-01-01', amount: 0.0315 }],
  }),
);
let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging({ rateCard });
  messaging.inbound.start();
});
afterAll(() => messaging?.stop());

/** A follow-up that WhatsApp has accepted, with what tells its statuses, each with a price. */
async function sentMessage() {
  const store = await startStore(messaging);
  const customer = { phone: newPhone() };
  await store.does(customer, contents.text('Oi'));
  const leadId = (await store.leadOf(customer.phone)) as string;
  const [id, wamid] = [randomUUID(), newWamid()];
  const body = { id, lead_id: leadId, source: 'followup' as const, message: 'Lembrete' };
  await messaging.rpc.call(acceptMessage, { body }, testContext({ storeId: store.storeId }));
  await messaging.adminSql`
    update messages set channel_id = ${store.channelId}, status = 'unknown', unknown_since = now() where id = ${id}`;
  const told = (status: string, pricing?: object) =>
    store.posts(
      statusUpdate(store.number.phoneNumberId, {
        id: wamid,
        status,
        callbackData: id,
        recipient_id: customer.phone,
        ...(pricing && { pricing }),
      }),
    );
  const message = async () => (await store.messages(leadId)).find((one) => one.id === id);
  const counts = async () => {
    const span = { from: '2026-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' };
    const report = await messaging.rpc.call(
      reportConversation,
      { body: { lead_id: leadId, ...span } },
      store.context(),
    );
    const { billable, free } = report.messages_priced ?? {};
    return [billable, free].map((some) => Object.values(some ?? {}).flatMap((one) => Object.values(one)));
  };
  const sums = async () => (await counts()).map((some) => some.reduce((total, one) => total + one, 0));
  return { store, told, message, sums, leadId };
}
const regular = { billable: true, pricing_model: 'PMP', type: 'regular', category: 'utility' };
const shown = { category: 'utility', billable: true, type: 'regular', model: 'PMP', amount: 0.0315, currency: 'XTS' };

test('a message shows what WhatsApp bills, and the reports count it once, when it is delivered', async () => {
  const { store, told, message, sums, leadId } = await sentMessage();
  expect(await message()).toMatchObject({ pricing: null });
  await told('sent', regular);
  expect(await message()).toMatchObject({ status: 'sent', pricing: shown });
  expect(await sums()).toEqual([0, 0]);
  await told('delivered', regular);
  await told('read', regular);
  expect(await message()).toMatchObject({ status: 'read', pricing: shown });
  expect(await sums()).toEqual([1, 0]);
  const span = { from: '2026-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' };
  const report = await messaging.rpc.call(reportConversation, { body: { lead_id: leadId, ...span } }, store.context());
  expect(report.messages_priced?.billable.utility).toEqual({ ai: 0, seller: 0, api: 0, followup: 1 });
  expect(report.messages_cost).toMatchObject({ currency: 'XTS', amount: 0.0315, without_rate: 0 });
  expect(report.messages_cost?.amounts.utility.followup).toBe(0.0315);
  const events = (await messaging.feed(store.storeId)).filter(({ type }) => type === 'message.sent');
  expect(events.at(-1)?.data.object).toMatchObject({ pricing: shown });
});

test('statuses in any order end with the price of the last one, and what is counted stays counted', async () => {
  const { told, message, sums } = await sentMessage();
  await told('delivered', { category: 'service', type: 'free_customer_service', pricing_model: 'PMP' });
  expect(await message()).toMatchObject({
    pricing: { category: 'service', billable: false, type: 'free_customer_service' },
  });
  await told('sent', regular);
  expect(await message()).toMatchObject({ pricing: { category: 'service', billable: false } });
  const before = await message();
  // Another price later is shown, and is a change for a copy, but no report of the past changes.
  await told('read', { ...regular, category: 'holograms' });
  expect(await message()).toMatchObject({ pricing: { category: 'holograms', billable: true } });
  expect(((await message())?.updated_at ?? '') > (before?.updated_at ?? '')).toBe(true);
  expect(await sums()).toEqual([0, 1]);
});

test('a price without a category or a sense is none, and the status counts', async () => {
  const { told, message, sums } = await sentMessage();
  for (const pricing of [{ billable: true }, { category: 'utility' }, { category: 7, billable: 'yes' }]) {
    await told('delivered', pricing);
  }
  expect(await message()).toMatchObject({ status: 'delivered', pricing: null });
  expect(await sums()).toEqual([0, 0]);
  await told('read');
  expect(await message()).toMatchObject({ status: 'read', pricing: null });
});

test('a price that was stored before there were rates shows no amount, and the next status does not fail', async () => {
  const { store, told, message, sums } = await sentMessage();
  await told('sent', regular);
  const { adminSql } = messaging;
  for (const table of ['messages', 'status_reports']) {
    await adminSql`
      update ${adminSql(table)} set pricing = pricing - 'amount' - 'currency'
      where store_id = ${store.storeId} and pricing is not null`;
  }
  expect(await message()).toMatchObject({ pricing: { ...shown, amount: null, currency: null } });
  await told('delivered');
  expect(await message()).toMatchObject({ status: 'delivered' });
  expect(await sums()).toEqual([1, 0]);
});
