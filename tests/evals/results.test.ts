import { expect, test } from 'vitest';
import { comparisonOf, failuresOf, type Results, regressionsOf, tableOf } from './results.ts';

const trial = (...faults: string[]) => ({
  ...{ faults, transcript: [{ from: 'customer' as const, text: 'Oi' }], ms: 1500, calls: 2 },
  tokens: { input: 1000, output: 100 },
});
const played = (id: string, ...trials: ReturnType<typeof trial>[]) => ({
  ...{ id, kind: 'booking' as const, language: id.slice(0, 2) as 'pt', trials },
});
const results = (name: string, ...conversations: ReturnType<typeof played>[]): Results => ({
  ...{ name, model: `openai/${name}`, at: '2026-11-27T12:00:00.000Z', trials: 2, conversations },
});
const good = results('good', played('pt-a', trial(), trial()), played('es-b', trial(), trial()));
const mixed = results('mixed', played('pt-a', trial(), trial('told: nothing')), played('es-b', trial(), trial()));

test('pass^k counts only conversations that passed in every trial', () => {
  const all = tableOf(mixed).split('\n').at(-1);
  expect(all?.split('|').map((cell) => cell.trim())).toEqual(['', 'all', '3/4', '1/2', '']);
});

test('a failure names what was expected, and shows what was said', () => {
  expect(failuresOf(mixed)).toEqual([
    expect.stringMatching(/^FAILED pt-a \(1 of 2 trials\)\n {2}told: nothing\n.*Oi$/),
  ]);
  expect(failuresOf(good)).toEqual([]);
});

test('a regression is what failed, and with a baseline only what passed there', () => {
  expect(regressionsOf(mixed)).toEqual(['pt-a']);
  expect(regressionsOf(mixed, good)).toEqual(['pt-a']);
  expect(regressionsOf(mixed, mixed)).toEqual([]);
});

test('a comparison shows outcomes, tokens and cost side by side, and the transcripts that differ', () => {
  const page = comparisonOf({ ...good, prices: { input: 2, output: 10 } }, mixed);
  expect(page).toMatch(/\| trials passed +\| 4\/4 +\| 3\/4 +\|/);
  expect(page).toMatch(/\| tokens in +\| 4000 +\| 4000 +\|/);
  expect(page).toMatch(/\| cost +\| 0\.0120 +\| not known +\|/);
  expect(page).toMatch(/### pt-a/);
  expect(page).not.toMatch(/### es-b/);
});
