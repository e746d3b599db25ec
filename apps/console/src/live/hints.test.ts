import { expect, test } from 'vitest';
import { type Hint, keysOfHint, laterHintOf } from './hints.ts';

const hint = (type: string, entity: Hint['entity'], lead_id?: string): Hint => ({
  sequence: 1,
  type,
  entity,
  ...(lead_id && { lead_id }),
});

test('a message concerns the thread of its lead, and the list of conversations', () => {
  const keys = keysOfHint(hint('message.received', { type: 'message', id: 'm' }, 'l'));
  expect(keys).toEqual([['messages', 'l'], ['conversations'], ['conversation', 'l'], ['explanation', 'l'], ['events']]);
});

test('a failed message also concerns what waits for an operator', () => {
  expect(keysOfHint(hint('message.failed', { type: 'message', id: 'm' }, 'l'))).toContainEqual(['waiting']);
});

test('a conversation and a lead have the id of the lead', () => {
  expect(keysOfHint(hint('lead.opted_out', { type: 'conversation', id: 'l' }, 'l'))).toContainEqual([
    'conversation',
    'l',
  ]);
  expect(keysOfHint(hint('lead.updated', { type: 'lead', id: 'l' }))).toContainEqual(['lead', 'l']);
});

test('the end of a session concerns the list of conversations: its lead may wait no longer', () => {
  expect(keysOfHint(hint('session.ended', { type: 'session', id: 's' }, 'l'))).toContainEqual(['conversations']);
});

test('a budget that is reached concerns the store', () => {
  expect(keysOfHint(hint('budget.reached', { type: 'store', id: 's' }))).toContainEqual(['store']);
});

test('another state of the number concerns the channel', () => {
  expect(keysOfHint(hint('channel.number_changed', { type: 'store', id: 's' }))).toEqual([['channel'], ['events']]);
});

test('other booking rules, and another week of a seller, concern the free times', () => {
  const rules = keysOfHint(hint('booking.changed', { type: 'store', id: 's' }));
  expect(rules).toEqual([['booking'], ['appointments', 'free'], ['events']]);
  expect(keysOfHint(hint('seller.updated', { type: 'seller', id: 's' }))).toContainEqual(['appointments', 'free']);
});

test('an entity of a later version concerns the event log only', () => {
  expect(keysOfHint(hint('invoice.paid', { type: 'invoice', id: 'i' }))).toEqual([['events']]);
});

test('the inbox is read again after a change of a lead, which messaging follows a moment later', () => {
  const later = laterHintOf(hint('lead.updated', { type: 'lead', id: 'l' }));
  expect(later && keysOfHint(later)).toContainEqual(['conversations']);
  expect(laterHintOf(hint('seller.deleted', { type: 'seller', id: 's' }))).toBeDefined();
  expect(laterHintOf(hint('message.received', { type: 'message', id: 'm' }, 'l'))).toBeUndefined();
});
