import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate } from './migrate.ts';
import { schemaCheck } from './readiness.ts';

const schema = 'messaging';
let database: TestDatabase;
let directory: string;

beforeEach(async () => {
  database = await createTestDatabase(schema);
  await database.adminSql.unsafe(`
    drop schema ${schema} cascade;
    create schema ${schema} authorization ${schema}_owner;
    grant usage on schema ${schema} to ${schema}, ${schema}_system`);
  directory = await mkdtemp(join(tmpdir(), 'mostrador-migrations-'));
  await file('0001-things.sql');
});
afterEach(async () => {
  await database.drop();
  await rm(directory, { recursive: true });
});

const file = (name: string) => writeFile(join(directory, name), `create table t${name.slice(0, 4)} (n int);`);
const applyAll = () => migrate({ url: database.ownerUrl, schema, directory, log: { info: () => {} } });
const newCheck = () => schemaCheck(database.systemDatabase, { schema, directory });

test('new code is not ready on an old schema, says which migration it needs, and is ready when that is applied', async () => {
  const check = newCheck();
  await expect(check()).rejects.toThrow('This version has not migrated the schema messaging: run its migrate command.');
  await applyAll();
  await file('0002-more.sql');
  await expect(check()).rejects.toThrow(
    'The schema messaging is at 0001-things.sql, this process needs 0002-more.sql: run its migrate command.',
  );
  await applyAll();
  await check();
});

test('code is not ready while an index of its migrations is invalid, and names it', async () => {
  await applyAll();
  const index = '-- no-transaction\ncreate unique index concurrently if not exists by_n on t0001 (n);';
  await writeFile(join(directory, '0002-index.sql'), index);
  await database.adminSql`insert into t0001 values (1), (1)`;
  await expect(applyAll()).rejects.toThrow(/could not create unique index/);
  // An earlier version counted it as applied.
  const checksum = createHash('sha256').update(index).digest('hex');
  await database.adminSql`insert into schema_migrations (name, checksum) values ('0002-index.sql', ${checksum})`;
  const check = newCheck();
  await expect(check()).rejects.toThrow(
    'The schema messaging has an index whose build failed or still runs (by_n): run its migrate command.',
  );
  await database.adminSql`delete from t0001`;
  await applyAll();
  await check();
});

test('old code is ready on a new schema, because a new version migrates first', async () => {
  await file('0002-more.sql');
  await applyAll();
  await rm(join(directory, '0002-more.sql'));
  await newCheck()();
});
