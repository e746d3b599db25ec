import fc from 'fast-check';
import { expect, test } from 'vitest';
import { passageSize, splitPassages } from './split-passages.ts';

const sentence = (index: number) => `This is sentence number ${index} of the text, and it has some length to it.`;
const paragraph = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => sentence(from + index)).join(' ');

test('a short text is one passage, and an empty one has none', () => {
  expect(splitPassages('  One.\n\nTwo.  ')).toEqual(['One.\n\nTwo.']);
  expect(splitPassages(' \n ')).toEqual([]);
});

test('paragraphs that fit stay whole', () => {
  const paragraphs = [paragraph(0, 8), paragraph(10, 8), paragraph(20, 8)];
  const passages = splitPassages(paragraphs.join('\n\n'));
  expect(passages).toHaveLength(3);
  for (const [place, whole] of paragraphs.entries()) expect(passages[place]?.endsWith(whole)).toBe(true);
});

test('a long paragraph is cut between sentences, and the next passage repeats the last one', () => {
  const passages = splitPassages(paragraph(0, 40));
  expect(passages.length).toBeGreaterThan(3);
  for (const [place, passage] of passages.entries()) {
    expect(passage).toMatch(/^This is sentence .*to it\.$/s);
    const before = passages[place - 1];
    if (before) expect(before).toContain(passage.slice(0, sentence(10).length));
  }
});

test('a text without a border is cut too, but never inside a character', () => {
  const passages = splitPassages('😀'.repeat(1000));
  expect(passages.join('')).toBe('😀'.repeat(1000));
  for (const passage of passages) expect(passage.isWellFormed()).toBe(true);
});

test('seven documents of the maximum size are cut in time, whatever they contain', { timeout: 30_000 }, () => {
  for (const part of ['a', 'a ', '. ', 'a\n', ' \n', '\n \n', 'Oi. ']) {
    splitPassages(`x${part.repeat(131_072 / part.length)}x`);
  }
});

const anyText = fc
  .array(
    fc.oneof(fc.lorem({ mode: 'sentences' }), fc.string({ unit: 'grapheme' }), fc.constantFrom('\n', '\n\n', ' ')),
    {
      maxLength: 60,
    },
  )
  .map((parts) => parts.join(' '));

test('for any text, no passage exceeds the goal, each is part of the text, and together they cover every word', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      let covered = 0;
      let from = 0;
      for (const passage of splitPassages(text)) {
        expect(passage.length).toBeLessThanOrEqual(passageSize.goal);
        expect(passage).not.toBe('');
        const start = text.indexOf(passage, from);
        expect(start).toBeGreaterThanOrEqual(0);
        // Only white space lies between the covered text and the next passage.
        if (start > covered) expect(text.slice(covered, start).trim()).toBe('');
        covered = Math.max(covered, start + passage.length);
        from = start + 1;
      }
      expect(text.slice(covered).trim()).toBe('');
    }),
  );
});
