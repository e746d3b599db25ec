import { expect, test } from 'vitest';
import type { ReplayedSide } from './agent-queries.ts';
import { bodyOfEval, evalOfTurn, faultsOfEval, isRunOf } from './eval-draft.ts';

const side = (more: Partial<ReplayedSide> = {}): ReplayedSide => ({
  ...{ action: 'reply', reason: null, text: 'O corte custa R$ 60.', tools: [], offers_times: false },
  ...{ passages: [], model: 'demo' },
  ...more,
});

test('an eval of a conversation expects what was answered, after what was said before', () => {
  const first = { text: 'quanto custa o corte?', before: side({ passages: ['Preços'] }) };
  expect(evalOfTurn(first, [])).toEqual({
    text: 'quanto custa o corte?',
    conversation: [],
    expects: [{ type: 'from_document', value: 'Preços' }],
  });
  const second = { text: 'e amanhã?', before: side({ offers_times: true }) };
  expect(evalOfTurn(second, [first])).toEqual({
    text: 'e amanhã?',
    conversation: [
      { from: 'lead', text: 'quanto custa o corte?' },
      { from: 'store', text: 'O corte custa R$ 60.' },
    ],
    expects: [{ type: 'offers_times' }],
  });
  expect(evalOfTurn({ text: 'oi', before: side({ action: 'hand_over' }) }, []).expects).toEqual([
    { type: 'hands_over' },
  ]);
});

test('an eval of a long conversation fits into a request', () => {
  const long = { text: 'x'.repeat(5_000), before: side({ text: null, passages: ['y'.repeat(300)] }) };
  const made = evalOfTurn(
    long,
    Array.from({ length: 30 }, () => long),
  );
  expect(made.text).toHaveLength(4_096);
  expect(made.conversation?.map(({ text }) => text.length)).toEqual(Array(20).fill(1_000));
  expect(made.expects).toEqual([]);
});

test('words and documents must be named, and other expectations have no value', () => {
  const expects = [
    { key: 1, type: 'contains', value: ' R$ 60 ' },
    { key: 2, type: 'hands_over', value: 'left over' },
  ] as const;
  expect(bodyOfEval({ text: ' oi ', expects })).toEqual({
    text: 'oi',
    expects: [{ type: 'contains', value: 'R$ 60' }, { type: 'hands_over' }],
  });
  expect(faultsOfEval({ text: 'oi', expects })).toEqual({});
  expect(faultsOfEval({ text: ' ', expects: [{ key: 1, type: 'from_document', value: ' ' }] })).toEqual({
    text: true,
    expects: true,
  });
});

test('a run is of the agent only while nothing that decides about its answers has changed', () => {
  const agent = {
    ...{ name: 'Ana', model: 'auto', instructions: null, tone: null, language: null, disclosure: true },
    ...{ handover_when: null, tools: ['find_times'] },
  } satisfies Parameters<typeof isRunOf>[1];
  expect(isRunOf({ agent }, { ...agent })).toBe(true);
  expect(isRunOf({ agent }, { ...agent, tools: [] })).toBe(false);
  expect(isRunOf({ agent }, { ...agent, tone: 'warm' })).toBe(false);
});
