import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Which build of the platform this is. */
export type Build = {
  /** The release, `0.2.0`. Between releases the last one. */
  readonly version: string;
  /** The commit, or `unknown` where a checkout runs. */
  readonly revision: string;
};

const root = join(import.meta.dirname, '../../../..');
let read: Build | undefined;

/**
 * The build of this process. The version stands in the root's `package.json` alone. An image also has the file
 * `REVISION` there. It is a file, because a variable could be set to something else where the image runs.
 */
export function build(): Build {
  read ??= readBuild(root);
  return read;
}

/** The build of the platform in a folder. */
export function readBuild(folder: string): Build {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  return { version, revision: readRevision(folder) || 'unknown' };
}

/** The build in one line, as `--version` prints it. */
export const buildText = ({ version, revision }: Build): string => `mostrador ${version} (revision ${revision})`;

function readRevision(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, 'REVISION'), 'utf8').trim();
  } catch {
    return undefined;
  }
}
