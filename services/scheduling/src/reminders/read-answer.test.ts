import { expect, test } from 'vitest';
import { readAnswer } from './read-answer.ts';

const usual = { confirm_words: ['1'], cancel_words: ['2'] };
const own = { confirm_words: ['Sim', 'Confirmo!'], cancel_words: ['Não', 'não vou'] };

test.each<[string, 'confirm' | 'cancel' | null]>([
  ['1', 'confirm'],
  [' 1. ', 'confirm'],
  ['1️⃣', 'confirm'],
  ['2', 'cancel'],
  ['12', null],
  ['1 2', null],
  ['1 pessoa', null],
  ['sim', null],
  ['', null],
  ['…', null],
  ['1?', null],
  ['¿2', null],
  ['2 ？', null],
  ['1 👍', 'confirm'],
  ['1 ou 2', null],
  ['1'.padEnd(200), null],
])('%j with the usual words: %s', (text, answer) => {
  expect(readAnswer(text, usual)).toBe(answer);
});

test.each<[string, 'confirm' | 'cancel' | null]>([
  ['SIM', 'confirm'],
  ['confirmo', 'confirm'],
  ['nao', 'cancel'],
  ['Não  vou.', 'cancel'],
  ['1', null],
  ['sim?', null],
  ['sim e não', null],
  ['sim sim', null],
  ['sim, mas mais tarde', null],
])('%j with own words: %s', (text, answer) => {
  expect(readAnswer(text, own)).toBe(answer);
});
