import { expect, test } from 'vitest';
import { foldAccents, numberWords, valueOfWords } from './number-words.ts';

test.each([
  ['cinquenta', 50],
  ['cento e vinte e cinco', 125],
  ['duzentas e uma', 201],
  ['dois mil', 2_000],
  ['mil duzentos e cinquenta', 1_250],
  ['dezesseis', 16],
  ['veintiún', 21],
  ['veinte', 20],
  ['treinta y un', 31],
  ['quince mil quinientos', 15_500],
  ['twenty-one', 21],
  ['two hundred and fifty', 250],
  ['one hundred twenty thousand', 120_000],
  ['ninety nine', 99],
])('%s is %d', (words, value) => {
  const folded = foldAccents(words);
  expect(folded).toMatch(new RegExp(`^${numberWords}$`));
  expect(valueOfWords(folded)).toBe(value);
});

test('of accents only that of `à` stays', () => {
  expect(foldAccents('Às três da manhã, mañana, terça')).toBe('às tres da manha, manana, terca');
});
