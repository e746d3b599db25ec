import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '@mostrador/local-platform/paths';
import { build as buildOfCheckout } from '../../packages/kit/src/process/build.ts';
import { findOnPath } from '../../packages/local-platform/src/servers/find-on-path.ts';
import { portsOf } from '../../packages/platform/src/environment.ts';
import { type ProcessName, processNames } from '../../packages/platform/src/processes.ts';
import { runCommand, skippedCode } from '../../packages/testing/src/command.ts';
import { buildImages, imageOf, withContainer } from './build-images.ts';
import { configFaults, configOf } from './image-config.ts';
import { dockerfileFaults } from './lint.ts';
import type { MountedImage } from './run-images.ts';
import { sh } from './shell.ts';
import { tryImages } from './try-images.ts';

type Target = ProcessName | 'admin';
const targets: readonly Target[] = [...processNames, 'admin'];
/** The size in megabytes that an image may have. The worker has Temporal's native library and the bundler. */
const sizeLimit = (target: Target): number => (target === 'workflows' ? 450 : 250);

/** The smallest image has four times as many libraries. */
const fewestParts = 20;

const help = `Usage: npm run images [-- --only NAMES] [--verbose] [--json]

Builds the images of infra/images/Dockerfile without a container engine, and checks each: size, user, port, labels, a
list of its parts. Then it starts every process in its image, read-only and without privileges, against servers of this
machine, and takes an appointment through all of them.

  --only NAMES  builds and checks some, and starts none: ${targets.join(', ')}
  --verbose     shows the steps of the builds
  --json        prints the result as JSON
  --help        show this text

The images are in buildah's storage as localhost/mostrador/<name>: \`buildah push\` takes them to a registry.
Needs root on Linux, buildah, mmdebstrap and Python 3.10. The first run takes some ten minutes, later ones two.
Exit codes: 0 all are right; 1 some are not; 2 wrong usage; ${skippedCode} skipped, because a tool is missing.`;

type Settings = { readonly chosen: readonly Target[]; readonly all: boolean; verbose: boolean; json: boolean };

function settingsOf(argv: readonly string[]): Settings | undefined {
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    args: [...argv],
    options: { only: { type: 'string' }, verbose: flag, json: flag, help: flag },
  });
  if (values.help) return undefined;
  const names = values.only?.split(',') ?? targets;
  const unknown = names.filter((name) => !(targets as readonly string[]).includes(name));
  if (unknown.length > 0) throw new Error(`There is no image ${unknown.join(', ')}.`);
  const { verbose, json } = values;
  return { chosen: targets.filter((target) => names.includes(target)), all: values.only === undefined, verbose, json };
}

const startedAt = performance.now();
const say = (text: string) =>
  void process.stderr.write(`[${((performance.now() - startedAt) / 1000).toFixed(1).padStart(7)} s] ${text}\n`);

/** What this machine lacks. */
const missing = (): string[] => [
  ...['buildah', 'mmdebstrap', 'unshare', 'python3'].filter((tool) => !findOnPath(tool, process.env)),
  ...(process.getuid?.() === 0 ? [] : ['root']),
];

type Checked = { readonly mb: number; readonly faults: string[] };

async function main({ chosen, all, verbose, json }: Settings): Promise<number> {
  const lacks = missing();
  if (lacks.length > 0) {
    console.log(`the images are skipped, because this machine lacks: ${lacks.join(' ')}`);
    return skippedCode;
  }
  const { version } = buildOfCheckout();
  const build = { version, revision: await sh('git', ['-C', root, 'rev-parse', 'HEAD']) };
  const faults = await dockerfileFaults();
  await buildImages(chosen, build, say, verbose);
  return mounted(chosen, async (images) => {
    const checked: Partial<Record<Target, Checked>> = {};
    for (const target of chosen) checked[target] = await check(target, images[target], build);
    const { readyMs, faults: found } = all ? await tryImages(images, build, say) : { readyMs: {}, faults: [] };
    faults.push(
      ...found,
      ...chosen.flatMap((target) => checked[target]?.faults.map((each) => `${target}: ${each}`) ?? []),
    );
    const sizes = Object.entries(checked).map(([name, { mb }]) => [name, mb]);
    const report = { ...build, megabytes: Object.fromEntries(sizes), start_ms: readyMs, faults };
    mkdirSync(join(root, '.local'), { recursive: true });
    writeFileSync(join(root, '.local/images.json'), JSON.stringify(report, null, 2));
    if (json) console.log(JSON.stringify(report, null, 2));
    else print(report);
    return faults.length === 0 ? 0 : 1;
  });
}

/** Mounts the images while `work` runs. */
async function mounted<T>(
  chosen: readonly Target[],
  work: (images: Record<Target, MountedImage>) => Promise<T>,
  images: Partial<Record<Target, MountedImage>> = {},
): Promise<T> {
  const [target, ...rest] = chosen;
  if (target === undefined) return work(images as Record<Target, MountedImage>);
  return withContainer(imageOf(target), async (container) => {
    const folder = await sh('buildah', ['mount', container]);
    return mounted(rest, work, { ...images, [target]: { folder, config: await configOf(imageOf(target)) } });
  });
}

async function check(
  target: Target,
  { folder, config }: MountedImage,
  build: { version: string; revision: string },
): Promise<Checked> {
  const ports = target === 'admin' ? [] : portsOf(target);
  const faults = configFaults(config, { ports, ...build });
  const mb = Math.round(Number((await sh('du', ['-s', '--apparent-size', '-B1', folder])).split('\t')[0]) / 1e6);
  if (mb > sizeLimit(target)) faults.push(`it has ${mb} MB, and may have ${sizeLimit(target)} MB`);
  const writable = await sh('find', [
    `${folder}/app`,
    '!',
    '-type',
    'l',
    '(',
    '!',
    '-user',
    'root',
    '-o',
    '-perm',
    '/022',
    ')',
  ]);
  if (writable !== '') faults.push(`users other than root may write ${writable.split('\n').slice(0, 3).join(', ')}`);
  const { components } = JSON.parse(readFileSync(join(folder, 'app/sbom.cdx.json'), 'utf8')) as {
    components: unknown[];
  };
  if (components.length < fewestParts) faults.push(`its list of parts has ${components.length}`);
  return { mb, faults };
}

function print(report: {
  megabytes: Record<string, number>;
  start_ms: Record<string, number>;
  faults: string[];
}): void {
  console.log('image         megabytes   start in ms');
  for (const [name, mb] of Object.entries(report.megabytes)) {
    console.log(`${name.padEnd(12)}  ${String(mb).padStart(9)}   ${String(report.start_ms[name] ?? '').padStart(11)}`);
  }
  console.log(report.faults.length === 0 ? 'All images are right.' : `\n${report.faults.join('\n')}`);
}

process.exitCode = await runCommand(process.argv.slice(2), help, settingsOf, main);
