import { expect, test } from 'vitest';
import { indexBuiltBy } from './concurrent-index.repository.ts';

test.each([
  ['create index concurrently if not exists by_n on things (n);', 'by_n', 'things'],
  ['-- no-transaction\n-- Why.\ncreate unique index concurrently by_n\n  on things (n)', 'by_n', 'things'],
  ['CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS By_N ON ONLY Things USING gin (n)', 'by_n', 'Things'],
  [
    '/* create index concurrently a on b (c) */ create index concurrently "By N" on "My things" (n)',
    'By N',
    '"My things"',
  ],
  ['create index concurrently by_n on messaging.things (n)', 'by_n', 'messaging.things'],
  ['create index by_n on things (n)', undefined, undefined],
  ['drop index concurrently if exists by_n', undefined, undefined],
  ["alter type status add value 'done'", undefined, undefined],
])('%s builds %s on %s', (text, name, table) => {
  expect(indexBuiltBy(text)).toEqual(name === undefined ? undefined : { name, table });
});
