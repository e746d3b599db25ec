import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { usersConf } from './users-conf.ts';

// Writes users.conf. A test fails when the file differs from the generated text.
writeFileSync(join(import.meta.dirname, 'users.conf'), usersConf());
