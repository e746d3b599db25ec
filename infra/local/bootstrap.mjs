// The first script of `npm start` and `npm test`: makes the dependencies and the right Node be there, and otherwise gets
// out of the way. It runs on whatever Node the machine has (20 or newer) and uses nothing that is not in it.
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
  // A clone that was moved or copied has links that lead elsewhere; another platform needs other binaries.
  hash.update(`${root} ${process.platform} ${process.arch}\n`);
  for (const file of manifests()) hash.update(`${file}\n`).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

const isInstalled = () => existsSync(stamp) && existsSync(node) && readFileSync(stamp, 'utf8') === fingerprint();

async function install() {
  if (isInstalled()) return; // another start did it while this one waited
  rmSync(stamp, { force: true });
  if (existsSync(join(modules, '.package-lock.json'))) {
    say('node_modules was made by npm, which lays it out differently: starting over.');
    rmSync(modules, { recursive: true, force: true });
  }
  say('Installing dependencies; this is done again only when they change.');
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'mostrador');
  const frozen = process.env.CI ? ['--frozen-lockfile'] : [];
  await run('npx', ['--yes', packageManager, 'install', ...frozen, '--prefer-offline', '--reporter=append-only'], {
    ...process.env,
    npm_config_fetch_retries: process.env.npm_config_fetch_retries ?? '1',
    npm_config_prefer_offline: 'true',
    npm_config_loglevel: 'error',
    // The defaults try an unreachable registry for minutes, without a word.
    pnpm_config_fetch_retries: process.env.pnpm_config_fetch_retries ?? '1',
    pnpm_config_fetch_retry_mintimeout: process.env.pnpm_config_fetch_retry_mintimeout ?? '1000',
    pnpm_config_fetch_retry_maxtimeout: process.env.pnpm_config_fetch_retry_maxtimeout ?? '2000',
    pnpm_config_store_dir: join(cache, 'pnpm-store'),
    pnpm_config_confirm_modules_purge: 'false',
    // What pnpm keeps for itself stays in the cache folder too.
    XDG_CACHE_HOME: cache,
    XDG_DATA_HOME: join(cache, 'data'),
    XDG_STATE_HOME: join(cache, 'state'),
  });
  ensureNode();
  writeFileSync(stamp, fingerprint());
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
      if (signal) return fail(new Failure(`The installation was stopped by ${signal}.`));
      fail(
        new Failure(
          noNetwork.test(tail)
            ? 'The package registry cannot be reached. The first start needs it (a proxy or mirror is set in ~/.npmrc); later ones do not.'
            : `The installation failed with exit code ${code}; its own messages are above.`,
        ),
      );
    });
  });
}

/** The lockfile brings Node for the common platforms; elsewhere the machine's own serves when it is new enough. */
function ensureNode() {
  if (spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.startsWith(`v${neededNode}.`)) return;
  if (Number(process.versions.node.split('.')[0]) < neededNode) {
    throw new Failure(
      `There is no ready-made Node ${neededNode} for this platform (${process.platform}-${process.arch}). Install Node ${neededNode} or newer and start again.`,
    );
  }
  mkdirSync(join(modules, '.bin'), { recursive: true });
  rmSync(node, { force: true });
  symlinkSync(process.execPath, node);
}

async function main() {
  if (Number(process.versions.node.split('.')[0]) < 20) {
    throw new Failure(`This needs Node 20 or newer; here is ${process.version}. See https://nodejs.org/en/download.`);
  }
  if (process.platform === 'win32') {
    throw new Failure(
      'This runs on Linux and macOS. On Windows use WSL: https://learn.microsoft.com/windows/wsl/install.',
    );
  }
  if (isInstalled()) return;
  await withLock(`install ${root}`, () => say('Waiting for another start that installs the dependencies.'), install);
}

main().catch((error) => {
  say(error instanceof Failure ? `\n${error.message}` : error.stack);
  process.exitCode = 1;
});
