import { assertIfMatch, etagOf } from '@mostrador/kit/database/etag';
import { expect, test } from 'vitest';
import { contentCodings } from './content-coding.ts';
import { codedTag, currentTag } from './entity-tags.ts';

test.each([
  ['"v3"', '"v3"'],
  ['W/"v3"', '"v3"'],
  ['"v1", "v3"', '"v3"'],
  ['"v1" , W/"v3","v4"', '"v3"'],
  ['"a,b", "v3"', '"v3"'],
  ['*', '"v3"'],
  ['"v3.gzip"', '"v3.gzip"'],
  ['W/"v3.br"', '"v3.br"'],
  ['"v2", "v3.zstd"', '"v3.zstd"'],
  ['"v3-gzip"', '"v3"'],
  ['W/"v3-gzip"', '"v3"'],
  ['"v1", "v3--gzip"', '"v3"'],
  ['"v3;gzip"', '"v3"'],
  ['"v3.br-gzip"', '"v3.br"'],
  ['"v3-gzip", "v3.br"', '"v3.br"'],
  ['"v2"', undefined],
  ['"v2-gzip"', undefined],
  ['"v33;gzip"', undefined],
  ['"v3-other"', undefined],
  ['"v2.gzip"', undefined],
  ['"v3.deflate"', undefined],
  ['v3', undefined],
  ['"v33"', undefined],
  ['', undefined],
])('in If-None-Match: %s the tag of the current "v3" is %s', (header, expected) => {
  expect(currentTag(header, '"v3"')).toBe(expected);
});

test('the tag of each coding differs, and names the version in If-Match', () => {
  for (const etag of [etagOf(3), etagOf(3, '12')]) {
    const tags = contentCodings.map((coding) => codedTag(etag, coding));
    expect(new Set([etag, ...tags]).size).toBe(4);
    for (const ifMatch of tags) {
      expect(() => assertIfMatch({ ifMatch }, 3)).not.toThrow();
      expect(() => assertIfMatch({ ifMatch }, 4)).toThrow(expect.objectContaining({ code: 'version_mismatch' }));
    }
  }
});
