import { randomUUID } from 'node:crypto';
import { getConversation, getOptOut } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';

let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging();
});
afterAll(() => messaging?.stop());

const read = (storeId: string, leadId: string) =>
  messaging.rpc.call(getConversation, { params: { leadId } }, testContext({ storeId }));
const wrote = new Date('2026-11-20T10:00:00.000Z');
const leadWith = async (provider: 'sandbox' | 'whatsapp_cloud', conversation: object) => {
  const storeId = randomUUID();
  await messaging.addChannel(storeId, provider);
  const leadId = messaging.crm.addLead(storeId);
  const { adminSql } = messaging;
  await adminSql`insert into conversations ${adminSql({ store_id: storeId, lead_id: leadId, ...conversation })}`;
  return { storeId, leadId };
};

test('the opt-out of a lead and the end of its reply window are shown', async () => {
  const { storeId, leadId } = await leadWith('whatsapp_cloud', { last_inbound_at: wrote, opted_out_at: wrote });
  expect(await read(storeId, leadId.toUpperCase())).toEqual({
    lead_id: leadId,
    opted_out_at: '2026-11-20T10:00:00.000Z',
    // The row has only the time.
    opt_out: { scope: 'all', source: 'stop_word', at: '2026-11-20T10:00:00.000Z' },
    window_expires_at: '2026-11-21T10:00:00.000Z',
    window_open: false,
    held_by: 'store',
    window_opened_by: 'message',
  });
  expect(await forAnother(storeId, leadId)).toEqual({
    ...{ opted_out_at: '2026-11-20T10:00:00.000Z', ai_paused_until: null },
  });
});

const forAnother = (storeId: string, leadId: string) =>
  messaging.rpc.call(getOptOut, { body: { lead_id: leadId } }, testContext({ storeId }));

test('another service reads a pause of the AI while it lasts', async () => {
  for (const [ai_paused_until, read] of [
    ['2999-01-01T00:00:00.000Z', '2999-01-01T00:00:00.000Z'],
    ['2026-01-01T00:00:00.000Z', null],
  ]) {
    const { storeId, leadId } = await leadWith('sandbox', { ai_paused_until });
    expect(await forAnother(storeId, leadId)).toEqual({ opted_out_at: null, ai_paused_until: read });
  }
});

const now = new Date();
const unlimited = { held_by: 'store', window_expires_at: null, window_opened_by: null };
const openedBy = (window_opened_by: string) => ({
  held_by: 'store',
  window_expires_at: expect.any(String),
  window_opened_by,
});

test.each([
  ['a sandbox always', 'sandbox', { last_inbound_at: wrote, called_at: wrote }, { window_open: true, ...unlimited }],
  ['WhatsApp before the lead writes', 'whatsapp_cloud', {}, { window_open: false, ...unlimited }],
  ['WhatsApp afterwards', 'whatsapp_cloud', { last_inbound_at: now }, { window_open: true, ...openedBy('message') }],
  ['WhatsApp after a call', 'whatsapp_cloud', { called_at: now }, { window_open: true, ...openedBy('call') }],
] as const)('%s: whether free text is accepted', async (_, provider, columns, expected) => {
  const { storeId, leadId } = await leadWith(provider, columns);
  expect(await read(storeId, leadId)).toEqual({ lead_id: leadId, opted_out_at: null, opt_out: null, ...expected });
});

test('without a channel no text is accepted, and an unknown lead is not found', async () => {
  const storeId = randomUUID();
  const leadId = messaging.crm.addLead(storeId);
  const expected = { opted_out_at: null, opt_out: null, ...unlimited, window_open: false };
  expect(await read(storeId, leadId)).toEqual({ lead_id: leadId, ...expected });
  await expect(read(storeId, randomUUID())).rejects.toMatchObject({ code: 'lead_not_found' });
});
