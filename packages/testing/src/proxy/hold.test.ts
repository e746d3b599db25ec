import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createRule, forward, type Rule } from './hold.ts';

const rule = (text: string, after?: string) => createRule({ kind: 'request', text, after }, () => {});
const long = rule('a text that is longer than all chunks of these tests');

/** What passes when the chunks come. `before`: these come before the rule. */
function passedOf(held: Rule, chunks: readonly string[], before: readonly string[] = []): string[] {
  const passed: string[] = [];
  const to = { write: (chunk: Buffer) => passed.push(chunk.toString()) } as unknown as Socket;
  const rules = new Set<Rule>([long]);
  const { chunk } = forward(to, rules, 'request', () => false, {});
  for (const text of before) chunk(Buffer.from(text));
  rules.add(held);
  for (const text of chunks) chunk(Buffer.from(text));
  return passed;
}

test('the first chunk in which the text ends is held, and what comes after it', () => {
  expect(passedOf(rule('commit'), ['one', 'com', 'mit', 'two'])).toEqual(['one', 'com']);
});

test('with another text before it, only a text after that one is held', () => {
  const point = () => rule('commit', 'lead');
  expect(passedOf(point(), ['commit', 'begin le', 'ad', 'com', 'mit'])).toEqual(['commit', 'begin le', 'ad', 'com']);
  expect(passedOf(point(), ['commit lead', 'more', 'commit'])).toEqual(['commit lead', 'more']);
  expect(passedOf(point(), ['lead commit'])).toEqual([]);
  expect(passedOf(point(), ['commit', 'commit'])).toEqual(['commit', 'commit']);
});

test('a text that has passed before the rule was made is not held', () => {
  expect(passedOf(rule('commit'), ['one', 'commit'], ['commit'])).toEqual(['commit', 'one']);
  expect(passedOf(rule('commit', 'lead'), ['one commit'], ['lead'])).toEqual(['lead', 'one commit']);
});
