import { randomUUID } from 'node:crypto';
import type { DomainEvent } from '@mostrador/contracts/events';
import { silentLog, testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newInbox, type TestInbox } from '../../test/inbox.ts';
import { startMessaging, type TestMessaging } from '../../test/messaging.ts';
import { saveLeads } from './catch-up.repository.ts';
import { catchUpAll } from './catch-up.ts';
import { type leadEvents, onLeadEvent } from './on-lead-event.ts';

let messaging: TestMessaging;
let inbox: TestInbox;
beforeAll(async () => {
  messaging = await startMessaging();
});
afterAll(() => messaging?.stop());
beforeEach(async () => {
  inbox = await newInbox(messaging);
});

const addLead = (name: string) => messaging.crm.addLead(inbox.storeId, undefined, name);
const catchUp = () => catchUpAll({ ...messaging.dependencies, log: silentLog() }, new AbortController().signal);
const leads = async () => {
  const { adminSql } = messaging;
  const rows = await adminSql`
    select lead_name, lead_version from conversations where store_id = ${inbox.storeId} order by lead_name`;
  return rows.map(({ lead_name, lead_version }) => [lead_name, lead_version]);
};

describe('the job', () => {
  test('learns the leads of all stores, and has then nothing to do', async () => {
    await inbox.hear(addLead('Maria'));
    const other = await newInbox(messaging);
    await other.hear(messaging.crm.addLead(other.storeId, undefined, 'João'));
    expect(await catchUp()).toBe(2);
    expect(await leads()).toEqual([['Maria', 1]]);
    expect(await other.names()).toEqual(['João']);
    expect(await catchUp()).toBe(0);
  });

  test('counts messages again that were accepted without being counted', async () => {
    const leadId = addLead('Maria');
    await inbox.hear(leadId);
    await catchUp();
    const { adminSql } = messaging;
    await adminSql.begin(async (sql) => {
      await sql`
        update conversations set next_number = next_number + 1
        where store_id = ${inbox.storeId} and lead_id = ${leadId}`;
      await sql`
        insert into messages (store_id, lead_id, session_id, number, direction, source, body, status)
        select store_id, lead_id, session_id, number + 1, direction, source, 'later', status from messages
        where store_id = ${inbox.storeId}`;
    });
    await inbox.hear(leadId);
    expect(await catchUp()).toBe(1);
    expect((await inbox.list()).data).toMatchObject([{ unread_count: 3 }]);
  });

  test('passes over leads that crm does not know and stores for which crm does not answer', async () => {
    await inbox.hear(randomUUID());
    await inbox.hear(addLead('Maria'));
    expect(await catchUp()).toBe(2);
    expect(await inbox.names()).toEqual(['Maria']);
    await messaging.crm.stop();
    try {
      await inbox.hear(addLead('João'));
      expect(await catchUp()).toBe(2);
    } finally {
      await messaging.crm.start();
    }
    expect(await catchUp()).toBe(2);
    expect(await inbox.names()).toEqual(['João', 'Maria']);
    await messaging.adminSql`update conversations set next_number = 1 where lead_version is null`;
  });
});

describe('an event of crm', () => {
  type LeadEvent = (typeof leadEvents)[number];
  const tell = <T extends LeadEvent>(type: T, data: object) => {
    const event = { id: randomUUID(), type, store_id: inbox.storeId, occurred_at: new Date().toISOString(), data };
    return onLeadEvent(messaging.dependencies)(event as DomainEvent<LeadEvent> as never, {
      deadline: Date.now() + 30_000,
    });
  };

  test('of a change makes the list show the lead as it is in crm, whatever the order of the events', async () => {
    const leadId = addLead('Maria');
    await inbox.hear(leadId);
    const seller_id = randomUUID();
    messaging.crm.change(inbox.storeId, leadId, { name: 'Marta', status: 'lost', seller_id });
    const stale = { lead_id: leadId, status: 'pending', seller_id: null };
    await tell('crm.lead.updated', stale);
    await tell('crm.lead.created', stale);
    expect(await leads()).toEqual([['Marta', 2]]);
    expect(await inbox.names({ seller_id, status: 'lost' })).toEqual(['Marta']);
  });

  test('of a lead without a conversation changes nothing', async () => {
    await tell('crm.lead.created', { lead_id: addLead('Maria'), status: 'pending', seller_id: null });
    expect(await leads()).toEqual([]);
  });

  test('of a merge shows the lead that stays', async () => {
    const [gone, kept] = [addLead('Gone'), addLead('Kept')];
    await inbox.hear(kept);
    messaging.crm.merge(inbox.storeId, gone, kept);
    await tell('crm.lead.merged', { lead_id: gone, merged_into: kept });
    expect(await leads()).toEqual([['Kept', 1]]);
  });

  test('of a deleted seller leaves no lead with this seller', async () => {
    const [seller_id, other] = [randomUUID(), randomUUID()];
    const ids = ['A', 'B', 'C'].map(addLead);
    for (const [n, leadId] of ids.entries()) {
      messaging.crm.change(inbox.storeId, leadId, { seller_id: n < 2 ? seller_id : other });
      await inbox.hear(leadId);
    }
    expect(await inbox.names({ seller_id })).toEqual(['B', 'A']);
    for (const leadId of ids.slice(0, 2)) messaging.crm.change(inbox.storeId, leadId, { seller_id: null });
    await tell('crm.seller.deleted', { seller_id, leads_unassigned: 2 });
    expect(await inbox.names({ seller_id })).toEqual([]);
    expect(await inbox.names({ seller_id: 'none' })).toEqual(['B', 'A']);
  });

  test('an earlier version of a lead never replaces a later one', async () => {
    const leadId = addLead('Maria');
    await inbox.hear(leadId);
    const save = (version: number, name: string) => {
      const unchanged = {
        customer_phone: '5511900000001',
        status: 'pending',
        seller_id: null,
        ai_paused_until: null,
        ai_pause_version: 0,
      };
      return messaging.dependencies.database.write(testContext({ storeId: inbox.storeId }), (sql) =>
        saveLeads(sql, inbox.storeId, [{ lead_id: leadId, version, name, ...unchanged }]),
      );
    };
    await save(3, 'third');
    await save(2, 'second');
    await save(3, 'third again');
    expect(await leads()).toEqual([['third', 3]]);
  });
});
