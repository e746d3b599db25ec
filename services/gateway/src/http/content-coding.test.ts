import { expect, test } from 'vitest';
import { preferredCoding } from './content-coding.ts';

test.each([
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['deflate, compress', undefined],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip, deflate, br', 'br'],
  ['gzip;q=0.8, br;q=0.2', 'gzip'],
  ['gzip;q=0, br;q=0', undefined],
  ['*', 'zstd'],
  ['*;q=0.5, gzip', 'gzip'],
  ['*, zstd;q=0, br;q=0', 'gzip'],
  ['identity, gzip;q=0.5', undefined],
  ['identity;q=0.5, gzip', 'gzip'],
  ['identity, gzip', 'gzip'],
  ['gzip;q=2', undefined],
] as const)('Accept-Encoding %j selects %j', (header, coding) => {
  expect(preferredCoding(header)).toBe(coding);
});
