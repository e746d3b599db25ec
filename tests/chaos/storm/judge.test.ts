import { deliveryShardId, deliveryShardOf, deliveryShardWorkflow } from '@mostrador/contracts/workflows';
import { describe, expect, test } from 'vitest';
import { markOf } from '../exact/answers.ts';
import { damages, type Recorded } from './damages.ts';
import { invariants } from './invariants.ts';
import { type Entry, newEntry } from './journal.ts';
import { judge } from './judge.ts';
import { requestTimeoutMs } from './platform.ts';
import type { MessageRow, Row } from './seen.ts';

// The judge of a run must find every kind of damage.

const storeId = '7f0c1d52-3c1e-4f6a-9d0b-5a2e8c4b9a11';
const sentAt = Date.parse('2026-11-21T12:00:00Z');
const dueLater = new Date(Date.now() + 30 * 86_400_000);

/** A run without any violation. */
function healthy(): Recorded {
  const entries: Entry[] = [];
  const recorded: Recorded = {
    journal: { entries, written: [], followed: [], changing: [] },
    seen: {
      rows: [],
      messages: [],
      followups: [],
      syncs: [{ appointment_id: 'a1', state: 'synced', attempts: 1, last_error_code: null }],
      interactions: [{ lead_id: 'l0', counted: 5, told: 5 }],
      people: [],
      merges: [],
      waiting: [{ where: 'the outbox of crm', count: 0 }],
      workflows: [],
      taken: [],
      calendars: [{ storeId, kind: 'feed', events: [{ id: 'a1', title: 'Corte 1' }] }],
      booked: [],
      conversations: [],
      published: [],
      feed: [],
      webhooks: [],
      forged: [],
      endpoints: [{ id: 'w1', storeId }],
      strays: [],
      endings: [],
      corruption: [],
    },
  };
  const { seen } = recorded;
  let number = 0;
  const make = (
    kind: Entry['kind'],
    id: string,
    options: { body?: object; may?: Record<string, string>; status?: string; at?: number; leadId?: string } = {},
  ) => {
    const { body = {}, may = {}, status = 'scheduled', at = sentAt } = options;
    const [mark, leadId] = [
      `mark ${id}`,
      kind === 'lead' || kind === 'appointment' || kind === 'booking' ? null : (options.leadId ?? 'l0'),
    ];
    const entry = newEntry({ kind, storeId, key: `k${id}`, path: '/', body: { ...body }, mark, leadId, may: [may] });
    entry.attempts.push({ sentAt: at, status: 201, afterMs: 5, wasGood: true });
    entry.ids.add(id);
    Object.assign(entry, { acknowledged: '{}', acknowledgedAt: at + 5, busy: false });
    entries.push(entry);
    const content = { ...body, ...may };
    seen.rows.push({
      kind,
      id,
      store_id: storeId,
      lead_id: leadId,
      mark,
      status,
      created_at: new Date(at + 3),
      content,
    });
    return mark;
  };
  const message = (id: string, body: string, more: Partial<MessageRow> = {}) => {
    number += 1;
    const out = { direction: 'outbound', status: 'delivered', provider_message_id: `wamid.${id}` } as const;
    const created_at = new Date(sentAt + number);
    seen.messages.push({ id, store_id: storeId, lead_id: 'l0', number, body, created_at, ...out, ...more });
    if (!more.direction) seen.taken.push({ storeId, to: '55', text: body, atMs: sentAt + 100_000 + number });
  };
  const followup = (id: string, status: string, due_at: Date) => {
    const mark = make('followup', id, { status });
    seen.followups.push({ id, store_id: storeId, mark, status, due_at, message_id: null });
    seen.workflows.push({ id: `followup:${id}`, status: status === 'pending' ? 'RUNNING' : 'COMPLETED', storeId });
    seen.published.push({ type: 'scheduling.followup.scheduled', entityId: id, storeId });
    return mark;
  };

  make('appointment', 'a1', { body: { duration_minutes: 30 }, may: { title: 'Corte 1', status: 'scheduled' } });
  make('lead', 'l1', { may: { name: 'Ana', status: 'pending' }, status: 'pending' });
  const start = sentAt + 86_400_000;
  const booked = { id: 'b1', mark: make('booking', 'b1'), status: 'scheduled', sellerId: null, start, minutes: 60 };
  const appointments = [{ ...booked, placeFrom: start }];
  seen.booked.push({ storeId, capacity: 1, appointments, events: [{ id: 'b1', start, minutes: 60 }] });
  const said = (number: number, source: 'lead' | 'ai', place: number) => ({
    ...{ number, source, body: `chaos ${markOf(0, place)}`, status: source === 'ai' ? 'sent' : 'received' },
  });
  seen.conversations.push({
    leadId: 'l0',
    said: [said(1, 'lead', 1), said(2, 'ai', 1), said(3, 'lead', 2), said(4, 'lead', 3), said(5, 'ai', 3)],
    turns: [{ state: 'sent', reason: null }],
  });
  message('m1', make('message', 'm1', { status: 'delivered' }));
  message('m2', make('message', 'm2', { status: 'delivered', at: sentAt + 1_000 }));
  message('f1', followup('f1', 'sent', new Date(sentAt + 60_000)));
  followup('f2', 'cancelled', new Date(sentAt + 60_000));
  followup('f3', 'pending', dueLater);
  for (const id of ['i1', 'i2']) {
    message(id, `hello ${id}`, { direction: 'inbound', status: 'received' });
    const at = sentAt + number * 1_000;
    const written = { storeId, leadId: 'l0', id: `wamid.${id}`, text: `hello ${id}`, firstAt: at, posts: 2 };
    recorded.journal.written.push({ ...written, acknowledgedAt: at + 5 });
  }
  const [now, before] = [{ phone: '5511900000002', userId: 'BR.2' }, 'BR.1'];
  const customer = { storeId, ids: [before, '5511900000002', 'BR.2'], left: [{ id: before, since: sentAt }], now };
  const by = { ...customer, leadId: 'l2' };
  recorded.journal.changing.push(by);
  seen.people.push({ id: 'l2', storeId, ...now, previousId: null });
  const [lost, next] = [
    { phone: '5511900000003', userId: 'BR.3' },
    { phone: '5511900000003', userId: 'BR.4' },
  ];
  const loser = {
    ...{ storeId, ids: [lost.phone, lost.userId], left: [{ id: lost.phone, since: sentAt }], lost: lost.phone },
    ...{ now: { ...lost, phone: null }, leadId: 'l4' },
  };
  const heir = { storeId, ids: [next.phone, next.userId], left: [], now: next, leadId: 'l5', before: loser };
  recorded.journal.changing.push(loser, heir);
  seen.people.push({ id: 'l4', storeId, phone: null, userId: lost.userId, previousId: null });
  seen.people.push({ id: 'l5', storeId, phone: next.phone, userId: null, previousId: 'l4' });
  seen.merges.push({ id: 'l3', storeId, keptId: 'l2', phone: now.phone, userId: null });
  message('i3', 'hello i3', { direction: 'inbound', status: 'received', lead_id: 'l2' });
  const byChanged = { storeId, leadId: null, by, id: 'wamid.i3', text: 'hello i3', firstAt: sentAt, posts: 1 };
  recorded.journal.written.push({ ...byChanged, acknowledgedAt: sentAt + 5 });
  message('m3', make('message', 'm3', { status: 'delivered', leadId: 'l3' }), { lead_id: 'l2' });
  for (const row of seen.rows) if (row.id === 'm3') row.lead_id = 'l2';
  seen.workflows.push({ id: 'appointment:b1', status: 'COMPLETED', storeId });
  seen.published.push({ type: 'scheduling.appointment.created', entityId: 'b1', storeId });
  seen.workflows.push({ id: 'appointment:a1', status: 'COMPLETED', storeId });
  seen.workflows.push({
    id: deliveryShardWorkflow.workflowId(deliveryShardId(deliveryShardOf(storeId))),
    status: 'COMPLETED',
    storeId,
  });
  seen.published.push({ type: 'scheduling.appointment.created', entityId: 'a1', storeId });
  seen.published.push({ type: 'crm.lead.created', entityId: 'l1', storeId });
  const inFeed = (type: string, entityId: string) => {
    const sequence = seen.feed.length + 1;
    const entityType = type.split('.')[0] as string;
    seen.feed.push({ id: `e${sequence}`, storeId, sequence, type, entityType, entityId, version: sequence });
  };
  inFeed('appointment.created', 'a1');
  inFeed('appointment.updated', 'a1');
  inFeed('appointment.created', 'b1');
  inFeed('lead.created', 'l1');
  for (const id of ['m1', 'm2', 'm3']) inFeed('message.queued', id);
  for (const id of ['f1', 'f2', 'f3']) inFeed('followup.scheduled', id);
  for (const { id, sequence, entityType, entityId } of seen.feed) {
    seen.webhooks.push({ storeId, id, sequence, entity: `${entityType} ${entityId}`, status: 200 });
  }
  for (const by of ['long polls', 'the stream'] as const) {
    recorded.journal.followed.push({
      storeId,
      by,
      lives: 2,
      after: 0,
      events: seen.feed.map(({ id, sequence }) => ({ id, sequence })),
    });
  }
  return recorded;
}

const faultsOf = (recorded: Recorded) =>
  Object.fromEntries(
    judge(recorded).flatMap(({ invariant, faults }) => (faults.length > 0 ? [[invariant, faults]] : [])),
  );

test('a run without violations has no faults', () => {
  expect(faultsOf(healthy())).toEqual({});
});

describe('the judge finds that', () => {
  test.each(damages.map((damage) => [damage.name, damage] as const))('%s', (_, damage) => {
    const recorded = healthy();
    damage.do(recorded);
    expect(Object.keys(faultsOf(recorded))).toContain(damage.breaks);
  });
});

test('every invariant has at least one damage that it must find', () => {
  const broken = new Set(damages.map(({ breaks }) => breaks));
  expect(invariants.map(({ name }) => name).filter((name) => !broken.has(name))).toEqual([]);
});

test('after an unknown outcome, a row or none is right, and so is the change or none', () => {
  const recorded = healthy();
  const [entry] = recorded.journal.entries as [Entry];
  delete entry.acknowledged;
  entry.attempts.splice(0, 1, { sentAt, status: 504, afterMs: requestTimeoutMs, wasGood: true });
  expect(faultsOf(recorded)).toEqual({});
  entry.may = [{ title: 'Corte 1', status: 'cancelled' }, ...entry.may];
  expect(faultsOf(recorded)).toEqual({});
  const { seen } = recorded;
  seen.rows = seen.rows.filter(({ id }) => id !== 'a1');
  [seen.syncs, seen.calendars] = [[], []];
  seen.workflows = seen.workflows.filter(({ id }) => id !== 'appointment:a1');
  entry.ids.clear();
  expect(faultsOf(recorded)).toEqual({});
});

test('the deadline counts from when the gateway read the request, which is later when it was stalled', () => {
  const late = (wasGood: boolean, limitMs = requestTimeoutMs) => {
    const recorded = healthy();
    const [entry] = recorded.journal.entries as [Entry];
    const { created_at } = recorded.seen.rows.find(({ mark }) => mark === entry.mark) as Row;
    const waitedMs = requestTimeoutMs + 2_000;
    entry.attempts.splice(0, 1, {
      sentAt: created_at.getTime() - waitedMs,
      status: 201,
      afterMs: waitedMs,
      wasGood,
      limitMs,
    });
    return faultsOf(recorded);
  };
  expect(late(true, requestTimeoutMs + 3_000)).toEqual({});
  expect(late(true)).toEqual({
    'no row comes from an unknown, expired or rejected request': [expect.any(String)],
  });
  expect(late(false)).toEqual({});
});
