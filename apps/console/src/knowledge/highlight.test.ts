import { expect, test } from 'vitest';
import { piecesOf } from './highlight.ts';

test('marked words are separate from the others', () => {
  expect(piecesOf('The <mark>opening</mark> hours')).toEqual([
    { text: 'The ', marked: false },
    { text: 'opening', marked: true },
    { text: ' hours', marked: false },
  ]);
  expect(piecesOf('<mark>a</mark>')).toEqual([{ text: 'a', marked: true }]);
});

test('what was escaped is shown as it was written, once', () => {
  expect(piecesOf('&lt;img src=x onerror=alert(1)&gt; &amp;amp; &quot;x&quot; it&#39;s')).toEqual([
    { text: '<img src=x onerror=alert(1)> &amp; "x" it\'s', marked: false },
  ]);
});
