import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.ts';

// What `npm run audit` runs: asks the registry which of the versions in the lockfile have known vulnerabilities. Only
// what the platform runs with, unless `-- --dev` or other options of pnpm say otherwise.
const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const options = process.argv.length > 2 ? process.argv.slice(2) : ['--prod'];
const { status } = spawnSync('npx', ['--yes', packageManager, 'audit', ...options], { cwd: root, stdio: 'inherit' });
process.exitCode = status ?? 1;
