import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheDirectory, root } from '@mostrador/local-platform/paths';
import { sh } from './shell.ts';

const suite = 'trixie';
const baseImage = 'localhost/mostrador/debian:13-slim';
const nodeImage = 'localhost/mostrador/node:24-trixie-slim';
/** Where a machine keeps the certificates that its programs trust, those of its own network too. */
const certificates = '/etc/ssl/certs/ca-certificates.crt';
/** The console's build opens a thousand files at once, and buildah's limit is 1,024. */
const openFiles = 'nofile=16384:16384';

/** The name of a built image. */
export const imageOf = (target: string): string => `localhost/mostrador/${target}`;

/**
 * Builds the targets of the Dockerfile with buildah, without a container engine and without a registry of images. The two
 * base images that the Dockerfile otherwise takes from there are made here: Debian by mmdebstrap, and Debian with Node and
 * npm. `--timestamp` makes the layers of the same files the same.
 */
export async function buildImages(
  targets: readonly string[],
  build: { readonly version: string; readonly revision: string },
  say: (text: string) => void,
  verbose: boolean,
): Promise<void> {
  const log = verbose ? (line: string) => say(`  ${line.slice(0, 200)}`) : undefined;
  if (!(await exists(baseImage))) await makeBase(say);
  if (!(await exists(nodeImage))) await makeNode(say);
  for (const target of targets) {
    say(`building ${target}`);
    await sh(
      'buildah',
      [
        ...[
          'bud',
          '--isolation',
          'chroot',
          '--ulimit',
          openFiles,
          '--layers',
          '--timestamp',
          '0',
          '--file',
          join(root, 'infra/images/Dockerfile'),
        ],
        ...['--build-arg', `BASE_IMAGE=${baseImage}`, '--build-arg', `NODE_IMAGE=${nodeImage}`],
        ...['--build-arg', `VERSION=${build.version}`, '--build-arg', `REVISION=${build.revision}`],
        ...['--target', target, '--tag', imageOf(target), root],
      ],
      log,
    );
  }
}

const exists = (image: string): Promise<boolean> =>
  sh('buildah', ['images', '--quiet', image]).then(
    (id) => id !== '',
    () => false,
  );

async function makeBase(say: (text: string) => void): Promise<void> {
  const folder = join(cacheDirectory(process.env), 'images');
  const archive = join(folder, `debian-${suite}.tar`);
  if (!existsSync(archive)) {
    say('making Debian with mmdebstrap, once (one to three minutes)');
    mkdirSync(folder, { recursive: true });
    // As the slim image of Debian: without pages of manuals and translations, with the licences.
    const paths = ['exclude=/usr/share/man/*', 'exclude=/usr/share/doc/*', 'include=/usr/share/doc/*/copyright'];
    const options = [...paths, 'exclude=/usr/share/locale/*'].map((path) => `--dpkgopt=path-${path}`);
    const unfinished = `${archive}.${process.pid}`;
    await sh('mmdebstrap', [
      ...['--variant=minbase', '--format=tar', '--include=ca-certificates', ...options],
      ...['--aptopt=Acquire::Languages "none"', suite, unfinished],
    ]);
    renameSync(unfinished, archive);
  }
  await withContainer('scratch', async (container) => {
    await sh('buildah', ['add', '--quiet', container, archive, '/']);
    await sh('buildah', ['commit', '--quiet', container, baseImage]);
  });
}

async function makeNode(say: (text: string) => void): Promise<void> {
  say('making the image with Node and npm');
  const folder = mkdtempSync(join(tmpdir(), 'mostrador-npm-'));
  try {
    await sh('npm', ['install', '--silent', '--global', '--prefix', folder, 'npm@11']);
    await withContainer(baseImage, async (container) => {
      await sh('buildah', ['copy', '--quiet', container, folder, '/usr/local']);
      await sh('buildah', ['copy', '--quiet', container, process.execPath, '/usr/local/bin/node']);
      if (existsSync(certificates)) {
        await sh('buildah', ['copy', '--quiet', container, certificates, certificates]);
        const variables = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'].flatMap((name) => [
          '--env',
          `${name}=${certificates}`,
        ]);
        await sh('buildah', ['config', ...variables, container]);
      }
      await sh('buildah', ['commit', '--quiet', container, nodeImage]);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A container of an image, which is removed afterwards. */
export async function withContainer<T>(image: string, work: (container: string) => Promise<T>): Promise<T> {
  const container = await sh('buildah', ['from', '--pull=false', image]);
  try {
    return await work(container);
  } finally {
    await sh('buildah', ['rm', container]);
  }
}
