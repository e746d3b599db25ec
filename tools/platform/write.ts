import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { generatedFiles } from './generated.ts';

// Writes what is made from the description of the platform. A test fails when a file differs from the generated text.
const root = resolve(import.meta.dirname, '../..');
for (const [path, text] of Object.entries(generatedFiles())) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
