import { expect, test } from 'vitest';
import { assertIfMatch } from '../database/etag.ts';
import { header, readEnvelope, wireHeaders, writeEnvelope } from './wire.ts';

const base = { requestId: 'r-1', deadline: 1_800_000_000_000 };

test.each([{ ifMatch: '"v1"' }, { ifNoneMatch: '*' }, {}])('the precondition %j arrives as it was sent', (sent) => {
  const { ifMatch, ifNoneMatch } = readEnvelope(writeEnvelope({ ...base, ...sent }));
  expect({ ifMatch, ifNoneMatch }).toEqual({ ifMatch: undefined, ifNoneMatch: undefined, ...sent });
});

test('a service that does not know If-None-Match gets an If-Match that no version fulfils', () => {
  // The previous version reads this header alone.
  const ifMatch = header(writeEnvelope({ ...base, ifNoneMatch: '*' }), wireHeaders.ifMatch);
  expect(ifMatch).toBeDefined();
  for (const version of [0, 1, 42]) expect(() => assertIfMatch({ ifMatch }, version)).toThrow('version_mismatch');
});
