import { describe, expect, test } from 'vitest';
import { assertIfMatch, etagOf } from './etag.ts';

describe('If-Match', () => {
  test.each([undefined, '*', ' * ', '"v3"', '"v1", "v3"', '"v3","v9"', '"v3.7"', '"v2.7", "v3.0p"'])(
    '%j accepts version 3',
    (ifMatch) => {
      expect(() => assertIfMatch({ ifMatch }, 3)).not.toThrow();
    },
  );
  test.each(['"v2"', 'W/"v3"', 'v3', '"v33"', '', '"v1", "v2"', '"v2.3"', '"v33.3"', 'W/"v3.7"', '"v3."'])(
    '%j rejects version 3',
    (ifMatch) => {
      expect(() => assertIfMatch({ ifMatch }, 3)).toThrow(expect.objectContaining({ code: 'version_mismatch' }));
    },
  );
  test('an ETag names its own version', () => {
    expect(etagOf(3)).toBe('"v3"');
    expect(etagOf(3, '7')).toBe('"v3.7"');
    for (const ifMatch of [etagOf(3), etagOf(3, '7')]) expect(() => assertIfMatch({ ifMatch }, 3)).not.toThrow();
  });
});
