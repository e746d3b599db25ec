import { randomUUID } from 'node:crypto';
import {
  acceptMessage,
  getChannelConnection,
  sendMessage,
  showChannel,
  updateMessagingSettings,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newPhone, startStore } from '../../test/customers.ts';
import { statusUpdate } from '../../test/inbound-webhook.ts';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';
import { budgetGauges } from './budget-metrics.ts';
import { toRateCard } from './rate-card.ts';

const rate = (category: string, amount: number) => ({ market: '*', category, from: '2026-01-01', amount });
const rateCard = toRateCard(
  JSON.stringify({
    currency: 'XTS',
    free_service_messages: 1000,
    rates: [rate('service', 0.25), rate('marketing', 0.5), { ...rate('marketing', 2), market: '598' }],
  }),
);
let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging({ rateCard });
  messaging.inbound.start();
});
afterAll(() => messaging?.stop());

/** A store whose customers can be written to, with a budget or without. */
async function openStore(budget?: number) {
  const store = await startStore(messaging);
  const { storeId, channelId, number } = store;
  const context = () => testContext({ storeId });
  const setBudget = (monthly_budget: number | null) =>
    messaging.rpc.call(updateMessagingSettings, { body: { monthly_budget } }, context());
  if (budget !== undefined) await setBudget(budget);
  const newLead = async () => {
    const lead_id = messaging.crm.addLead(storeId, newPhone());
    await messaging.adminSql`
      insert into conversations (store_id, lead_id, last_inbound_at) values (${storeId}, ${lead_id}, now())`;
    return lead_id;
  };
  const lead = await newLead();
  const accept = async (more: object = {}) => {
    const body = { id: randomUUID(), lead_id: lead, source: 'ai' as const, message: 'Olá', ...more };
    return (await messaging.rpc.call(acceptMessage, { body }, context())).id;
  };
  const budgetOf = async () => (await messaging.rpc.call(getChannelConnection, {}, context())).message_budget;
  const spent = async () => (await budgetOf())?.spent;
  const told = async (id: string, status: string, pricing?: object) => {
    await messaging.adminSql`
      update messages set channel_id = ${channelId}, status = 'unknown', unknown_since = now()
      where id = ${id} and status = 'queued'`;
    await store.posts(statusUpdate(number.phoneNumberId, { id: `wamid.${id}`, status, callbackData: id, pricing }));
  };
  const events = async () => (await messaging.feed(storeId)).filter(({ type }) => type === 'budget.reached');
  return { storeId, newLead, lead, accept, setBudget, budgetOf, spent, told, events };
}
const refused = { code: 'message_budget_reached' };
const usedUp = async () => (await budgetGauges(messaging.systemDatabase).read())[0]?.value;
const billed = (category: string) => ({ billable: true, category, type: 'regular', pricing_model: 'PMP' });

test('the channel shows how many of its free service messages the number has used', async () => {
  const { storeId, accept, told } = await openStore();
  for (const category of ['service', 'marketing']) await told(await accept(), 'delivered', billed(category));
  await told(await accept(), 'delivered', { ...billed('service'), billable: false });
  await told(await accept(), 'sent', billed('service'));
  const { free_service_messages } = await messaging.rpc.call(showChannel, {}, testContext({ storeId }));
  const month = new Date().toISOString().slice(0, 7);
  expect(free_service_messages).toEqual({ used: 2, limit: 1000, month });
});

describe('the budget of a month', () => {
  test('is used up by what messages probably cost, stops them, and tells at 80 and at 100 percent', async () => {
    const { accept, spent, events, storeId, lead, setBudget } = await openStore(1.25);
    expect(await usedUp()).toBe(0);
    for (let count = 0; count < 5; count += 1) await accept({ source: count % 2 ? 'ai' : 'followup' });
    await expect(accept()).rejects.toMatchObject(refused);
    await expect(messaging.send(storeId, lead)).rejects.toMatchObject(refused);
    expect(await spent()).toBe(1.25);
    const month = new Date().toISOString().slice(0, 7);
    const data = { amount: 1.25, currency: 'XTS', month };
    expect(await events()).toMatchObject([
      { entity_id: storeId, data: { ...data, percent: 80, spent: 1 } },
      { entity_id: storeId, data: { ...data, percent: 100, spent: 1.25 } },
    ]);
    expect(await usedUp()).toBe(1);
    await setBudget(null);
    expect(await usedUp()).toBe(0);
  });

  test('lets a seller write, and the AI call a person, whose messages count, too', async () => {
    const { accept, spent } = await openStore(0.25);
    await accept({ source: 'followup' });
    await expect(accept()).rejects.toMatchObject(refused);
    await accept({ hands_over: true });
    await accept({ source: 'seller' });
    expect(await spent()).toBe(0.5);
    await expect(accept({ source: 'followup' })).rejects.toMatchObject(refused);
  });

  test('is not exceeded by messages that come at once', async () => {
    const { accept, newLead, spent } = await openStore(1);
    const leads = await Promise.all(Array.from({ length: 12 }, newLead));
    const answers = await Promise.allSettled(leads.map((lead_id) => accept({ lead_id })));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
    expect(await spent()).toBe(1);
  });

  test('expects of a template that is not known, or of no known category, that it is marketing', async () => {
    const { accept, lead, spent, storeId } = await openStore(10);
    const template = { name: 'sale', language: 'en' };
    await accept({ source: 'followup', template });
    expect(await spent()).toBe(0.25);
    await messaging.adminSql`update conversations set last_inbound_at = null where lead_id = ${lead}`;
    await accept({ source: 'followup', template });
    expect(await spent()).toBe(0.75);
    await messaging.adminSql`
      insert into templates (store_id, channel_id, name, language, status, category, quality, variables, components)
      select ${storeId}, id, 'sale', 'en', 'approved', 'unknown', 'unknown', 'positional', '[]'
      from channels where store_id = ${storeId}`;
    await accept({ source: 'followup', template });
    expect(await spent()).toBe(1.25);
  });

  test('counts the market of a lead who has no conversation, or whose conversation knows no phone yet', async () => {
    const { accept, spent, storeId } = await openStore(7);
    const abroad = () => messaging.crm.addLead(storeId, `598${newPhone().slice(-8)}`);
    const template = { name: 'sale', language: 'en' };
    const send = (leadId: string) =>
      messaging.rpc.call(sendMessage, { params: { leadId }, body: { template } }, testContext({ storeId }));
    const lead = abroad();
    await send(lead);
    expect(await spent()).toBe(2);
    await send(lead);
    expect(await spent()).toBe(4);
    await accept({ source: 'seller', template, lead_id: lead });
    expect(await spent()).toBe(6);
    await expect(send(abroad())).rejects.toMatchObject(refused);
  });

  test('counts the market of a customer without a number by the country in the user id', async () => {
    const { accept, lead, spent } = await openStore(7);
    const template = { name: 'sale', language: 'en' };
    const sendTo = async (userId: string) => {
      await messaging.adminSql`
        update conversations set wa_id = null, phone = null, lead_phone = null, user_id = ${userId} where lead_id = ${lead}`;
      await accept({ source: 'seller', template });
      return await spent();
    };
    await messaging.adminSql`update conversations set last_inbound_at = null where lead_id = ${lead}`;
    expect(await sendTo('UY.1502576394655843')).toBe(2);
    expect(await sendTo('BR.1502576394655843')).toBe(2.5);
    expect(await sendTo('of-no-country')).toBe(3);
  });

  test('gets back what a message did not cost, and bears what it cost more', async () => {
    const { accept, spent, told } = await openStore(10);
    const [free, dear, failed] = [await accept(), await accept(), await accept()];
    expect(await spent()).toBe(0.75);
    await told(free, 'delivered', { ...billed('service'), billable: false });
    expect(await spent()).toBe(0.5);
    await told(dear, 'delivered', billed('marketing'));
    expect(await spent()).toBe(0.75);
    await told(failed, 'failed');
    expect(await spent()).toBe(0.5);
    // A repeated or later status changes nothing.
    await told(dear, 'read', billed('marketing'));
    expect(await spent()).toBe(0.5);
  });

  test('tells that prices use it up, and again after spending has fallen, and when it is set below it', async () => {
    const { accept, events, told, setBudget } = await openStore(1);
    const percents = async () => (await events()).map(({ data }) => data.percent);
    const [first, second] = [await accept(), await accept()];
    await told(first, 'delivered', billed('marketing'));
    expect(await percents()).toEqual([]);
    await told(second, 'delivered', billed('marketing'));
    expect(await percents()).toEqual([100]);
    expect((await events())[0]?.data).toMatchObject({ amount: 1, spent: 1, currency: 'XTS' });
    await setBudget(2);
    const third = await accept({ source: 'followup' });
    await accept({ source: 'followup' });
    await accept({ source: 'followup' });
    expect(await percents()).toEqual([100, 80]);
    await told(third, 'failed');
    await accept({ source: 'followup' });
    // It has not fallen enough.
    expect(await percents()).toEqual([100, 80]);
    await setBudget(1.5);
    expect(await percents()).toEqual([100, 80, 100]);
    await setBudget(4);
    await setBudget(1.5);
    expect(await percents()).toEqual([100, 80, 100, 100]);
  });

  test('that is set again is counted from the messages of the month', async () => {
    const { accept, setBudget, spent, told, budgetOf } = await openStore();
    const earlier = await accept();
    await told(earlier, 'delivered', billed('marketing'));
    expect(await budgetOf()).toBeNull();
    await setBudget(0.75);
    expect(await spent()).toBe(0.5);
    await accept();
    await expect(accept()).rejects.toMatchObject(refused);
    await setBudget(1);
    await accept();
    expect(await spent()).toBe(1);
    await setBudget(null);
    await accept();
    expect(await budgetOf()).toBeNull();
  });
});
