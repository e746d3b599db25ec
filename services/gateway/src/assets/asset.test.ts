import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contentCodings } from '../http/content-coding.ts';
import { createAsset } from './asset.ts';

const source = readFileSync(join(import.meta.dirname, '../languages/pt-br-errors.ts'));

test('a file is compressed once for each coding, and no coding makes it larger than gzip does', async () => {
  const asset = createAsset('text/javascript; charset=utf-8', source);
  const gzip = await asset.in('gzip');
  for (const coding of contentCodings) {
    const coded = await asset.in(coding);
    expect(coded.length, coding).toBeLessThanOrEqual(gzip.length);
    expect(await asset.in(coding)).toBe(coded);
  }
});
