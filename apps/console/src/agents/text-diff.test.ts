import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DiffPart, diffOf } from './text-diff.ts';

/** With what only this text has in brackets. */
const marked = (parts: readonly DiffPart[]) => parts.map(({ text, isOwn }) => (isOwn ? `[${text}]` : text)).join('');
const both = (before: string, after: string) => {
  const parts = diffOf(before, after);
  return [marked(parts.before), marked(parts.after)];
};

test.each([
  ['', '', '', ''],
  ['Olá', 'Olá', 'Olá', 'Olá'],
  ['', 'Olá', '', '[Olá]'],
  ['Olá, aqui é Bia.', 'Olá, aqui é Clara.', 'Olá, aqui é [Bia].', 'Olá, aqui é [Clara].'],
  ['Custa R$ 60.', 'O corte custa R$ 60.', '[Custa] R$ 60.', '[O corte custa ]R$ 60.'],
  ['às 10h ou às 11h', 'às 11h', 'às [10h ou às ]11h', 'às 11h'],
  ['今日は開いています', '明日は開いています', '[今日]は開いています', '[明日]は開いています'],
])('%j beside %j is marked by words', (before, after, markedBefore, markedAfter) => {
  expect(both(before, after)).toEqual([markedBefore, markedAfter]);
});

const textOf = (parts: readonly DiffPart[]) => parts.map(({ text }) => text).join('');
const word = fc.constantFrom('a', 'b', 'c', ' ', ', ', '\n', '👍');
const text = fc.array(word, { maxLength: 40 }).map((all) => all.join(''));

test('nothing of a text is lost, and the same text is marked nowhere', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const parts = diffOf(before, after);
      expect([textOf(parts.before), textOf(parts.after)]).toEqual([before, after]);
      expect(parts.before.every(({ isOwn }) => !isOwn) && parts.after.every(({ isOwn }) => !isOwn)).toBe(
        before === after,
      );
    }),
  );
});

test('what is marked nowhere is the same in both, apart from spaces', () => {
  const common = (parts: readonly DiffPart[]) => textOf(parts.filter(({ isOwn }) => !isOwn)).replaceAll(/\s/g, '');
  fc.assert(
    fc.property(text, text, (before, after) => {
      const parts = diffOf(before, after);
      expect(common(parts.before)).toBe(common(parts.after));
    }),
  );
});

test('long texts that have little in common are marked as a whole', () => {
  const long = (name: string) =>
    `Olá. ${Array.from({ length: 3_000 }, (_, place) => `${name}${place}`).join(' ')} Até logo.`;
  const [one, other] = [long('a'), long('b')];
  expect(diffOf(one, other)).toEqual({ before: [{ text: one, isOwn: true }], after: [{ text: other, isOwn: true }] });
});
