import { describe, expect, test } from 'vitest';
import { assertIfMatch, etagOf } from './etag.ts';

describe('If-Match', () => {
  test.each([undefined, '*', ' * ', '"v3"', '"v1", "v3"', '"v3","v9"'])('%j accepts version 3', (ifMatch) => {
    expect(() => assertIfMatch({ ifMatch }, 3)).not.toThrow();
  });
  test.each(['"v2"', 'W/"v3"', 'v3', '"v33"', '', '"v1", "v2"'])('%j rejects version 3', (ifMatch) => {
    expect(() => assertIfMatch({ ifMatch }, 3)).toThrow(expect.objectContaining({ code: 'version_mismatch' }));
  });
  test('an ETag names its own version', () => {
    expect(() => assertIfMatch({ ifMatch: etagOf(3) }, 3)).not.toThrow();
  });
});
