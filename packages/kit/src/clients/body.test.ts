import { expect, test } from 'vitest';
import { BodyTooLarge, collectBody, readBody } from './body.ts';

const bodyOf = (...sizes: number[]) => new Response(new Blob(sizes.map((size) => new Uint8Array(size).fill(97)))).body;

test('a body is read whole up to 256 KiB, and a larger one is refused and cancelled', async () => {
  expect(await readBody(null)).toHaveLength(0);
  expect((await readBody(bodyOf(2, 1))).toString()).toBe('aaa');
  expect(await readBody(bodyOf(200 * 1024, 56 * 1024))).toHaveLength(256 * 1024);
  const large = bodyOf(256 * 1024, 1, 256 * 1024);
  await expect(readBody(large)).rejects.toThrow(BodyTooLarge);
  expect((await large?.getReader().read())?.done).toBe(true);
});

test('the beginning of a larger body is kept', () => {
  const body = collectBody(4);
  expect([body.add(Buffer.from('ab')), body.add(Buffer.from('cd')), body.add(Buffer.from('ef'))]).toEqual([
    ...[true, true, false],
  ]);
  expect(body.read().toString()).toBe('abcd');
});
