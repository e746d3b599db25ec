import { messageStatuses } from '@mostrador/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StatusUpdate } from '../channels/channel-provider.ts';
import {
  isForward,
  type MessageRow,
  type MessageState,
  mergeStatusUpdate,
  toMessage,
  toSendResult,
} from './message.ts';

const createdAt = new Date('2026-11-21T12:00:00.250Z');
const sent: MessageState = {
  status: 'sent',
  error_code: null,
  error_detail: null,
  sent_at: new Date('2026-11-21T12:00:00.900Z'),
  delivered_at: null,
  read_at: null,
};
const states = fc.constantFrom<MessageState[]>(
  sent,
  { ...sent, status: 'queued', sent_at: null },
  { ...sent, status: 'sending', sent_at: null },
  { ...sent, status: 'unknown', sent_at: null },
  { ...sent, status: 'cancelled', sent_at: null },
);
const reports: fc.Arbitrary<StatusUpdate> = fc.record({
  status: fc.constantFrom('sent', 'delivered', 'read', 'failed'),
  // Whole seconds, as providers send them, some before the message itself.
  at: fc.integer({ min: -5, max: 60 }).map((second) => new Date(Date.parse('2026-11-21T12:00:00Z') + second * 1000)),
});
const after = (state: MessageState, list: readonly StatusUpdate[]): MessageState => {
  let now = state;
  for (const report of list) now = mergeStatusUpdate({ ...now, created_at: createdAt }, report) ?? now;
  return now;
};

test('a status only moves forward, after any status updates', () => {
  fc.assert(
    fc.property(states, fc.array(reports), (state, list) => {
      let before = state;
      for (const report of list) {
        const next = after(before, [report]);
        expect(next.status === before.status || isForward(before.status, next.status)).toBe(true);
        before = next;
      }
    }),
  );
});

test('the final status does not depend on the order or the repetition of status updates', () => {
  const shuffled = fc
    .array(reports, { maxLength: 8 })
    .chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray([...list, ...list], { minLength: list.length * 2 })),
    );
  fc.assert(
    fc.property(states, shuffled, (state, [list, other]) => {
      const [one, two] = [after(state, list), after(state, other)];
      expect(two.status).toBe(one.status);
      expect(two.read_at).toEqual(one.read_at && two.read_at);
      expect(Boolean(two.delivered_at)).toBe(Boolean(one.delivered_at));
    }),
  );
});

test('a repeated status update changes nothing', () => {
  fc.assert(
    fc.property(states, fc.array(reports), reports, (state, list, report) => {
      const once = after(state, [...list, report]);
      expect(mergeStatusUpdate({ ...once, created_at: createdAt }, report)).toBeNull();
    }),
  );
});

test('the times of a message are in the order of its statuses, and a later status implies the earlier ones', () => {
  fc.assert(
    fc.property(states, fc.array(reports), (state, list) => {
      const { status, sent_at, delivered_at, read_at } = after(state, list);
      if (status === 'read') expect(read_at).not.toBeNull();
      if (read_at) expect(delivered_at && delivered_at <= read_at).toBe(true);
      if (delivered_at) expect(sent_at && sent_at <= delivered_at).toBe(true);
      if (sent_at) expect(sent_at >= createdAt).toBe(true);
    }),
  );
});

test('`delivered` after `read` fills in its time, and the message stays read', () => {
  const read = after(sent, [{ status: 'read', at: new Date('2026-11-21T12:00:09Z') }]);
  const late = after(read, [{ status: 'delivered', at: new Date('2026-11-21T12:00:04Z') }]);
  expect(late).toEqual({ ...read, delivered_at: new Date('2026-11-21T12:00:04Z') });
  expect(late.status).toBe('read');
});

test('`failed` after acceptance fails the message with the reason, unless it was delivered', () => {
  const failed: StatusUpdate = { status: 'failed', at: createdAt, error: { code: '131026', detail: 'Undeliverable' } };
  expect(after(sent, [failed])).toMatchObject({
    status: 'failed',
    error_code: '131026',
    error_detail: 'Undeliverable',
  });
  const delivered: StatusUpdate = { status: 'delivered', at: createdAt };
  expect(after(sent, [delivered, failed])).toMatchObject({ status: 'delivered', error_code: null });
  expect(after(sent, [failed, delivered])).toMatchObject({ status: 'delivered', error_code: null, error_detail: null });
});

test('a cancelled message stays cancelled, unless a status update proves that it was sent', () => {
  const cancelled: MessageState = { ...sent, status: 'cancelled', sent_at: null };
  for (const status of ['queued', 'sending', 'unknown', 'cancelled'] as const) {
    expect(isForward('cancelled', status), status).toBe(false);
  }
  for (const status of ['sent', 'delivered', 'read'] as const) {
    const proven = after(cancelled, [{ status, at: createdAt }]);
    expect(proven, status).toMatchObject({ status, sent_at: createdAt });
  }
});

test('an inbound message has no outcome', () => {
  const received = { ...sent, status: 'received', sent_at: null, created_at: createdAt } as const;
  expect(mergeStatusUpdate(received, { status: 'read', at: createdAt })).toBeNull();
  for (const status of messageStatuses) expect(isForward('received', status)).toBe(false);
});

const row: MessageRow = {
  id: 'm',
  lead_id: 'l',
  session_id: 's',
  number: 4,
  channel_id: 'c',
  direction: 'outbound',
  source: 'api',
  author: { kind: 'api_key', id: 'k', name: 'Caixa' },
  kind: 'text',
  body: 'Olá',
  body_truncated: false,
  template: null,
  content: null,
  media: null,
  reply_to_id: null,
  from_history: false,
  provider_message_id: 'wamid.1',
  metadata: { order: '1042' },
  pricing: { category: 'service', billable: true, type: 'regular', model: 'PMP', amount: 0.1, currency: 'XTS' },
  budget_micros: null,
  reactions: [{ emoji: '👍', from: 'lead', at: '2026-11-21T12:00:00.000Z' }],
  edited_at: null,
  revoked_at: null,
  created_at: createdAt,
  updated_at: new Date('2026-11-21T12:00:00.901Z'),
  ...sent,
};

test('the API shows exactly the public members of a message', () => {
  expect(toMessage(row)).toEqual({
    id: 'm',
    lead_id: 'l',
    session_id: 's',
    direction: 'outbound',
    source: 'api',
    author: { kind: 'api_key', id: 'k', name: 'Caixa' },
    body: 'Olá',
    body_truncated: false,
    type: 'text',
    media: null,
    content: null,
    template: null,
    from_history: false,
    reply_to_id: null,
    status: 'sent',
    error: null,
    reason: null,
    next_attempt_at: null,
    provider_message_id: 'wamid.1',
    metadata: { order: '1042' },
    created_at: '2026-11-21T12:00:00.250Z',
    updated_at: '2026-11-21T12:00:00.901Z',
    sent_at: '2026-11-21T12:00:00.900Z',
    delivered_at: null,
    read_at: null,
    pricing: { category: 'service', billable: true, type: 'regular', model: 'PMP', amount: 0.1, currency: 'XTS' },
    reactions: [{ emoji: '👍', from: 'lead', at: '2026-11-21T12:00:00.000Z' }],
    edited_at: null,
    revoked_at: null,
  });
});

test.each([
  ['queued', false],
  ['sending', false],
  ['unknown', false],
  ['failed', false],
  ['cancelled', false],
  ['sent', true],
  ['delivered', true],
  ['read', true],
] as const)('a message with the status %s has `sent: %s`', (status, isSent) => {
  const error = { error_code: '131047', error_detail: 'Closed' };
  expect(toSendResult({ ...row, status, ...error })).toEqual({
    id: 'm',
    sent: isSent,
    status,
    // A message is cancelled with an error only when it has expired.
    error: status === 'failed' || status === 'cancelled' ? { code: '131047', detail: 'Closed' } : null,
  });
});
