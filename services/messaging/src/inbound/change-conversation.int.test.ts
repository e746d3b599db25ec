import type { changeContactPhone, RequestOf } from '@mostrador/contracts';
import { contents } from '@mostrador/testing/providers/whatsapp/entries';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newPhone, newUserId, startStore } from '../../test/customers.ts';
import { holdConversation } from '../../test/held-conversation.ts';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';
import type { CustomerIds, InboundEffect } from '../channels/channel-provider.ts';
import { followPhone } from '../conversations/change-contact-phone.ts';
import { applyEffect } from './apply-effect.ts';

let messaging: TestMessaging;
beforeAll(async () => {
  messaging = await startMessaging();
  messaging.inbound.start();
});
afterAll(() => messaging?.stop());

type Told = { readonly customer: CustomerIds; readonly at: Date };
const kinds: Readonly<Record<string, (told: Told) => InboundEffect>> = {
  call: (told) => ({ kind: 'call', ...told }),
  'preference about messages': (told) => ({ kind: 'opt_out', wish: { want: 'stop', scope: 'marketing' }, ...told }),
  handover: (told) => ({ kind: 'handover', owner: 'store', ...told }),
};

describe.each(Object.entries(kinds))('a %s', (_, effectOf) => {
  /** A store with a lead who wrote, and what the channel then tells of a customer with these ids. */
  async function withLead() {
    const store = await startStore(messaging);
    const { storeId, channelId } = store;
    const phone = newPhone();
    await store.does({ phone, userId: newUserId() }, contents.text('Olá'));
    const leadId = (await store.leadOf(phone)) as string;
    const tell = (customer: CustomerIds) => {
      const effect = effectOf({ customer, at: new Date() });
      if (effect.kind === 'contact') throw new Error('not about a conversation');
      return applyEffect(messaging.dependencies, store.context(), channelId, effect);
    };
    const changed = async () => {
      const rows = await messaging.adminSql`
        select coalesce(called_at, opted_out_at, handover_at) is not null as changed from conversations
        where store_id = ${storeId}`;
      return rows.map(({ changed }) => changed);
    };
    return { store, phone, leadId, tell, changed };
  }

  test('changes the conversation of the lead with the number', async () => {
    const { phone, tell, changed } = await withLead();
    await tell({ waId: phone, userId: null });
    expect(await changed()).toEqual([true]);
  });

  test('of another person, who has the number of a lead now, changes nothing', async () => {
    const { phone, tell, changed } = await withLead();
    await tell({ waId: phone, userId: newUserId() });
    expect(await changed()).toEqual([false]);
  });

  test('of a customer whose lead gets another phone meanwhile is looked up again, and changes nothing', async () => {
    const { store, phone, leadId, tell, changed } = await withLead();
    const next = newPhone();
    const change: RequestOf<typeof changeContactPhone>['body'] = {
      ...{ lead_id: leadId, customer_phone: next },
      version: messaging.crm.changePhone(store.storeId, leadId, next),
    };
    const held = await holdConversation(messaging, store.storeId, leadId);
    const changing = messaging.database.write(store.context(), (sql) => followPhone(sql, store.storeId, change));
    await held.waiting(1);
    const telling = Promise.allSettled([tell({ waId: phone, userId: null })]);
    await held.waiting(2);
    await Promise.all([held.release(), changing]);
    expect(await telling).toMatchObject([{ status: 'rejected', reason: { code: 'service_unavailable' } }]);
    await tell({ waId: phone, userId: null });
    expect(await changed()).toEqual([false]);
  });
});
