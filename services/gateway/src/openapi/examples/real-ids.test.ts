import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ids } from './optician.ts';
import { withRealIds } from './real-ids.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ids-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('ids of the file replace those of the examples, and nothing that is no UUID does', () => {
  const file = join(folder, 'ids.json');
  const lead = '0198c1f4-0000-7000-8000-000000000001';
  writeFileSync(file, JSON.stringify({ lead, seller: '"}', nothing: lead }));
  const text = JSON.stringify({ lead: ids.lead, path: `/leads/${ids.lead}`, seller: ids.seller });
  expect(JSON.parse(withRealIds(text, file))).toEqual({ lead, path: `/leads/${lead}`, seller: ids.seller });
});

test('without a file the examples stay as they are', () => {
  expect(withRealIds(ids.lead, undefined)).toBe(ids.lead);
  expect(withRealIds(ids.lead, join(folder, 'none.json'))).toBe(ids.lead);
});
