import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../packages/kit/src/process/config.ts';
import { stopSeconds, variablesOf } from '../../packages/platform/src/environment.ts';
import { processes, processNames, serviceNames } from '../../packages/platform/src/processes.ts';
import { configs } from './environment.ts';

// What compose and systemd give to a process is what its configuration reads.
const root = resolve(import.meta.dirname, '../..');
const infra = (path: string): string => readFileSync(join(root, 'infra', path), 'utf8');

const database = 'postgres://user:secret@postgres:5432/mostrador?sslmode=verify-full';
/** What the operator puts into the files of secrets. */
const secrets: Readonly<Record<string, string>> = {
  NATS_URL: 'tls://user:secret@nats:4222',
  DATABASE_URL: database,
  DATABASE_SYSTEM_URL: database,
  DATABASE_OWNER_URL: database,
  ENCRYPTION_KEYS: 'k1:secret',
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mostrador-deployments-'));
  for (const [name, text] of Object.entries(secrets)) writeFileSync(join(folder, name), `${text}\n`);
});
afterAll(() => rmSync(folder, { recursive: true }));

const page = (name: string): string => readFileSync(join(root, `docs/operations/${name}.md`), 'utf8');
/** The settings as an operator of this page makes them: the example, and then the lines that the page appends. */
const settingsOf = (pageName: string, process: string): Record<string, string | undefined> => ({
  ...parseEnv(infra('env/common.env.example')),
  ...parseEnv(/>> \S*common\.env <<'END'\n(.*?)^END$/ms.exec(page(pageName))?.[1] ?? ''),
  ...parseEnv(infra(`env/${process}.env.example`)),
});

describe('the examples of the environment', () => {
  test.each(processNames)('name every variable that %s reads', (process) => {
    const text = infra('env/common.env.example') + infra(`env/${process}.env.example`);
    const named = new Set([...text.matchAll(/^#?([A-Z0-9_]+)=/gm)].map(([, name]) => name));
    const read = variablesOf(process).map(({ name, secret }) => (secret ? `${name}_FILE` : name));
    expect(read.filter((name) => !named.has(name))).toEqual([]);
  });

  test('contain no secret', () => {
    for (const file of readdirSync(join(root, 'infra/env'))) {
      for (const name of Object.keys(parseEnv(infra(`env/${file}`)))) expect(secrets).not.toHaveProperty(name);
    }
  });
});

type Service = {
  readonly image: string;
  readonly profiles?: string[];
  readonly user: string;
  readonly read_only: boolean;
  readonly cap_drop: string[];
  readonly security_opt: string[];
  readonly entrypoint?: string[];
  readonly command: string[];
  readonly environment?: Record<string, string>;
  readonly env_file?: ({ path: string } | string)[];
  readonly secrets?: { source: string; target: string }[];
  readonly volumes?: string[];
  readonly depends_on?: Record<string, { condition: string }>;
  readonly stop_grace_period?: string;
};
type Compose = { readonly services: Record<string, Service>; readonly secrets: Record<string, { file: string }> };

describe('compose.yaml', () => {
  const { services, secrets: declared }: Compose = parse(infra('compose/compose.yaml'));
  const inFolder = (environment: Record<string, string> = {}) =>
    Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [name, value.replace('/run/secrets', folder)]),
    );

  test.each(processNames)('starts %s with an environment that it accepts', (name) => {
    const { entrypoint = [], command, environment, stop_grace_period } = services[name] as Service;
    readConfig(configs[name] as never, { ...settingsOf('compose', name), ...inFolder(environment) });
    expect([...entrypoint, ...command].at(-1)).toBe(processes[name].program);
    expect(stop_grace_period).toBe(`${stopSeconds(name)}s`);
  });

  test.each(serviceNames)('migrates %s as the owner, before it starts', (name) => {
    const { command, environment, secrets: given } = services[`migrate-${name}`] as Service;
    readConfig(configs.migrate as never, inFolder(environment));
    expect(command).toEqual([processes[name].migrateProgram]);
    expect(given).toEqual([{ source: `${name}-migrate-DATABASE_OWNER_URL`, target: 'DATABASE_OWNER_URL' }]);
    expect(services[name]?.depends_on?.[`migrate-${name}`]?.condition).toBe('service_completed_successfully');
  });

  test.each(Object.entries(services))('confines %s', (_, service) => {
    expect(service.user).toBe('10001:10001');
    expect(service.read_only).toBe(true);
    expect(service.cap_drop).toEqual(['ALL']);
    expect(service.security_opt).toEqual(['no-new-privileges:true']);
  });

  test.each(Object.entries(services))('gives %s only what it declares, and what is there', (name, service) => {
    for (const { source, target } of service.secrets ?? []) {
      expect(declared[source]?.file).toMatch(new RegExp(`^\\./secrets/[a-z-]+/${target}$`));
      if ((processNames as readonly string[]).includes(name)) expect(source).toBe(`${name}-${target}`);
    }
    expect(Object.keys(service.depends_on ?? {}).filter((other) => !(other in services))).toEqual([]);
    const made = /^\.\/(data|env|secrets|tls)\b/;
    const mounted = (service.volumes ?? []).map((volume) => volume.split(':')[0] as string);
    expect(mounted.filter((path) => !made.test(path) && !existsSync(join(root, 'infra/compose', path)))).toEqual([]);
  });

  test('has the admin command, which starts only when it is asked for', () => {
    const { profiles, environment = {}, volumes, command, env_file } = services.admin as Service;
    expect(profiles).toEqual(['admin']);
    expect(command).toBeUndefined();
    expect(env_file).toEqual([{ path: './env/common.env' }]);
    expect(volumes).toContain('./secrets:/run/mostrador:ro');
    expect(environment).toMatchObject({
      NATS_URL_FILE: '/run/mostrador/admin/NATS_URL',
      POSTGRES_URL_FILE: '/run/mostrador/postgres/POSTGRES_URL',
    });
    const given = Object.entries(environment).map(([name, value]) => [
      name,
      value
        .replace('/run/mostrador/admin', folder)
        .replace('/run/mostrador/postgres/POSTGRES_URL', `${folder}/DATABASE_URL`),
    ]);
    readConfig(configs.admin as never, { ...settingsOf('compose', 'gateway'), ...Object.fromEntries(given) });
  });

  test.each(Object.entries(services))('gives %s no key of another server', (name, { volumes = [] }) => {
    const keys = volumes.filter((volume) => /^\.\/tls(\/\w+\.key)?:/.test(volume));
    expect(keys).toEqual(volumes.filter((volume) => volume.startsWith(`./tls/${name}.key:`)));
  });

  test.each([...processNames, 'temporal', 'admin'])('gives %s the CAs of other servers', (name) => {
    expect(services[name]?.volumes).toContain('./tls/authorities:/run/tls/authorities:ro');
    expect(page('compose')).toContain('TEMPORAL_TLS_CA=/run/tls/authorities/temporal.pem');
  });

  test('passes no secret in a variable', () => {
    for (const { environment = {} } of Object.values(services)) {
      for (const name of Object.keys(environment)) expect(secrets).not.toHaveProperty(name);
    }
  });
});

describe('the systemd units', () => {
  const files = readdirSync(join(root, 'infra/systemd'));
  const valuesOf = (unit: string, key: string) =>
    [...infra(`systemd/${unit}`).matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);
  const environmentOf = (unit: string) =>
    parseEnv(
      valuesOf(unit, 'Environment').join(' ').replaceAll('%d', folder).replaceAll('%C', '/cache').split(' ').join('\n'),
    );

  test.each(processNames)('start %s with an environment that it accepts', (name) => {
    const unit = `mostrador-${name}.service`;
    readConfig(configs[name] as never, { ...environmentOf(unit), ...settingsOf('systemd', name) });
    expect(valuesOf(unit, 'ExecStart')[0]?.split(' ').at(-1)).toBe(processes[name].program);
    expect(valuesOf(unit, 'TimeoutStopSec')).toEqual([`${stopSeconds(name)}s`]);
    for (const credential of valuesOf(unit, 'LoadCredential')) {
      expect(credential).toMatch(new RegExp(`^(\\w+):/etc/mostrador/secrets/${name}/\\1$`));
    }
  });

  test.each([
    ['migrate', []],
    ['contract', ['--contract']],
  ])('%s each schema as its owner', (step, options) => {
    const unit = `mostrador-${step}@.service`;
    readConfig(configs.migrate as never, environmentOf(unit));
    expect(valuesOf(unit, 'LoadCredential')).toEqual([
      'DATABASE_OWNER_URL:/etc/mostrador/secrets/%i-migrate/DATABASE_OWNER_URL',
    ]);
    const [, program = '', ...others] = valuesOf(unit, 'ExecStart')[0]?.split(' ') ?? [];
    expect(others).toEqual(options);
    for (const name of serviceNames) expect(existsSync(join(root, program.replace('%i', name)))).toBe(true);
  });

  const analyze = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' });
  test.skipIf(analyze('--version').status !== 0)('are valid and confined, says systemd-analyze', () => {
    const units = join(folder, 'units');
    const program = join(folder, 'opt/node_modules/.bin/node');
    for (const path of [units, dirname(program)]) mkdirSync(path, { recursive: true });
    writeFileSync(program, '', { mode: 0o755 });
    for (const file of files) {
      writeFileSync(join(units, file), infra(`systemd/${file}`).replaceAll('/opt/mostrador', join(folder, 'opt')));
    }
    const named = files.map((file) => join(units, file.replace('@', '@crm')));
    for (const file of files) writeFileSync(join(units, file.replace('@', '@crm')), readFileSync(join(units, file)));
    const verified = analyze('verify', '--man=no', ...named);
    expect(`${verified.stdout}${verified.stderr}`).toBe('');
    for (const file of files.filter((name) => name.endsWith('.service'))) {
      const rated = analyze('security', '--offline=true', '--threshold=20', '--no-pager', join(units, file));
      expect(rated.stdout).toMatch(/Overall exposure level/);
      expect(rated.status, file).toBe(0);
    }
  });
});
