import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@mostrador/local-platform/paths';
import { run } from '../../clients/run.ts';
import { generateTypescript, sdkFolder } from './generate.ts';

/** Writes the npm package to `packages/sdk/dist`. Its compilation knows no Node types, so the SDK uses none of Node's modules. */
export async function buildTypescript(): Promise<string> {
  await generateTypescript();
  const folder = join(sdkFolder, 'dist');
  rmSync(folder, { recursive: true, force: true });
  await run(join(root, 'node_modules/.bin/tsc'), ['--project', 'tsconfig.json'], { cwd: sdkFolder });
  // TypeScript rewrites the extensions of imports in the code only.
  for (const file of globSync(join(folder, '**/*.d.ts')))
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.[^']+)\.ts'/g, "$1.js'"));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
  cpSync(join(sdkFolder, 'README.md'), join(folder, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  return folder;
}

/** The manifest of the workspace, with the files of the package and the version in the catalog. */
function manifest(): object {
  const { exports: _, dependencies, ...rest } = JSON.parse(readFileSync(join(sdkFolder, 'package.json'), 'utf8'));
  const catalog = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8');
  const versionOf = (name: string) => new RegExp(`^  ${name}: ([\\d.]+)`, 'm').exec(catalog)?.[1];
  return {
    ...rest,
    types: './index.d.ts',
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    dependencies: Object.fromEntries(Object.keys(dependencies).map((name) => [name, `^${versionOf(name)}`])),
  };
}
