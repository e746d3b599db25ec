import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@mostrador/local-platform/paths';
import { run } from '../../clients/run.ts';
import { releaseVersion } from '../version.ts';
import { generateTypescript, sdkFolder } from './generate.ts';

export type NpmPackage = {
  /** The folder that is packed. */
  readonly folder: string;
  /** The file that `npm install` and `npm publish` take. */
  readonly file: string;
};

/** Writes the npm package to `packages/sdk/dist`. Its compilation knows no Node types, so the SDK uses none of Node's modules. */
export async function buildTypescript(): Promise<NpmPackage> {
  await generateTypescript();
  const dist = join(sdkFolder, 'dist');
  const folder = join(dist, 'package');
  rmSync(dist, { recursive: true, force: true });
  await run(join(root, 'node_modules/.bin/tsc'), ['--project', 'tsconfig.json'], { cwd: sdkFolder });
  // TypeScript rewrites the extensions of imports in the code only.
  for (const file of globSync(join(folder, '**/*.d.ts')))
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replaceAll(/((?:from |import\()['"]\.[^'"]+)\.ts(['"])/g, '$1.js$2'),
    );
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
  cpSync(join(sdkFolder, 'README.md'), join(folder, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  await run('npm', ['pack', '--silent', '--pack-destination', dist, folder], { cwd: dist });
  const [file = ''] = globSync(join(dist, '*.tgz'));
  return { folder, file };
}

/** The manifest of the workspace, with the version of the repository and the files of the package. */
function manifest(): object {
  const source = JSON.parse(readFileSync(join(sdkFolder, 'package.json'), 'utf8'));
  const { name, devDependencies: _, ...rest } = source;
  const exports = { '.': { types: './index.d.ts', default: './index.js' } };
  return { name, version: releaseVersion(), ...rest, types: './index.d.ts', exports };
}
