import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@mostrador/local-platform/paths';

// `npm run audit`: asks the registry for known vulnerabilities of the versions in the lockfile. It checks production
// dependencies, or what the given options of pnpm select (`-- --dev`).
const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const options = process.argv.length > 2 ? process.argv.slice(2) : ['--prod'];
const { status } = spawnSync('npx', ['--yes', packageManager, 'audit', ...options], { cwd: root, stdio: 'inherit' });
process.exitCode = status ?? 1;
