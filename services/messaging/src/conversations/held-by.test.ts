import { expect, test } from 'vitest';
import { type Holding, heldBy } from './held-by.ts';

const at = (second: number) => new Date(second * 1000);
const nothing: Holding = { handover_at: null, handover_owner: null, standby_at: null, standby_ended_at: null };

test.each<[string, Partial<Holding>, 'store' | 'other']>([
  ['no sign', {}, 'store'],
  ['a message on standby', { standby_at: at(1) }, 'other'],
  ['a message to the store since', { standby_at: at(1), standby_ended_at: at(2) }, 'store'],
  ['a message to the store before', { standby_at: at(2), standby_ended_at: at(1) }, 'other'],
  ['a handover to the store since', { standby_at: at(1), handover_at: at(2), handover_owner: 'store' }, 'store'],
  [
    'a handover to the store in that second',
    { standby_at: at(2), handover_at: at(2), handover_owner: 'store' },
    'store',
  ],
  [
    'a message on standby after a handover',
    { standby_at: at(3), handover_at: at(2), handover_owner: 'store' },
    'other',
  ],
  ['a handover to the other agent', { handover_at: at(2), handover_owner: 'other' }, 'other'],
  [
    'a message to the store after it',
    { handover_at: at(2), handover_owner: 'other', standby_ended_at: at(3) },
    'store',
  ],
])('with %s the conversation is held by the right one', (_, signs, holder) => {
  expect(heldBy({ ...nothing, ...signs })).toBe(holder);
});
