import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Child, createChildren, untilReady } from '@mostrador/local-platform/children';
import { root } from '@mostrador/local-platform/paths';
import { freePort } from '@mostrador/local-platform/ports';
import { natsSpec } from '@mostrador/local-platform/servers/nats';
import { serviceNames } from '@mostrador/platform/processes';
import { startTcpProxy } from '@mostrador/testing/proxy/tcp-proxy';
import {
  type Certificates,
  canMakeCertificates,
  makeCertificates,
  trustAuthority,
} from '@mostrador/testing/servers/certificates';
import { type OwnPostgres, startOwnPostgres } from '@mostrador/testing/servers/own-postgres';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { permissionsOf } from '../../../../infra/nats/users.ts';
import { usersConf } from '../../../../infra/nats/users-conf.ts';
import { allRoles } from '../../../../infra/postgres/roles.ts';
import { type Ended, runHere } from '../../test/run-here.ts';
import { withLogin } from './addresses.ts';
import type { Finding } from './check/finding.ts';
import { onDatabase } from './database-connection.ts';
import { databaseSecrets, secrets } from './secret-files.ts';
import { pathOf } from './secrets-folder.ts';

/** The commands reach the servers themselves. */
const unused = () => Promise.reject(new Error('these commands must not call the platform'));
const noPlatform = { call: unused, nats: unused, addresses: unused, close: async () => {} };

/** From nothing to a deployment that is ready for its processes, in this order, over TLS. */
describe.skipIf(!canMakeCertificates)('the commands that prepare a deployment', () => {
  const home = mkdtempSync(join(tmpdir(), 'mostrador-deployment-'));
  const folder = join(home, 'secrets');
  const namespace = `deployment-${randomBytes(6).toString('hex')}`;
  let certificates: Certificates;
  let server: OwnPostgres;
  let nats: { readonly port: number; start(conf?: string): Promise<void>; stop(): Promise<void> };
  let environment: NodeJS.ProcessEnv;
  let distrust = () => {};

  beforeAll(async () => {
    certificates = makeCertificates();
    distrust = trustAuthority(certificates.ca);
    server = await startOwnPostgres({ tls: certificates.server });
    nats = await prepareNats(join(home, 'nats'), certificates, join(folder, 'nats.env'));
    writeFileSync(join(home, 'administrator'), server.url);
    environment = {
      POSTGRES_URL_FILE: join(home, 'administrator'),
      NATS_TLS_CA: certificates.ca,
      TEMPORAL_ADDRESS: process.env.TEST_TEMPORAL_ADDRESS,
      TEMPORAL_NAMESPACE: namespace,
    };
  });
  afterAll(async () => {
    await nats?.stop();
    await server?.stop();
    distrust();
    certificates?.remove();
    rmSync(home, { recursive: true, force: true });
  });

  const run = (line: string, input = ''): Promise<Ended> => runHere(line.split(' '), noPlatform, input, environment);
  const done = async (line: string, input?: string): Promise<string> => {
    const { out, err, exitCode } = await run(line, input);
    if (exitCode !== 0) throw new Error(`${line} exited with ${exitCode}: ${out}${err}`);
    return out;
  };
  const inFolder = `--folder ${folder}`;
  const postgresAddress = () => server.url.replace(/\/\/[^@]*@/, '//').replace('/postgres?', '/shop?');
  const generate = () =>
    `secrets generate --postgres ${postgresAddress()} --nats tls://localhost:${nats.port} ${inFolder}`;
  const textOf = (path: string) => readFileSync(join(folder, path), 'utf8').trim();
  const allTexts = () =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(join(folder, path)).isFile())
      .map((path) => [path, textOf(path)] as const);
  const findings = async (only: string): Promise<Finding[]> => {
    const { out } = await run(`platform check ${inFolder} --only ${only} --json`);
    return JSON.parse(out).findings;
  };
  const wrong = async (only: string) =>
    (await findings(only)).filter(({ ok }) => !ok).map(({ what, detail }) => `${what}: ${detail}`);
  const asAdministrator = async (statement: string, database = 'shop') => {
    const sql = postgres(server.url.replace('/postgres?', `/${database}?`), { max: 1, onnotice: () => {} });
    const [row] = await sql.unsafe(statement);
    await sql.end();
    return row && Object.values(row)[0];
  };

  test('`secrets generate` writes each secret once, for its holder alone, and never overwrites one', async () => {
    await done(generate());
    const texts = allTexts();
    expect(texts.map(([path]) => path).sort()).toEqual([...secrets.map(pathOf), 'nats.env'].sort());
    const values = texts.filter(([path]) => path !== 'nats.env').map(([, text]) => text.match(/:([^:@]{32,})/)?.[1]);
    expect(new Set(values).size).toBe(secrets.length);
    for (const [path] of texts) expect([path, statSync(join(folder, path)).mode & 0o077]).toEqual([path, 0]);
    expect(statSync(folder).mode & 0o077).toBe(0);

    const again = await run(generate());
    expect(again.exitCode).toBe(2);
    expect(again.err).toContain('--add-missing');
    expect(allTexts()).toEqual(texts);

    // What a new version needs is added. The rest stays.
    for (const path of ['crm/NATS_URL', 'events-migrate/DATABASE_OWNER_URL']) rmSync(join(folder, path));
    await done(`${generate()} --add-missing`);
    const changed = allTexts().filter(
      ([path, text]) => !texts.some(([other, same]) => path === other && text === same),
    );
    expect(changed.map(([path]) => path).sort()).toEqual([
      'crm/NATS_URL',
      'events-migrate/DATABASE_OWNER_URL',
      'nats.env',
    ]);
    expect(textOf('nats.env')).toContain(`NATS_PASSWORD_CRM=${new URL(textOf('crm/NATS_URL')).password}\n`);
  });

  test('no command prints a secret', async () => {
    const known = allTexts().flatMap(([, text]) => text.match(/(?<=[:=])[\w/+=-]{32,}/g) ?? []);
    expect(known.length).toBeGreaterThan(30);
    for (const line of [
      `${generate()} --add-missing --json`,
      `platform check ${inFolder}`,
      `platform roles ${inFolder}`,
    ]) {
      const { out, err } = await run(line);
      expect(known.filter((secret) => `${out}${err}`.includes(secret))).toEqual([]);
    }
  });

  test('`platform roles` makes the database and a role for each login, and repeats it', async () => {
    // The test before has run it once.
    const { roles, faults } = JSON.parse(await done(`platform roles ${inFolder} --json`));
    expect(roles).toEqual(allRoles.map((role) => ({ role, state: 'kept', login: 'works' })));
    expect(faults).toEqual([]);
  });

  test('a password that works is never reset, and one that does not is named', async () => {
    await asAdministrator("alter role crm password 'the one that works'");
    const refused = await run(`platform roles ${inFolder} --json`);
    expect(refused.exitCode).toBe(1);
    expect(JSON.parse(refused.out).faults).toEqual([expect.stringMatching(/other passwords for crm, and keeps them/)]);
    expect(await wrong('postgres')).toContainEqual(expect.stringMatching(/^crm: PostgreSQL rejects the login/));
    const reset = JSON.parse(await done(`platform roles ${inFolder} --reset crm --json`));
    expect(reset.roles.filter(({ state }: { state: string }) => state === 'reset')).toHaveLength(1);
  });

  test('`platform roles` takes the passwords as JSON from standard input, a different one for each role', async () => {
    const passwords = Object.fromEntries(
      databaseSecrets.map((secret) => [secret.role, decodeURIComponent(new URL(textOf(pathOf(secret))).password)]),
    );
    const typed = (change: Record<string, unknown>) => JSON.stringify({ ...passwords, ...change });
    await done('platform roles --secrets-stdin --database shop', typed({}));
    for (const [change, fault] of [
      [{ crm: undefined }, /no password for crm/],
      [{ crm: 'short' }, /crm must have at least 16 characters/],
      [{ crm: passwords.events }, /crm, events share a password/],
      [{ crm: 'ção de uma loja inteira' }, /crm must be printable ASCII/],
      [{ someone: 'x' }, /members that are no roles/],
    ] as const) {
      const refused = await run('platform roles --secrets-stdin --database shop', typed(change));
      expect(refused.exitCode).toBe(2);
      expect(refused.err).toMatch(fault);
    }
  });

  test('`platform check` names each schema without migrations, and `platform migrate` applies them', async () => {
    expect(await wrong('postgres')).toEqual(
      expect.arrayContaining(serviceNames.map((name) => expect.stringContaining(`schema ${name}: is not migrated`))),
    );
    const one = JSON.parse(await done(`platform migrate ${inFolder} --service crm --json`));
    expect(one.services).toEqual([expect.objectContaining({ service: 'crm', fault: null })]);
    expect(one.services[0].applied[0]).toBe('0001-base.sql');
    await done(`platform migrate ${inFolder} --contract`);
    const again = JSON.parse(await done(`platform migrate ${inFolder} --json`));
    expect(again.services.map(({ applied }: { applied: string[] }) => applied)).toEqual(serviceNames.map(() => []));
    expect(await wrong('postgres')).toEqual([]);
  });

  test.each([
    [
      'a grant to another service',
      'grant select on crm.leads to messaging',
      'revoke select on crm.leads from messaging',
      /rights: messaging may touch crm.leads: revoke it/,
    ],
    [
      'a missing right',
      'revoke usage on schema crm from crm_system',
      'grant usage on schema crm to crm_system',
      /rights: crm_system may not use the schema crm: run `platform roles`/,
    ],
    [
      'a migration that is missing',
      "update crm.schema_migrations set name = 'x' where name = '0001-base.sql'",
      "update crm.schema_migrations set name = '0001-base.sql' where name = 'x'",
      /schema crm: lacks 0001-base.sql: run `platform migrate --service crm`/,
    ],
    [
      'a login of another role',
      'alter role events_system rename to other',
      'alter role other rename to events_system',
      /events_system: PostgreSQL rejects the login/,
    ],
  ])('`platform check` finds %s', async (_, damage, repair, said) => {
    await asAdministrator(damage);
    try {
      expect(await wrong('postgres')).toContainEqual(expect.stringMatching(said));
    } finally {
      await asAdministrator(repair);
    }
  });

  test('`platform check` finds a NATS server that is down, has another configuration, or is right', async () => {
    expect(await wrong('nats')).toEqual([
      expect.stringMatching(
        /^server localhost:\d+: NATS does not answer at the address in .*: start NATS, or correct the/,
      ),
    ]);
    const { publish, ...rest } = permissionsOf('crm');
    const older = usersConf((user) => (user === 'crm' ? { ...rest, publish: publish.slice(1) } : permissionsOf(user)));
    await nats.start(older);
    expect(await wrong('nats')).toEqual([
      `user crm: may not publish ${publish[0]}: give nats-server infra/nats/users.conf of this version, and reload it.`,
    ]);
    await nats.stop();
    await nats.start();
    expect(await wrong('nats')).toEqual([]);
    const [users] = [(await findings('nats')).filter(({ what }) => what.startsWith('user '))];
    expect(users).toHaveLength(9);
  });

  test('`platform check` names a PostgreSQL that is down once, and no role', async () => {
    const elsewhere = join(home, 'elsewhere');
    const port = await freePort();
    await done(
      `secrets generate --postgres postgres://localhost:${port}/shop?sslmode=verify-full --nats tls://localhost:${nats.port} --folder ${elsewhere}`,
    );
    const { out } = await run(`platform check --folder ${elsewhere} --only postgres --json`);
    expect(JSON.parse(out).findings).toEqual([
      expect.objectContaining({
        what: `server localhost:${port}`,
        detail: expect.stringMatching(
          /^PostgreSQL does not answer: check that it runs at the address in accounts-migrate/,
        ),
      }),
    ]);
    const { out: migrated } = await run(`platform migrate --folder ${elsewhere} --service crm`);
    expect(migrated).toContain('PostgreSQL does not answer');
    expect(migrated).not.toContain('platform roles');
  });

  test('a PostgreSQL that is slow is asked again', async () => {
    const { host } = new URL(server.url);
    const proxy = await startTcpProxy(host);
    try {
      proxy.freeze();
      const url = server.url.replace(host, `localhost:${proxy.port}`);
      const asked = onDatabase({ url, name: 'POSTGRES_URL' }, async () => 'reached');
      setTimeout(() => proxy.mend(), 1_500);
      expect(await asked).toBe('reached');
    } finally {
      await proxy.close();
    }
  });

  test('`backup role` makes a role that reads all rows and writes none, and names the line that pg_hba.conf lacks', async () => {
    const role = async (options = '') => {
      const { out, exitCode } = await run(`backup role ${inFolder} --database shop --json ${options}`.trim());
      return { exitCode, ...JSON.parse(out) };
    };
    expect(await role()).toMatchObject({
      ...{ exitCode: 1, state: 'created', login: 'works', replication: 'not let in' },
      faults: [expect.stringContaining('`hostssl replication mostrador_backup ADDRESS scram-sha-256`')],
    });
    const [password = ''] = /[^:]+$/.exec(textOf('backup/pgpass')) ?? [];
    expect(statSync(join(folder, 'backup/pgpass')).mode & 0o777).toBe(0o600);

    const file = await asAdministrator('show hba_file');
    const lines = ['all all', 'replication mostrador_backup'].map(
      (who) => `'hostssl ${who} 127.0.0.1/32 scram-sha-256'`,
    );
    await asAdministrator(`copy (select unnest(array[${lines}])) to '${file}'`);
    await asAdministrator('select pg_reload_conf()');
    expect(await role()).toMatchObject({
      exitCode: 0,
      state: 'kept',
      login: 'works',
      replication: 'works',
      faults: [],
    });

    const backup = postgres(withLogin(postgresAddress(), 'mostrador_backup', password), { max: 1, onnotice: () => {} });
    const [rights] = await backup`
      select row_security_active('crm.leads') as filtered, rolsuper, rolcreatedb, rolcreaterole, rolreplication
      from pg_roles where rolname = current_user`;
    expect(rights).toEqual({
      ...{ filtered: false, rolsuper: false, rolcreatedb: false, rolcreaterole: false, rolreplication: true },
    });
    expect(await backup`select from messaging.messages`).toHaveLength(0);
    await expect(backup`delete from crm.leads`).rejects.toThrow();
    await backup.end();
  });

  test('`backup role` keeps a password, gives the one of the folder when asked, and needs a superuser', async () => {
    await asAdministrator("alter role mostrador_backup nobypassrls password 'another one'");
    const rejected = await run(`backup role ${inFolder} --database shop`);
    expect(rejected.exitCode).toBe(1);
    expect(rejected.out).toContain('another password for mostrador_backup, and keeps it');
    await done(`backup role ${inFolder} --database shop --reset`);
    expect(await asAdministrator("select rolbypassrls from pg_roles where rolname = 'mostrador_backup'")).toBe(true);

    const noSuperuser = { ...environment, POSTGRES_URL_FILE: join(folder, 'crm/DATABASE_URL') };
    const refused = await runHere(`backup role ${inFolder}`.split(' '), noPlatform, '', noSuperuser);
    expect([refused.exitCode, refused.err]).toEqual([1, expect.stringContaining('POSTGRES_URL is no superuser')]);
  });

  test('`platform temporal` makes the namespace that `platform check` misses, and repeats it', async () => {
    expect(await wrong('temporal')).toEqual([expect.stringContaining(`Temporal has no namespace ${namespace}`)]);
    expect(JSON.parse(await done('platform temporal --json'))).toMatchObject({ created: true, retention_days: 7 });
    expect(JSON.parse(await done('platform temporal --retention-days 3 --json'))).toMatchObject({
      ...{ created: false, retention_days: 3, added_search_attributes: [] },
    });
    expect(await wrong('temporal')).toEqual([]);
    expect((await run(`platform check ${inFolder}`)).exitCode).toBe(0);
  });

  test('`platform check` asks a Temporal again that is slow', async () => {
    const proxy = await startTcpProxy(environment.TEMPORAL_ADDRESS ?? '');
    const before = environment;
    environment = { ...environment, TEMPORAL_ADDRESS: proxy.address };
    try {
      proxy.freeze();
      const checked = wrong('temporal');
      setTimeout(() => proxy.mend(), 1_500);
      expect(await checked).toEqual([]);
    } finally {
      environment = before;
      await proxy.close();
    }
  });
});

/** NATS as the page about deployments configures it, with the passwords of `secrets generate`. */
async function prepareNats(folder: string, { server }: Certificates, passwordFile: string) {
  const port = await freePort();
  const monitorPort = await freePort();
  const children = createChildren(join(folder, 'children.json'));
  mkdirSync(folder);
  const config = join(folder, 'nats.conf');
  let child: Child | undefined;
  return {
    port,
    async start(users?: string) {
      writeFileSync(join(folder, 'users.conf'), users ?? readFileSync(join(root, 'infra/nats/users.conf')));
      writeFileSync(
        config,
        `${readFileSync(join(root, 'infra/nats/server.conf'), 'utf8')}
         include "users.conf"
         tls { cert_file: "${server.cert}", key_file: "${server.key}" }\n`,
      );
      const passwords = Object.fromEntries(
        readFileSync(passwordFile, 'utf8')
          .trim()
          .split('\n')
          .map((line) => line.split('=')),
      );
      const binary = process.env.TEST_NATS_SERVER ?? '';
      const spec = natsSpec({ binary, config, passwords, storeDirectory: join(folder, 'store'), port, monitorPort });
      child = children.start(spec);
      await untilReady(spec, child);
    },
    async stop() {
      await child?.stop(5000);
    },
  };
}
