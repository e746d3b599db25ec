import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configFaultOf } from '@mostrador/testing/config-fault';
import { Type } from '@sinclair/typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrateConfig, readConfig, serviceConfig, temporalConfig } from './config.ts';
import { withSecretFiles } from './variables.ts';

const schema = Type.Object({
  ...serviceConfig,
  ...temporalConfig,
  DATABASE_OWNER_URL: migrateConfig.properties.DATABASE_OWNER_URL,
});
const complete: Record<string, string> = {
  NATS_URL: 'nats://crm:hunter2@127.0.0.1:4222',
  HEALTH_PORT: '9001',
  TEMPORAL_ADDRESS: '127.0.0.1:7233',
  TEMPORAL_API_KEY: 'hunter2',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=hunter2',
  DATABASE_URL: 'postgres://crm:hunter2@127.0.0.1:5432/mostrador',
  DATABASE_SYSTEM_URL: 'postgres://crm_system:hunter2@127.0.0.1:5432/mostrador',
  DATABASE_OWNER_URL: 'postgres://crm_owner:hunter2@127.0.0.1:5432/mostrador',
};
const secret = Object.entries(schema.properties).flatMap(([name, member]) => (member.secret ? [name] : []));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mostrador-variables-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const file = (content: string): string => {
  const path = join(mkdtempSync(join(folder, 'f-')), 'secret');
  writeFileSync(path, content);
  return path;
};
const without = (name: string): NodeJS.ProcessEnv => ({ ...complete, [name]: undefined });
const faultOf = (env: NodeJS.ProcessEnv): string => configFaultOf(schema, env);

test('passwords, keys and addresses with a password are secret', () => {
  const withPassword = Object.keys(complete).filter((name) => complete[name]?.includes('hunter2'));
  expect(secret.toSorted()).toEqual(withPassword.toSorted());
});

describe.each(secret)('%s', (name) => {
  const fileName = `${name}_FILE`;
  const value = complete[name] as string;

  test.each([
    ['', ''],
    ['with a newline', '\n'],
    ['with a newline of Windows', '\r\n'],
  ])('may come from a file %s', (_, end) => {
    const config = readConfig(schema, { ...without(name), [fileName]: file(value + end) });
    expect(config).toEqual(readConfig(schema, complete));
  });

  test('may not be set and come from a file', () => {
    const fault = faultOf({ ...complete, [fileName]: file(value) });
    expect(fault).toContain(`${name} and ${fileName} are both set`);
    expect(fault.split('\n')).toHaveLength(2);
    expect(fault).not.toContain('hunter2');
  });

  test('an empty file variable counts as not set', () => {
    expect(readConfig(schema, { ...complete, [fileName]: ' ' })).toEqual(readConfig(schema, complete));
  });

  test.each([
    ['does not exist', () => join(folder, 'hunter2'), /cannot be read \(ENOENT\)/],
    ['is a folder', () => folder, /cannot be read \(EISDIR\)/],
    ['is empty', () => file('\n'), /is empty/],
  ])('a file that %s is one fault, which names the variable and shows no path', (_, path, reason) => {
    const fault = faultOf({ ...without(name), [fileName]: path() });
    expect(fault).toMatch(reason);
    expect(fault).toContain(`  ${name} is missing: the file that ${fileName} names`);
    expect(fault.split('\n')).toHaveLength(2);
    expect(fault).not.toMatch(/hunter2|mostrador-variables/);
  });
});

test('the content of a file is checked as the variable is, and not shown', () => {
  const fault = faultOf({ ...without('DATABASE_URL'), DATABASE_URL_FILE: file('hunter2') });
  expect(fault).toContain('DATABASE_URL must be postgres://');
  expect(fault).not.toContain('hunter2');
  const elsewhere = file('nats://crm:hunter2@nats.example:4222');
  expect(faultOf({ ...without('NATS_URL'), NATS_URL_FILE: elsewhere })).toContain('NATS_URL leads to another machine');
});

test('a variable that is not secret has no file', () => {
  expect(faultOf({ ...without('TEMPORAL_ADDRESS'), TEMPORAL_ADDRESS_FILE: file('127.0.0.1:7233') })).toContain(
    'TEMPORAL_ADDRESS is required',
  );
});

test('withSecretFiles puts the contents into the environment, and names every fault', () => {
  const names = ['POSTGRES_URL', 'NATS_URL', 'OTHER'];
  const env = { HOME: '/root', POSTGRES_URL_FILE: file('postgres://hunter2'), NATS_URL: 'nats://n' };
  const read = withSecretFiles(names, env);
  expect(read).toMatchObject({ HOME: '/root', POSTGRES_URL: 'postgres://hunter2', NATS_URL: 'nats://n' });
  expect([read.POSTGRES_URL_FILE, read.OTHER]).toEqual([undefined, undefined]);
  const wrong = { NATS_URL: 'x', NATS_URL_FILE: file('x'), OTHER_FILE: folder };
  expect(() => withSecretFiles(names, wrong)).toThrow(/^NATS_URL and .* both set.*\nOTHER is missing: .*EISDIR/);
});
