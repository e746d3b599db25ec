import type { Expectation, ReplayedSide } from '@mostrador/contracts';
import { expect, test } from 'vitest';
import { judge } from './judge.ts';

const answer = (more: Partial<ReplayedSide> = {}): ReplayedSide => ({
  ...{ action: 'reply', reason: null, text: 'O corte custa R$ 60.', tools: [], offers_times: false },
  ...{ passages: ['Preços'], model: 'demo' },
  ...more,
});
const holds = (expectation: Expectation, given: Partial<ReplayedSide> = {}) =>
  judge([expectation], answer(given)).holds;

test('a document counts when the answer is made from it', () => {
  expect(holds({ type: 'from_document', value: 'precos' })).toBe(true);
  expect(holds({ type: 'from_document', value: 'Preços' }, { passages: [] })).toBe(false);
  // A part of a title is another document.
  expect(holds({ type: 'from_document', value: 'Preço' })).toBe(false);
});

test('words count without regard to case, accents and line breaks', () => {
  expect(holds({ type: 'contains', value: 'CORTE custa' }, { text: 'O córte\ncusta R$ 60.' })).toBe(true);
  expect(holds({ type: 'contains', value: 'barba' })).toBe(false);
  expect(holds({ type: 'not_contains', value: 'barba' })).toBe(true);
  expect(holds({ type: 'not_contains', value: 'r$ 60' })).toBe(false);
});

test('an answer without a text contains nothing', () => {
  expect(holds({ type: 'contains', value: 'R$ 60' }, { action: 'use_tools', text: null })).toBe(false);
  expect(holds({ type: 'not_contains', value: 'R$ 60' }, { action: 'silent', text: null })).toBe(true);
});

test('a hand-over and free times count by what the answer does', () => {
  expect(holds({ type: 'hands_over' })).toBe(false);
  expect(holds({ type: 'hands_over' }, { action: 'hand_over' })).toBe(true);
  expect(holds({ type: 'offers_times' })).toBe(false);
  expect(holds({ type: 'offers_times' }, { offers_times: true })).toBe(true);
});

test('an answer that cannot be sent keeps no expectation', () => {
  const failed = answer({ action: 'failed', reason: 'timed_out', text: null });
  const expectation = { type: 'not_contains', value: 'barba' } as const;
  expect(judge([expectation], failed)).toEqual({ holds: false, expects: [{ ...expectation, holds: false }] });
});

test('without expectations any answer that can be sent is good', () => {
  expect(judge([], answer())).toEqual({ holds: true, expects: [] });
  expect(judge([], answer({ action: 'failed', text: null })).holds).toBe(false);
});

test('each expectation is judged by itself, and all must hold', () => {
  const expects: Expectation[] = [{ type: 'contains', value: '60' }, { type: 'hands_over' }];
  expect(judge(expects, answer())).toEqual({
    holds: false,
    expects: [
      { type: 'contains', value: '60', holds: true },
      { type: 'hands_over', holds: false },
    ],
  });
});
