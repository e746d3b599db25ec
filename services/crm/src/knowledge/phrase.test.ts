import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fold } from './folding.ts';
import { searchLanguage } from './language.ts';
import { highlight, readPhrase, wordsOf } from './phrase.ts';

test('folding removes case and accents', () => {
  expect(fold('Coloração às 9h, ÀÉÎÕÜ ñ')).toBe('coloracao as 9h, aeiou n');
  expect(fold('Straße Łódź ĳ')).toBe('strasse lodz ij');
});

test('a question is searched by its longer words, each once', () => {
  expect(readPhrase('Qual o preço da Coloração? preço!')).toEqual({
    asked: 'qual o preço da coloração? preço!',
    folded: 'qual o preco da coloracao? preco!',
    words: [
      { asked: 'qual', folded: 'qual' },
      { asked: 'preço', folded: 'preco' },
      { asked: 'coloração', folded: 'coloracao' },
    ],
    exact: false,
  });
  expect(readPhrase(Array.from({ length: 50 }, (_, index) => `word${index}`).join(' ')).words).toHaveLength(12);
});

test.each(['"corte feminino"', 'corte -barba', 'corte OR barba'])('%s is an exact search', (q) => {
  expect(readPhrase(q).exact).toBe(true);
});

test('punctuation alone makes no exact search, and an excluded word is not searched', () => {
  expect(readPhrase('corte - barba, bem-vindo').exact).toBe(false);
  expect(readPhrase('corte -barba').words).toEqual([{ asked: 'corte', folded: 'corte' }]);
});

test('matching words are marked, and everything else is escaped', () => {
  expect(highlight('<b>Corte</b> & "corte" recorte', new Set(['Corte', 'corte']))).toBe(
    '&lt;b&gt;<mark>Corte</mark>&lt;/b&gt; &amp; &quot;<mark>corte</mark>&quot; recorte',
  );
});

test('for any text, the highlight without its marks is the escaped text, so no markup survives', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.nat()), (text, picks) => {
      const words = wordsOf(text);
      const marked = highlight(text, new Set(picks.map((pick) => words[pick % words.length] ?? '')));
      expect(marked.replaceAll(/<\/?mark>/g, '')).not.toMatch(/[<>]/);
      const plain = marked
        .replaceAll(/<\/?mark>/g, '')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&#39;', "'")
        .replaceAll('&amp;', '&');
      expect(plain).toBe(text);
    }),
  );
});

test.each([
  ['pt-BR', 'portuguese'],
  ['es', 'spanish'],
  ['en-GB', 'english'],
  ['nb', 'norwegian'],
  ['ja-JP', 'simple'],
  ['zh-Hant-TW', 'simple'],
])('documents of a store in %s are indexed as %s', (locale, language) => {
  expect(searchLanguage(locale)).toBe(language);
});
