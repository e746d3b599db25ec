import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { generatedFiles } from './generated.ts';

const root = resolve(import.meta.dirname, '../..');

test.each(Object.entries(generatedFiles()))(
  '%s is current: run tools/platform/write.ts after a change',
  (path, text) => {
    expect(readFileSync(join(root, path), 'utf8')).toBe(text);
  },
);
