import { randomUUID } from 'node:crypto';
import { mergeConversations } from '@mostrador/contracts';
import { silentLog, testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';
import { changeOptOut } from './change-opt-out.ts';
import { sendOptOuts } from './send-opt-outs.ts';

let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging();
});
afterAll(() => messaging?.stop());

const storeId = randomUUID();
const send = () => sendOptOuts({ ...messaging.dependencies, log: silentLog() }, AbortSignal.timeout(60_000));
const newLead = async (columns: { opted_out_at?: Date } = {}) => {
  const { adminSql, crm } = messaging;
  const leadId = crm.addLead(storeId);
  await adminSql`insert into conversations ${adminSql({ store_id: storeId, lead_id: leadId, ...columns })}`;
  return leadId;
};
let seconds = 0;
const wish = (leadId: string, want: 'stop' | 'start') =>
  messaging.dependencies.database.write({ storeId, deadline: Date.now() + 30_000 }, (sql) => {
    seconds += 1;
    const at = new Date(Date.UTC(2026, 10, 21, 12, 0, seconds));
    return changeOptOut(sql, storeId, leadId, { want, scope: 'all', at, source: 'stop_word' });
  });
const told = (leadId: string) => messaging.crm.optOuts.get(leadId);

test('crm is told of each opt-out and its end once, and not of leads who never opted out', async () => {
  const [leadId, quiet] = [await newLead(), await newLead()];
  expect(await send()).toBe(0);
  await wish(leadId, 'stop');
  await expect.poll(send).toBe(1);
  const first = told(leadId);
  expect(first).toEqual({ opted_out_at: expect.any(String), version: 1 });
  expect(await send()).toBe(0);
  await wish(leadId, 'start');
  await expect.poll(send).toBe(1);
  expect(told(leadId)).toEqual({ opted_out_at: null, version: 2 });
  expect(await send()).toBe(0);
  expect(told(quiet)).toBeUndefined();
});

test('an opt-out from before crm had a copy is told, and what crm did not get while it was down comes later', async () => {
  const at = new Date('2026-11-20T12:00:00.000Z');
  const leadId = await newLead({ opted_out_at: at });
  await messaging.crm.stop();
  expect(await send()).toBe(0);
  await messaging.crm.start();
  await expect.poll(send).toBe(1);
  expect(told(leadId)).toEqual({ opted_out_at: at.toISOString(), version: 0 });
  await wish(leadId, 'start');
  await wish(leadId, 'stop');
  await expect.poll(send).toBe(1);
  expect(told(leadId)).toMatchObject({ opted_out_at: expect.any(String), version: 2 });
});

test('after a merge crm knows the opt-out of the lead that stays', async () => {
  const [gone, kept] = [await newLead(), await newLead()];
  await wish(gone, 'stop');
  await send();
  const body = { lead_id: gone, merged_into: kept };
  await messaging.rpc.call(mergeConversations, { body }, testContext({ storeId }));
  await expect.poll(send).toBe(1);
  expect(told(kept)).toEqual({ opted_out_at: expect.any(String), version: 1 });
});
