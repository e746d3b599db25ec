import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { referencePages } from './pages.ts';

for (const [name, text] of Object.entries(referencePages())) writeFileSync(join(import.meta.dirname, name), text);
