// The first script of `npm start` and `npm test`: installs the dependencies and the right Node when they are missing.
// It runs on the machine's Node (20 or newer), without any dependency.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { withLock } from './lock.mjs';

const neededNode = 24;
const root = resolve(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '../..');
const modules = join(root, 'node_modules');
const stamp = join(modules, '.installed-for');
const node = join(modules, '.bin', 'node');
const noNetwork =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|dns error|error sending request/i;

/** @param {string} text */
const say = (text) => void process.stderr.write(`${text}\n`);

class Failure extends Error {}

/** The files that decide what is installed. */
function manifests() {
  const workspace = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8');
  const listed = /^packages:\n((?: +- .+\n)+)/m.exec(workspace)?.[1] ?? '';
  const folders = [...listed.matchAll(/- ['"]?([^\s'"]+)/g)].flatMap(([, pattern = '']) => {
    if (!pattern.endsWith('/*')) return [pattern];
    const parent = pattern.slice(0, -2);
    return existsSync(join(root, parent)) ? readdirSync(join(root, parent)).map((name) => `${parent}/${name}`) : [];
  });
  const packages = folders.map((folder) => `${folder}/package.json`).filter((file) => existsSync(join(root, file)));
  return ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', ...packages.sort()];
}

function fingerprint() {
  const hash = createHash('sha256');
  // The links of a moved or copied clone point to the old folder, and another platform needs other binaries.
  hash.update(`${root} ${process.platform} ${process.arch}\n`);
  for (const file of manifests()) hash.update(`${file}\n`).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

const isInstalled = () => existsSync(stamp) && existsSync(node) && readFileSync(stamp, 'utf8') === fingerprint();

async function install() {
  if (isInstalled()) return; // another start installed while this one waited
  rmSync(stamp, { force: true });
  if (existsSync(join(modules, '.package-lock.json'))) {
    say('npm created node_modules with a different layout. Deleting it and starting over.');
    rmSync(modules, { recursive: true, force: true });
  }
  say('Installing the dependencies. Later starts install again only when they change.');
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'mostrador');
  const frozen = process.env.CI ? ['--frozen-lockfile'] : [];
  const env = {
    ...process.env,
    npm_config_fetch_retries: process.env.npm_config_fetch_retries ?? '1',
    npm_config_prefer_offline: 'true',
    npm_config_loglevel: 'error',
  };
  const archive = await withLock(
    `pnpm of ${cache}`,
    () => say('Waiting for another start to download pnpm.'),
    () => providePnpm(cache, env),
  );
  await run(
    'npx',
    ['--yes', `--package=${archive}`, 'pnpm', 'install', ...frozen, '--prefer-offline', '--reporter=append-only'],
    {
      ...env,
      // With the defaults, pnpm retries an unreachable registry for minutes without output.
      pnpm_config_fetch_retries: process.env.pnpm_config_fetch_retries ?? '1',
      pnpm_config_fetch_retry_mintimeout: process.env.pnpm_config_fetch_retry_mintimeout ?? '1000',
      pnpm_config_fetch_retry_maxtimeout: process.env.pnpm_config_fetch_retry_maxtimeout ?? '2000',
      pnpm_config_store_dir: join(cache, 'pnpm-store'),
      pnpm_config_confirm_modules_purge: 'false',
      // pnpm's own files stay in the cache folder too.
      XDG_CACHE_HOME: cache,
      XDG_DATA_HOME: join(cache, 'data'),
      XDG_STATE_HOME: join(cache, 'state'),
    },
  );
  ensureNode();
  writeFileSync(stamp, fingerprint());
}

/**
 * The archive of pnpm, downloaded into the cache and compared with the hash in package.json.
 * @param {string} cache
 * @param {NodeJS.ProcessEnv} env
 */
async function providePnpm(cache, env) {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [, version, expected] = /^pnpm@([\d.]+)\+sha512\.([0-9a-f]{128})$/.exec(packageManager) ?? [];
  if (!version) throw new Failure('`packageManager` in package.json must be pnpm@<version>+sha512.<hash>.');
  const archive = join(cache, `pnpm-${version}.tgz`);
  const hash = () => createHash('sha512').update(readFileSync(archive)).digest('hex');
  if (existsSync(archive) && hash() === expected) return archive;
  mkdirSync(cache, { recursive: true });
  await run('npm', ['pack', `pnpm@${version}`, '--silent', '--pack-destination', cache], env);
  if (hash() === expected) return archive;
  rmSync(archive);
  throw new Failure(`pnpm ${version} of the registry is not the pinned one: its SHA-512 differs from package.json.`);
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<void>}
 */
function run(command, args, env) {
  return new Promise((done, fail) => {
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let tail = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        process.stderr.write(chunk);
        tail = (tail + chunk).slice(-20_000);
      });
    }
    child.once('error', (error) =>
      fail(new Failure(`${command} could not be run: ${error.message}. It comes with npm.`)),
    );
    child.once('exit', (code, signal) => {
      if (code === 0) return done();
      if (signal) return fail(new Failure(`${signal} stopped the installation.`));
      fail(
        new Failure(
          noNetwork.test(tail)
            ? 'The package registry cannot be reached, and the first start needs it. Check the network, or set a proxy or mirror in ~/.npmrc.'
            : `The installation failed with exit code ${code}. Its messages are above.`,
        ),
      );
    });
  });
}

/** The lockfile installs Node for the common platforms. On others, the machine's Node is used if it is new enough. */
function ensureNode() {
  if (spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.startsWith(`v${neededNode}.`)) return;
  if (Number(process.versions.node.split('.')[0]) < neededNode) {
    throw new Failure(
      `There is no prebuilt Node ${neededNode} for this platform (${process.platform}-${process.arch}). Install Node ${neededNode} or newer and start again.`,
    );
  }
  mkdirSync(join(modules, '.bin'), { recursive: true });
  rmSync(node, { force: true });
  symlinkSync(process.execPath, node);
}

async function main() {
  if (Number(process.versions.node.split('.')[0]) < 20) {
    throw new Failure(
      `Mostrador needs Node 20 or newer, but this is ${process.version}. See https://nodejs.org/en/download.`,
    );
  }
  if (process.platform === 'win32') {
    throw new Failure(
      'Mostrador runs on Linux and macOS. On Windows use WSL: https://learn.microsoft.com/windows/wsl/install.',
    );
  }
  if (isInstalled()) return;
  await withLock(`install ${root}`, () => say('Waiting for another start to install the dependencies.'), install);
}

main().catch((error) => {
  say(error instanceof Failure ? `\n${error.message}` : error.stack);
  process.exitCode = 1;
});
