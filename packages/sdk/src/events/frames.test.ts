import fc from 'fast-check';
import { expect, test } from 'vitest';
import { frameParser } from './frames.ts';

test.each([
  ['an event', 'id: 17\nevent: lead.created\ndata: {"a":1}\n\n', [{ id: '17', data: '{"a":1}' }]],
  ['a position', ': heartbeat\nid: 18\n\n', [{ id: '18' }]],
  ['when to come back', 'retry: 2500\n\n', [{ retryMs: 2500 }]],
  ['a retry that is no number', 'retry: soon\n\n', []],
  ['only a comment', ': heartbeat\n\n', []],
  ['data in several lines', 'data: a\ndata:b\ndata\n\n', [{ data: 'a\nb\n' }]],
  ['one space after the colon is no part of the value', 'data:  a\n\n', [{ data: ' a' }]],
  ['line breaks of all kinds', 'id: 1\r\n\r\nid: 2\r\rid: 3\n\n', [{ id: '1' }, { id: '2' }, { id: '3' }]],
  ['a line separator in JSON is no line break', 'data: "\u2028\u0085\v"\n\n', [{ data: '"\u2028\u0085\v"' }]],
  ['a frame that no empty line has ended', 'id: 1\n\nid: 2\ndata: half', [{ id: '1' }]],
])('%s', (_, text, frames) => {
  expect(frameParser()(text)).toEqual(frames);
});

test('wherever the text is cut, the frames are the same', () => {
  const line = fc.constantFrom('id: 1', 'id: 22', 'data: x', 'data:', ': comment', 'retry: 5', 'event: a', '', '');
  const ending = fc.constantFrom('\n', '\r\n', '\r');
  fc.assert(
    fc.property(fc.array(line), ending, fc.array(fc.nat({ max: 12 })), (lines, lineBreak, sizes) => {
      const text = [...lines, 'id: 9', '', ''].join(lineBreak);
      const parse = frameParser();
      const frames = [];
      let at = 0;
      for (const size of sizes) {
        frames.push(...parse(text.slice(at, at + size)));
        at += size;
      }
      frames.push(...parse(text.slice(at)));
      // The last CR may be half of a line break, so the frame before it comes with the next text.
      frames.push(...parse('\n'));
      expect(frames).toEqual(frameParser()([...lines, 'id: 9', '', ''].join('\n')));
    }),
  );
});
