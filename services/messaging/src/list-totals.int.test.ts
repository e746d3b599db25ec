import { randomUUID } from 'node:crypto';
import {
  cancelMessage,
  leadStatuses,
  listConversations,
  listMessages,
  listStoreMessages,
  mergeConversations,
  messageStatuses,
} from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';
import { AppError } from '@mostrador/kit/rpc/errors';
import { testContext } from '@mostrador/testing/context';
import { type CountedRows, holdTotals } from '@mostrador/testing/servers/list-totals';
import { openSnapshots, type Snapshots } from '@mostrador/testing/servers/snapshots';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newInbox } from '../test/inbox.ts';
import { startMessaging, type TestMessaging } from '../test/messaging.ts';
import { applyStatusUpdates } from './delivery/apply-status-updates.ts';
import { lockMessage } from './delivery/lock-message.ts';
import type { messagingLists } from './dependencies.ts';
import { countConversations } from './inbox/inbox.repository.ts';
import { type InboxFilters, rowsOf as rowsOfInbox } from './inbox/inbox.ts';
import { onLeadEvent } from './inbox/on-lead-event.ts';
import { countMessages } from './messages/message.repository.ts';
import { countStoreMessages, countUnsettled } from './messages/message-list.repository.ts';
import { rowsOf as rowsOfMessages } from './messages/message-list.ts';

let messaging: TestMessaging;
let snapshots: Snapshots;
beforeAll(async () => {
  messaging = await startMessaging();
  snapshots = openSnapshots(messaging);
});
afterAll(async () => {
  await snapshots?.close();
  await messaging?.stop();
});

type Case = CountedRows<(typeof messagingLists)[number]>;

const casesOf =
  (storeId: string, sellers: readonly string[], moment: Date) =>
  (sql: Sql): Case[] => {
    const [first = '', second = ''] = sellers;
    const inbox: InboxFilters[] = [undefined, [first], [null], [first, null], [second, null]].flatMap((some) =>
      [undefined, ['pending'] as const, ['lost', 'converted'] as const].map((statuses) => ({
        ...(some ? { sellers: some } : {}),
        ...(statuses ? { statuses } : {}),
      })),
    );
    const messages = [messageStatuses, ...messageStatuses.map((one) => [one])].flatMap((statuses) =>
      [moment, new Date('2100-01-01')].map((updated_before) => ({ statuses, updated_before })),
    );
    return [
      ...inbox.map((filters) => ({
        rows: rowsOfInbox(filters) ?? { list: 'conversations' as const, statuses: [] },
        recount: countConversations(sql, storeId, filters),
      })),
      ...messages.map((filters) => ({
        rows: { list: 'messages' as const, ...rowsOfMessages(filters), except: countUnsettled(sql, storeId, filters) },
        recount: countStoreMessages(sql, storeId, filters),
      })),
    ];
  };

const kinds = ['hear', 'say', 'cancel', 'status', 'lead', 'merge', 'undone', 'list', 'run', 'rebuild'] as const;
type Action = { readonly kind: (typeof kinds)[number]; readonly lead: number; readonly n: number };
const action: fc.Arbitrary<Action> = fc.record({
  kind: fc.constantFrom(...kinds, ...(['hear', 'say', 'say', 'status', 'status', 'lead', 'lead', 'run'] as const)),
  lead: fc.nat({ max: 3 }),
  n: fc.nat({ max: 7 }),
});

test('at every moment of any concurrent changes, folds, first reads and rebuilds, each total is a recount', async () => {
  const { dependencies, rpc, crm, adminSql } = messaging;
  const { listTotals, database } = dependencies;
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 10, maxLength: 40 }), async (actions) => {
      const inbox = await newInbox(messaging);
      const { storeId } = inbox;
      const context = () => testContext({ storeId });
      const sellers = [randomUUID(), randomUUID()];
      const leads = [1, 2, 3, 4].map(() => crm.addLead(storeId));
      for (const lead of leads) await inbox.hear(lead);
      const quiet = [1, 2].map(() => crm.addLead(storeId));
      const leadOf = (n: number) => leads[n % leads.length] as string;
      const outbound = async ({ lead, n }: Action) => {
        const rows = await adminSql`
          select id, lead_id, status from messages
          where store_id = ${storeId} and lead_id = ${leadOf(lead)} and direction = 'outbound' order by number`;
        return rows[n % Math.max(rows.length, 1)] as { id: string; lead_id: string; status: string } | undefined;
      };
      const run = async (one: Action): Promise<unknown> => {
        const { kind, n } = one;
        switch (kind) {
          case 'hear':
            // A message of a lead that is just being merged comes again later.
            return await inbox.hear(leadOf(one.lead)).catch((error) => {
              if (!(error instanceof AppError && error.retryable)) throw error;
            });
          case 'say':
            return await inbox.say(quiet[n] ?? leadOf(one.lead), n % 2 === 0 ? 'api' : 'seller');
          case 'cancel': {
            const message = await outbound(one);
            if (!message) return;
            const params = { leadId: message.lead_id, messageId: message.id };
            return await rpc.call(cancelMessage, { params }, context());
          }
          case 'status': {
            const message = await outbound(one);
            if (!message) return;
            const status = (['sent', 'delivered', 'read', 'failed'] as const)[n % 4] ?? 'sent';
            return await database.write(context(), async (sql) => {
              const { message: row } = await lockMessage(sql, storeId, message);
              await applyStatusUpdates(sql, storeId, row, [{ status, at: new Date() }]);
            });
          }
          case 'lead': {
            const lead_id = leadOf(one.lead);
            crm.change(storeId, lead_id, { status: leadStatuses[n % 4], seller_id: sellers[n % 3] ?? null });
            const event = { type: 'crm.lead.updated', data: { lead_id }, store_id: storeId } as never;
            return await onLeadEvent(dependencies)(event, context());
          }
          case 'merge': {
            const [gone, kept] = leads;
            if (leads.length < 3 || !gone || !kept) return;
            leads.shift();
            return await rpc.call(mergeConversations, { body: { lead_id: gone, merged_into: kept } }, context());
          }
          case 'undone': {
            const undone = new Error('undone');
            return await database
              .write(context(), async (sql) => {
                await sql`update conversations set lead_status = 'lost', seller_id = null where store_id = ${storeId}`;
                throw undone;
              })
              .catch((error) => {
                if (error !== undone) throw error;
              });
          }
          case 'list':
            await rpc.call(listStoreMessages, { query: {} }, context());
            return await rpc.call(listConversations, { query: {} }, context());
          case 'run':
            return await listTotals.run(new AbortController().signal);
          case 'rebuild':
            return await listTotals.rebuild(context());
        }
      };
      const moment = new Date(Date.now() + 100);
      await holdTotals(
        { snapshots, listTotals, scope: context, cases: casesOf(storeId, sellers, moment) },
        actions.map((one) => () => run(one)),
      );
      for (const lead_id of [...leads, ...quiet]) {
        const [counted] = await adminSql`
          select count(*)::int as total from messages where store_id = ${storeId} and lead_id = ${lead_id}`;
        expect(await database.read(context(), (sql) => countMessages(sql, storeId, lead_id))).toBe(counted?.total);
      }
    }),
    { numRuns: 8 },
  );
});

test('a conversation counts from the moment at which the inbox shows it, whichever it lacks last', async () => {
  const { dependencies, crm, adminSql } = messaging;
  const inbox = await newInbox(messaging);
  const { storeId } = inbox;
  const context = () => testContext({ storeId });
  await dependencies.listTotals.rebuild(context());
  const total = () =>
    dependencies.database.read(context(), (sql) =>
      dependencies.listTotals.count(
        sql,
        storeId,
        { list: 'conversations', statuses: ['pending'], owners: [null] },
        () => Promise.reject(new Error('the rows were counted')),
      ),
    );
  const know = (lead_id: string) =>
    onLeadEvent(dependencies)({ type: 'crm.lead.updated', data: { lead_id }, store_id: storeId } as never, context());
  const [known, heard] = [crm.addLead(storeId), crm.addLead(storeId)];
  await adminSql`insert into conversations (store_id, lead_id) values (${storeId}, ${known})`;
  await know(known);
  await inbox.say(heard);
  expect(await total()).toBe(0);
  await inbox.say(known);
  expect(await total()).toBe(1);
  await know(heard);
  expect(await total()).toBe(2);
});

test('the inbox and the messages of a store read totals, and other filters count rows', async () => {
  const inbox = await newInbox(messaging);
  const { storeId } = inbox;
  const context = () => testContext({ storeId });
  const leadId = messaging.crm.addLead(storeId);
  await inbox.hear(leadId);
  await inbox.say(leadId);
  await inbox.list();
  await messaging.dependencies.listTotals.rebuild(context());
  await messaging.adminSql`update list_totals set rows = rows + 10 where store_id = ${storeId}`;
  expect([(await inbox.list()).total, (await inbox.list({ status: 'pending', seller_id: 'none' })).total]).toEqual([
    11, 11,
  ]);
  expect([(await inbox.list({ unanswered: true })).total, (await inbox.list({ q: 'Maria' })).total]).toEqual([0, 1]);
  const total = async (query: object) => (await messaging.rpc.call(listStoreMessages, { query }, context())).total;
  expect([await total({}), await total({ status: 'received' }), await total({ direction: 'outbound' })]).toEqual([
    22, 11, 11,
  ]);
  expect([await total({ lead_id: leadId }), await total({ since: '2020-01-01T00:00:00Z' })]).toEqual([2, 2]);
  const ofLead = await messaging.rpc.call(listMessages, { params: { leadId }, query: {} }, context());
  expect(ofLead.total).toBe(2);
});
