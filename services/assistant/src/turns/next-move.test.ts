import { expect, test } from 'vitest';
import type { CallRow } from '../tools/step.ts';
import { leftOver } from './end-turn.ts';
import { nextMove } from './next-move.ts';
import { replyAt } from './quiet.ts';
import type { TurnRow } from './turn.ts';

const now = new Date('2026-01-01T12:00:00.000Z');
const at = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const open = {
  ...{ id: 't', lead_id: 'l', state: 'open', first_received_at: at(-9), last_received_at: at(-7), action: null },
  ...{ next_attempt_at: at(-1), lease_until: null, error_code: null, attempts: 0, answered_to: null },
} as TurnRow;

test.each([
  ['no turn', undefined, { kind: 'answer', next: { done: true } }],
  ['a due turn', {}, { kind: 'claim', task: 'decide' }],
  ['a decided turn', { action: 'reply', answered_to: at(-7) }, { kind: 'claim', task: 'tell' }],
  [
    'a turn in its quiet window',
    { next_attempt_at: at(1) },
    { kind: 'answer', next: { wake_at: at(1).toISOString() } },
  ],
  ['a turn with a lease', { lease_until: at(3) }, { kind: 'answer', next: { wake_at: at(3).toISOString() } }],
  ['a turn whose lease ran out', { lease_until: at(-1) }, { kind: 'claim', task: 'decide' }],
  ['an old turn', { last_received_at: at(-901) }, { kind: 'drop' }],
  ['an old turn that was decided', { last_received_at: at(-901), action: 'reply' }, { kind: 'claim', task: 'tell' }],
])('%s', (_what, change, move) => {
  const turn = change && ({ ...open, ...change } as TurnRow);
  expect(nextMove({ turn, now })).toMatchObject(move);
});

const call = { n: 1, call: 1, begun_at: null } as CallRow;

test.each([
  ['a call', {}, {}, { kind: 'claim', task: 'use_tool', call }],
  ['a call of a lead who wrote more', { last_received_at: at(-1) }, {}, { kind: 'skip', error: 'customer_wrote_more' }],
  ['a call of an old turn', { last_received_at: at(-901), answered_to: at(-901) }, {}, { kind: 'drop' }],
  ['a call that has begun', {}, { begun_at: at(-6) }, { kind: 'claim', task: 'use_tool', settles: undefined }],
  // Its effect may exist.
  [
    'a call that began before the lead wrote more',
    { last_received_at: at(-1) },
    { begun_at: at(-40) },
    { kind: 'claim', task: 'use_tool', settles: 'customer_wrote_more' },
  ],
  [
    'a call that began in an old turn',
    { last_received_at: at(-2000) },
    { begun_at: at(-1990) },
    { kind: 'claim', task: 'use_tool', settles: 'too_late' },
  ],
  [
    'a call whose key may be forgotten',
    { last_received_at: at(-50_000) },
    { begun_at: at(-50_000) },
    { kind: 'skip', error: 'outcome_unknown' },
  ],
])('%s', (_what, change, ofCall, move) => {
  const turn = { ...open, answered_to: at(-7), ...change } as TurnRow;
  expect(nextMove({ turn, call: { ...call, ...ofCall }, now })).toMatchObject(move);
});

const window = { ai_quiet_seconds: 6, ai_max_wait_seconds: 30 };

test.each([
  ['one message', 0, 0, 6],
  ['a burst', -10, 0, 6],
  ['messages without a pause', -28, 0, 2],
  ['what is overdue', -60, -40, -34],
])('the answer to %s is due', (_what, first, last, due) => {
  expect(replyAt({ first_received_at: at(first), last_received_at: at(last) }, window)).toEqual(at(due));
});

const ended = { ...open, state: 'sent', answered_to: at(-7) } as TurnRow;

test.each([
  ['nothing, when nothing came meanwhile', {}, undefined],
  ['what came meanwhile', { last_received_at: at(0), next_received_at: at(-2) }, [-2, 0]],
  ['what came after what was read', { last_received_at: at(0), next_received_at: at(-8) }, [-6.999, 0]],
  ['everything, when it was superseded', { state: 'superseded' }, [-9, -7]],
])('an ended turn leaves %s', (_what, change, left) => {
  const expected = left && { first_received_at: at(left[0] as number), last_received_at: at(left[1] as number) };
  expect(leftOver({ ...ended, ...change } as TurnRow)).toEqual(expected);
});
