import { expect, test } from 'vitest';
import type { GiveUpWaiting, WaitingChange } from '../api/platform.ts';
import { changeWaiting, choicesOf } from './change-waiting.ts';

test('what was chosen is asked for kind by kind', () => {
  expect(
    choicesOf([
      { kind: 'message', id: 'a' },
      { kind: 'followup', id: 'b' },
      { kind: 'message', id: 'c' },
    ]),
  ).toEqual([
    { kind: 'message', ids: ['a', 'c'] },
    { kind: 'followup', ids: ['b'] },
  ]);
});

test('all of a kind is asked for part by part, and the parts are added up', async () => {
  const asked: GiveUpWaiting[] = [];
  const answers: WaitingChange[] = [
    { matched: 500, done: 499, skipped: [{ id: 'a', why: 'running' }], next_cursor: 'more' },
    {
      matched: 3,
      done: 1,
      skipped: [
        { id: 'b', why: 'running' },
        { id: 'c', why: 'restored' },
      ],
      next_cursor: null,
    },
  ];
  const ask = async (body: GiveUpWaiting) => {
    asked.push(body);
    return answers[asked.length - 1] as WaitingChange;
  };
  const outcomes = await changeWaiting(ask, [{ kind: 'message' }], { dry_run: true, unknown_as: 'failed' });
  expect(outcomes).toEqual([
    {
      kind: 'message',
      done: 500,
      skipped: new Map([
        ['running', 2],
        ['restored', 1],
      ]),
    },
  ]);
  expect(asked).toEqual([
    { kind: 'message', dry_run: true, unknown_as: 'failed', filter: {}, cursor: undefined },
    { kind: 'message', dry_run: true, unknown_as: 'failed', filter: {}, cursor: 'more' },
  ]);
});

test('more ids than a request takes are asked for in several', async () => {
  const sizes: number[] = [];
  const ask = async ({ ids = [], unknown_as }: GiveUpWaiting): Promise<WaitingChange> => {
    expect(unknown_as).toBeUndefined();
    sizes.push(ids.length);
    return { matched: ids.length, done: ids.length, skipped: [], next_cursor: null };
  };
  const ids = Array.from({ length: 1_203 }, (_, index) => `${index}`);
  const [outcome] = await changeWaiting(ask, [{ kind: 'followup', ids }], { dry_run: false, unknown_as: 'sent' });
  expect(sizes).toEqual([500, 500, 203]);
  expect(outcome?.done).toBe(1_203);
});
