import { optOutWords, readOptOut } from '@mostrador/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const said = (kind: 'stop' | 'start') => Object.values(optOutWords).flatMap((words) => words[kind]);
const around = fc.stringMatching(/^[ \n\t.,;:!?¡¿"'*_~()👍🙏-]{0,12}$/u);
const cased = (text: string) =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((upper) => [...text].map((letter, at) => (upper[at] ? letter.toUpperCase() : letter)).join(''));

test.each([
  ['stop', said('stop')],
  ['start', said('start')],
] as const)(
  'a %s word is recognised in any case, with or without accents, and with any punctuation',
  (meaning, words) => {
    const written = fc
      .constantFrom(...words)
      .chain((word) =>
        fc.tuple(
          around,
          fc.oneof(
            cased(word),
            cased(word.normalize('NFD')),
            fc.constant(word.normalize('NFD').replaceAll(/\p{M}/gu, '')),
          ),
          around,
        ),
      );
    fc.assert(
      fc.property(written, (parts) => {
        expect(readOptOut(parts.join(''))).toBe(meaning);
      }),
    );
  },
);

test('a word within a sentence has no meaning', () => {
  const word = fc.constantFrom(...said('stop'), ...said('start'));
  const more = fc.stringMatching(/^[a-zç]{1,10}$/).filter((text) => readOptOut(text) === null);
  const sentence = fc.tuple(more, word, more).map(([before, found, after]) => `${before} ${found} ${after}`);
  fc.assert(
    fc.property(sentence, (text) => {
      expect(readOptOut(text)).toBeNull();
    }),
  );
});

test('no word means both stop and start', () => {
  for (const word of said('start')) expect(readOptOut(word), word).toBe('start');
  for (const word of said('stop')) expect(readOptOut(word), word).toBe('stop');
});

test.each([
  '',
  ' ',
  '🙂',
  'cancelar',
  'cancel',
  'quit',
  'pare de doer',
  'volta',
  'não',
  'bus stop',
  'S T O P',
  'ステップ',
  '\u0000',
])('%j is neither a stop nor a start word', (text) => {
  expect(readOptOut(text)).toBeNull();
});

test('any text is read without an error, including broken characters and very long texts', () => {
  const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 120 });
  fc.assert(
    fc.property(units, (text) => {
      expect([null, 'stop', 'start']).toContain(readOptOut(String.fromCharCode(...text)));
    }),
  );
  expect(readOptOut(`${'!'.repeat(4000)}stop`)).toBeNull();
});
