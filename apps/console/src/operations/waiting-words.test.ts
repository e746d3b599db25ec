import { expect, test } from 'vitest';
import { skipReasons, waitingKinds, waitingReasons } from '../../../../packages/contracts/src/core/waiting.ts';
import { locales } from '../paraglide/runtime.js';
import { kindsWords, kindWords, reasonWords, skipWords, willWords } from './waiting-words.ts';

type Words = Readonly<Record<string, (inputs: never, options: { locale: (typeof locales)[number] }) => string>>;

const kinds = Object.keys(waitingKinds);

test.each<[string, readonly string[], Words]>([
  ['reason why something waits', waitingReasons, reasonWords],
  ['reason why something was left as it is', skipReasons, skipWords],
  ['kind', kinds, kindWords],
  ['kind of several', kinds, kindsWords],
  ['kind that is retried', kinds, willWords.retry],
  ['kind that is given up', kinds, willWords.give_up],
])('every %s of the contract has words of its own in every language', (_, codes, words) => {
  expect(Object.keys(words).sort()).toEqual([...codes].sort());
  for (const locale of locales) {
    const texts = codes.map((code) => words[code]?.({ count: 2 } as never, { locale }) ?? '');
    for (const [index, text] of texts.entries()) {
      // A text that a language lacks would be its key, or a code.
      expect(text, `${codes[index]} in ${locale}`).toMatch(/^\p{Lu}(?!\w+_)/u);
    }
    expect(new Set(texts).size, locale).toBe(codes.length);
  }
});
