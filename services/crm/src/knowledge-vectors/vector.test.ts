import { expect, test } from 'vitest';
import { packVector, similarityOf } from './vector.ts';

const pack = (...values: number[]) => packVector(Buffer.from(Float32Array.from(values).buffer).toString('base64'));

test('a packed vector keeps the direction and the signs of the numbers', () => {
  const { embedding, bits } = pack(0.5, -0.25, 0, 0.001);
  expect([...new Int8Array(embedding)]).toEqual([127, -63, 0, 0]);
  expect(bits).toBe('1001');
});

test('the similarity of packed vectors is about that of the numbers, whatever their length', () => {
  const one = Array.from({ length: 512 }, (_, index) => Math.sin(index * 1.7));
  const other = one.map((value, index) => value + Math.cos(index * 0.3));
  const dot = (a: number[], b: number[]) => a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
  const exact = dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
  const packed = (factor: number) =>
    similarityOf(pack(...one).embedding, pack(...other.map((value) => value * factor)).embedding);
  expect(packed(1)).toBeCloseTo(exact, 2);
  expect(packed(0.001)).toBeCloseTo(exact, 2);
});
