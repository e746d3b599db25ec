import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { usersConf } from './users-conf.ts';

// Writes users.conf. A test fails while it is not what this would write.
writeFileSync(join(import.meta.dirname, 'users.conf'), usersConf());
