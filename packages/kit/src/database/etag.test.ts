import { describe, expect, test } from 'vitest';
import { assertIfMatch, etagOf } from './etag.ts';

describe('If-Match', () => {
  test.each([
    ...[undefined, '*', ' * ', '"v3"', '"v1", "v3"', '"v3","v9"', '"v3.7"', '"v2.7", "v3.0p"'],
    // From here on what proxies that compress make of a tag.
    ...['W/"v3"', 'W/"v3.7"', '"v3-gzip"', '"v3--gzip"', '"v3;gzip"', '"v3;gz"', '"v3:br"', '"v3-x-gzip"', '"v3-br"'],
    ...['"v3.7-zstd"', '"v3.7p--deflate"', 'W/"v3-gzip"', '"v3.gzip"', '"v3.7gzip"', '"v3.GZIP"', '"v3-GZIP"'],
    ...['"v1-gzip", W/"v3-gzip"', 'W/"v3" , "v4"', '"other;gzip", "v3"'],
  ])('%j accepts version 3', (ifMatch) => {
    expect(() => assertIfMatch({ ifMatch }, 3)).not.toThrow();
  });
  test.each([
    ...['"v2"', 'v3', '"v33"', '', '"v1", "v2"', '"v2.3"', '"v33.3"', '"v3."', 'W/"v2"', 'W/"v33.3"', '"v2-gzip"'],
    ...['"v2;gzip", W/"v4"', '"v33--gzip"', '"v3-"', '"v3-other"', '"v3---gzip"', '"v3-gzip-gzip"', 'w/"v3"', '"3"'],
  ])('%j rejects version 3', (ifMatch) => {
    expect(() => assertIfMatch({ ifMatch }, 3)).toThrow(expect.objectContaining({ code: 'version_mismatch' }));
  });
  test('an ETag names its own version', () => {
    expect(etagOf(3)).toBe('"v3"');
    expect(etagOf(3, '7')).toBe('"v3.7"');
    for (const ifMatch of [etagOf(3), etagOf(3, '7')]) expect(() => assertIfMatch({ ifMatch }, 3)).not.toThrow();
  });
});
