import { spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type Child, createChildren, type ProcessSpec, untilReady } from '@mostrador/local-platform/children';
import { freePort, portsFrom } from '@mostrador/local-platform/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkLead, type Operation } from '../../packages/contracts/src/index.ts';
import { createRpcClient } from '../../packages/kit/src/rpc/client.ts';
import { AppError } from '../../packages/kit/src/rpc/errors.ts';
import { connectNats } from '../../packages/kit/src/rpc/nats.ts';
import { createRpcServer } from '../../packages/kit/src/rpc/server.ts';
import { silentLog, testContext } from '../../packages/testing/src/context.ts';
import { createTestDatabase, onServer } from '../../packages/testing/src/servers/database.ts';

// Follows docs/guides/adding-a-service.md literally, in a copy of the parts of the platform that it changes.
const root = resolve(import.meta.dirname, '../..');
const guide = readFileSync(join(import.meta.dirname, 'adding-a-service.md'), 'utf8');
const copy = realpathSync(mkdtempSync(join(tmpdir(), 'mostrador-guide-')));
const inCopy = (path: string) => join(copy, path);
const ofCopy = <Module>(path: string): Promise<Module> => import(inCopy(path));

/** The blocks of the guide, each with the file that the text before it names last. */
const blocks = [...guide.matchAll(/(.*?)^```(\w+)\n(.*?)^```/gms)].map(([, before = '', language = '', text = '']) => ({
  language,
  text,
  file:
    [...before.matchAll(/`((?:apps|infra|packages|services|tests|tools)\/[^`]+(?:\.\w+|Dockerfile))`/g)].at(-1)?.[1] ??
    '',
}));

/** The text with a diff applied. Each part of the diff must fit exactly one place. */
function patched(text: string, diff: string, file: string): string {
  return diff.split(/^@@\n/m).reduce((current, part) => {
    const lines = part.split('\n').filter((line) => line !== '');
    const side = (sign: '-' | '+') =>
      lines.flatMap((line) => (line.startsWith(sign) || line.startsWith(' ') ? [`${line.slice(1)}\n`] : [])).join('');
    expect(current.split(side('-')).length - 1, `${file} has this once:\n${side('-')}`).toBe(1);
    return current.replace(side('-'), () => side('+'));
  }, text);
}

/** Copies what the guide changes and what must find it there, and links the rest. */
function copyPlatform(): void {
  for (const folder of [
    'packages/contracts',
    'packages/local-platform',
    'packages/platform',
    'services/gateway',
    'infra',
  ]) {
    cpSync(join(root, folder), inCopy(folder), { recursive: true, verbatimSymlinks: true });
  }
  const link = (path: string) => symlinkSync(join(root, path), inCopy(path));
  for (const folder of ['packages', 'services']) {
    for (const name of readdirSync(join(root, folder)))
      if (!existsSync(inCopy(`${folder}/${name}`))) link(`${folder}/${name}`);
  }
  for (const name of ['node_modules', 'package.json', 'tsconfig.json']) link(name);
}

/** Links what the package of the service names, as pnpm does. */
function installService(): void {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(inCopy('services/loyalty/package.json'), 'utf8'));
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    const target =
      version === 'workspace:*' ? name.replace('@mostrador', 'packages') : `packages/kit/node_modules/${name}`;
    const place = inCopy(`services/loyalty/node_modules/${name}`);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(inCopy(target), place);
  }
}

function run(command: string, ...args: string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: copy, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed\n${`${stdout}${stderr}`.slice(0, 3000)}`);
}

/** Each block in the order of the page. */
function followGuide(): void {
  for (const { language, file, text } of blocks) {
    const place = inCopy(file);
    if (language === 'sh') run('sh', '-ec', text);
    if (language === 'diff') {
      const current = readFileSync(existsSync(place) ? place : join(root, file), 'utf8');
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(place, patched(current, text, file));
    }
    if (language === 'ts' || language === 'json') {
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(place, text, { flag: 'wx' });
    }
    if (language === 'sql') appendFileSync(place, `\n${text}`);
  }
}

copyPlatform();
followGuide();
installService();

const serverUrl = process.env.TEST_POSTGRES_URL ?? '';
const password = decodeURIComponent(new URL(serverUrl).password);
const earlierTemplate = process.env.TEST_TEMPLATE_DATABASE ?? '';
const template = `template_loyalty_${randomBytes(6).toString('hex')}`;
const templateUrl = (role: string) =>
  Object.assign(new URL(serverUrl), { username: role, pathname: `/${template}` }).href;

// The databases of the tests below have the roles and the schema of the service, too.
beforeAll(async () => {
  await onServer(serverUrl, (sql) => sql`create database ${sql(template)} template ${sql(earlierTemplate)}`);
  const { createRoles } = await ofCopy<typeof import('../../infra/postgres/roles.ts')>('infra/postgres/roles.ts');
  await onServer(templateUrl('postgres'), (sql) => createRoles(sql, { database: template, password }));
  const { migrateSchemas } = await ofCopy<typeof import('../../packages/local-platform/src/migrations.ts')>(
    'packages/local-platform/src/migrations.ts',
  );
  await migrateSchemas((schema) => templateUrl(`${schema}_owner`), { info: () => {} });
  process.env.TEST_TEMPLATE_DATABASE = template;
});
afterAll(async () => {
  process.env.TEST_TEMPLATE_DATABASE = earlierTemplate;
  await onServer(serverUrl, async (sql) => {
    await sql`drop database if exists ${sql(template)} with (force)`;
    for (const role of ['loyalty', 'loyalty_system', 'loyalty_owner']) await sql`drop role if exists ${sql(role)}`;
  });
  rmSync(copy, { recursive: true, force: true });
});

test('every file and folder that the guide names exists', () => {
  const named = [...guide.matchAll(/`((?:apps|docs|infra|packages|services|tests|tools)\/[^`\s]+)`/g)].map(
    ([, path = '']) => path,
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((path) => !existsSync(join(root, path)) && !existsSync(inCopy(path)))).toEqual([]);
});

test('the platform with the service compiles', () => {
  const include = [
    'services/loyalty',
    ...['service-presence.ts', 'openapi/examples/index.ts'].map((file) => `services/gateway/src/${file}`),
    ...['infra/nats/users.ts', 'packages/local-platform/src/services.ts'],
  ];
  writeFileSync(inCopy('tsconfig.guide.json'), JSON.stringify({ extends: './tsconfig.json', include }));
  run('node_modules/.bin/tsc', '--noEmit', '--project', 'tsconfig.guide.json');
});

describe('the tests of the service', async () => {
  for (const { file } of blocks.filter(({ file }) => file.endsWith('.int.test.ts') && file.includes('loyalty')))
    await import(inCopy(file));
});

describe('the service as a process', () => {
  const children = createChildren(inCopy('children.json'));
  const running: Child[] = [];
  const start = async (spec: ProcessSpec) => {
    const child = children.start(spec);
    running.unshift(child);
    await untilReady(spec, child);
  };
  afterAll(async () => {
    for (const child of running) await child.stop(3000);
  });

  test('is ready with its own roles and NATS user, and answers what the gateway asks', async () => {
    const { natsSpec } = await ofCopy<typeof import('../../packages/local-platform/src/servers/nats.ts')>(
      'packages/local-platform/src/servers/nats.ts',
    );
    const { natsPasswords, natsUrlOf } = await ofCopy<typeof import('../../packages/local-platform/src/secrets.ts')>(
      'packages/local-platform/src/secrets.ts',
    );
    const { serviceSpec } = await ofCopy<typeof import('../../packages/local-platform/src/services.ts')>(
      'packages/local-platform/src/services.ts',
    );
    const { addPoints, getPoints } = await ofCopy<Record<string, Operation>>('packages/contracts/src/index.ts');
    if (!addPoints || !getPoints) throw new Error('the contracts do not export the operations');

    const [port, monitorPort] = [await freePort(), await freePort()];
    const binary = process.env.TEST_NATS_SERVER ?? '';
    await start(
      natsSpec({ binary, passwords: natsPasswords(password), storeDirectory: inCopy('nats'), port, monitorPort }),
    );
    const server = `nats://127.0.0.1:${port}`;
    const [gateway, crm] = await Promise.all(
      (['gateway', 'crm'] as const).map((name) =>
        connectNats({ url: natsUrlOf(name, server, password), name, log: silentLog() }),
      ),
    );
    if (!gateway || !crm) throw new Error('two connections');
    const [storeId, leadId] = [randomUUID(), randomUUID()];
    createRpcServer({
      nats: crm,
      service: 'crm',
      operations: { checkLead },
      handlers: {
        checkLead: async (context, { body }) => {
          if (context.storeId !== storeId || body.lead_id !== leadId) throw new AppError('lead_not_found');
          return { id: leadId };
        },
      },
      log: silentLog(),
    });

    const database = await createTestDatabase('loyalty');
    const { rolePassword } = await ofCopy<typeof import('../../packages/local-platform/src/servers/role-passwords.ts')>(
      'packages/local-platform/src/servers/role-passwords.ts',
    );
    // The platform gives each role a password of its own.
    for (const role of ['loyalty', 'loyalty_system'])
      await database.adminSql.unsafe(`alter role ${role} password '${rolePassword(role, password)}'`);
    await start(
      serviceSpec('loyalty' as 'crm', {
        databaseUrl: database.url,
        natsUrl: natsUrlOf('admin', server, password),
        temporalAddress: '',
        temporalUiUrl: '',
        localDirectory: copy,
        env: { PATH: process.env.PATH, HOME: process.env.HOME, LOG_LEVEL: 'warn' },
        ports: { ...portsFrom(0), ...{ loyalty: await freePort() } },
        password,
        encryptionKeys: '',
        shutdownTimeoutMs: 3000,
      }),
    );

    const rpc = createRpcClient({ nats: gateway, log: silentLog() });
    const body = { points: 10 };
    const call = (operation: Operation, request: object) =>
      rpc.call(operation, request as never, testContext({ storeId, idempotencyKey: 'sale 1042', body }));
    const points = { lead_id: leadId, points: 10 };
    for (let times = 0; times < 2; times += 1)
      expect(await call(addPoints, { params: { leadId }, body })).toEqual(points);
    expect(await call(getPoints, { params: { leadId } })).toEqual(points);
    const unknown = call(getPoints, { params: { leadId: randomUUID() } });
    await expect(unknown).rejects.toMatchObject({ code: 'lead_not_found' });
    await Promise.all([gateway.close(), crm.close()]);
    await database.drop();
  });
});
