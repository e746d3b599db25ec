import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessSpec } from '@mostrador/local-platform/children';
import { natsUrlOf } from '@mostrador/local-platform/secrets';
import { ownRoleUrl } from '@mostrador/local-platform/servers/role-passwords';
import { type ServiceOptions, serviceSpec } from '@mostrador/local-platform/services';
import { portsOf } from '../../packages/platform/src/environment.ts';
import { type ProcessName, processes, type ServiceName } from '../../packages/platform/src/processes.ts';
import { ownerRoleOf } from '../../packages/platform/src/servers.ts';
import { environmentOf, type ImageConfig } from './image-config.ts';

/** An image whose file system is mounted. */
export type MountedImage = { readonly folder: string; readonly config: ImageConfig };

/** The command that runs the command of an image, or its entry point with other arguments, in its file system. */
function commandIn(image: MountedImage, args?: readonly string[]): { command: string; args: string[] } {
  const { User = '', WorkingDir = '/', Entrypoint = [], Cmd = [] } = image.config;
  const script = join(import.meta.dirname, 'in-image.sh');
  const own = [...Entrypoint, ...(args ?? Cmd)];
  return { command: 'unshare', args: ['--mount', script, image.folder, User, WorkingDir, ...own] };
}

/** A process of the platform in its image, with the settings of `npm start` where the image has none. */
export function specIn(name: ProcessName, image: MountedImage, options: ServiceOptions): ProcessSpec {
  const spec = serviceSpec(name, { ...options, env: {} });
  const { EXAMPLE_IDS_FILE: _, NODE_COMPILE_CACHE: __, ...settings } = spec.env ?? {};
  const ports = portsOf(name).map(({ variable }) => [variable, settings[variable]]);
  return {
    ...spec,
    ...commandIn(image),
    env: { ...settings, ...environmentOf(image.config), ...Object.fromEntries(ports) },
  };
}

/** The migrate command in the image of its service. */
export const migrateIn = (name: ServiceName, image: MountedImage, { databaseUrl, password }: ServiceOptions) => ({
  ...commandIn(image, [processes[name].migrateProgram ?? '']),
  env: { ...environmentOf(image.config), DATABASE_OWNER_URL: ownRoleUrl(databaseUrl, ownerRoleOf(name), password) },
});

/** The admin command in its image. */
export const adminIn = (line: string, image: MountedImage, { natsUrl, password }: ServiceOptions) => ({
  ...commandIn(image, [...line.split(' '), '--json']),
  env: { ...environmentOf(image.config), NATS_URL: natsUrlOf('admin', natsUrl, password) },
});

/** What a running process may do that one in a container must not. */
export function privilegesOf(pid: number): string[] {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const lineOf = (name: string) => new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(status)?.[1] ?? '';
  const root = readFileSync(`/proc/${pid}/mounts`, 'utf8')
    .split('\n')
    .filter((line) => line.split(' ')[1] === '/');
  return [
    ...(/\b0\b/.test(lineOf('Uid')) ? ['runs as root'] : []),
    ...(/^0+$/.test(lineOf('CapEff')) ? [] : ['has capabilities']),
    ...(lineOf('NoNewPrivs') === '1' ? [] : ['may gain privileges']),
    ...(root.at(-1)?.split(' ')[3]?.split(',').includes('ro') ? [] : ['may write to its file system']),
  ];
}
