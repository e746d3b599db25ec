import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@mostrador/local-platform/paths';

/** The version of this repository, which its SDKs have too. */
export const releaseVersion = (): string => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
