import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@mostrador/local-platform/ports';
import { type OwnPostgres, startOwnPostgres } from '@mostrador/testing/servers/own-postgres';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Child, createChildren, untilReady } from '../children.ts';
import { type Ports, portsFrom } from '../ports.ts';
import { rolePasswords, rolesWithOtherPasswords, roleUrl } from './role-passwords.ts';
import { providePostgres } from './servers.ts';

let outside: OwnPostgres;
let localDirectory: string;
let ports: Ports;
const running: Child[] = [];

beforeAll(async () => {
  outside = await startOwnPostgres();
});
afterAll(() => outside?.stop());
beforeEach(async () => {
  localDirectory = await mkdtemp(join(tmpdir(), 'mostrador-servers-'));
  const [port = 0] = await freePorts(1);
  ports = { ...portsFrom(0), postgres: port };
});
afterEach(async () => {
  await stopAll();
  await rm(localDirectory, { recursive: true });
});

const stopAll = () => Promise.all(running.splice(0).map((child) => child.stop(5_000)));

async function logsIn(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  return sql`select 1`
    .then(
      () => true,
      () => false,
    )
    .finally(() => sql.end());
}

/** What `npm start` does with this secret. */
const provide = (password: string, env: NodeJS.ProcessEnv = {}) =>
  providePostgres({
    ...{ localDirectory, ports, password, env: { PATH: process.env.PATH, ...env }, report: () => {} },
    async start(spec) {
      const child = createChildren(join(localDirectory, 'children.json')).start(spec);
      running.push(child);
      await untilReady(spec, child);
    },
  });

test('npm start works again over its own data', async () => {
  const first = await provide('secret');
  await stopAll();
  expect(await provide('secret')).toBe(first);
});

test('each role has a password of its own, also over data of a version that gave all the same', async () => {
  const url = await provide('secret');
  const roles = Object.keys(rolePasswords('secret'));
  const whichTakeTheShared = async () => {
    const answers = await Promise.all(roles.map((role) => logsIn(roleUrl(url, role, 'secret'))));
    return roles.filter((_, index) => answers[index]);
  };
  expect(new Set(Object.values(rolePasswords('secret'))).size).toBe(19);
  expect(await whichTakeTheShared()).toEqual([]);
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  for (const role of roles) await sql.unsafe(`alter role ${role} password 'secret'`);
  await sql.end();
  expect(await whichTakeTheShared()).toEqual(roles);
  await stopAll();
  await provide('secret');
  expect(await whichTakeTheShared()).toEqual([]);
  expect(await rolesWithOtherPasswords(url, 'secret')).toEqual([]);
});

test('npm start over data of another secret fails at once, and says what to do', async () => {
  await provide('secret');
  await stopAll();
  await expect(provide('another')).rejects.toThrow(/created with another secrets\.json.*Put that file back/);
});

test("npm start on an operator's server resets no password unless it is asked to, and says how", async () => {
  const env = { POSTGRES_URL: outside.url };
  const url = await provide('secret', env);
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql`alter role crm password 'own'`;
  await sql.end();
  const refused = await provide('secret', env).catch((error: Error) => error.message);
  expect(refused).toContain('other passwords for crm than');
  expect(refused).toContain('MOSTRADOR_ROLE_PASSWORDS=reset');
  expect(refused).not.toContain('crm_owner');
  await provide('another', { ...env, MOSTRADOR_ROLE_PASSWORDS: 'reset' });
  await provide('another', env);
});
