import { Type } from '@sinclair/typebox';
import { describe, expect, test } from 'vitest';
import { ConfigError, migrateConfig, readConfig, serviceConfig, temporalConfig } from './config.ts';
import { mayBePlaintext } from './plaintext.ts';

const local = {
  NATS_URL: 'nats://crm:hunter2@127.0.0.1:4222',
  HEALTH_PORT: '9001',
  TEMPORAL_ADDRESS: 'localhost:7233',
  DATABASE_URL: 'postgres://crm:hunter2@127.0.0.1:5432/mostrador',
  DATABASE_SYSTEM_URL: 'postgres://crm_system:hunter2@[::1]:5432/mostrador',
};
const messageOf = (env: NodeJS.ProcessEnv, schema = Type.Object({ ...serviceConfig, ...temporalConfig })): string => {
  try {
    readConfig(schema, { ...local, ...env });
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
};

describe('a process does not start when it would send passwords to another machine without TLS', () => {
  test.each([
    [{ NATS_URL: 'nats://crm:hunter2@nats.example:4222' }, 'NATS_URL'],
    [{ NATS_URL: 'nats.example:4222' }, 'NATS_URL'],
    [{ NATS_URL: 'nats://127.0.0.1:4222,nats://nats.example:4222' }, 'NATS_URL'],
    [{ DATABASE_URL: 'postgres://crm:hunter2@10.0.0.7/mostrador' }, 'DATABASE_URL'],
    [{ DATABASE_URL: 'postgres://crm:hunter2@db.example/mostrador?sslmode=prefer' }, 'DATABASE_URL'],
    [{ DATABASE_URL: 'postgres://crm:hunter2@127.0.0.1:5432,db.example:5433/mostrador' }, 'DATABASE_URL'],
    [{ DATABASE_SYSTEM_URL: 'postgres://crm:hunter2@db.example/mostrador?sslmode=disable' }, 'DATABASE_SYSTEM_URL'],
    [{ TEMPORAL_ADDRESS: 'temporal.example:7233' }, 'TEMPORAL_ADDRESS'],
    [{ TEMPORAL_ADDRESS: '127.0.0.1.example:7233' }, 'TEMPORAL_ADDRESS'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  ])('%j', (env, name) => {
    const message = messageOf(env);
    expect(message).toMatch(new RegExp(`${name} leads to another machine without TLS: .*PLAINTEXT_ALLOW_HOSTS`));
    expect(message).not.toMatch(/hunter2|example|10\.0\.0/);
  });

  test('the migrate command too', () => {
    const env = { DATABASE_OWNER_URL: 'postgres://crm_owner:hunter2@db.example/mostrador' };
    expect(messageOf(env, migrateConfig as never)).toContain('DATABASE_OWNER_URL leads to another machine');
  });
});

test.each([
  {},
  { NATS_URL: 'tls://crm:hunter2@nats.example:4222' },
  { NATS_URL: 'nats://crm:hunter2@nats.example:4222', NATS_TLS_CA: '/ca.pem' },
  { DATABASE_URL: 'postgres://crm:hunter2@db.example/mostrador?sslmode=verify-full' },
  { DATABASE_URL: 'postgres://crm:hunter2@db.example/mostrador?sslmode=require' },
  { DATABASE_URL: 'postgres://crm:hunter2@db.example/mostrador?sslmode=verify-ca&ssl=false' },
  { DATABASE_URL: 'postgres://crm:hunter2@db1.example:5432,db2.example:5433/mostrador?sslmode=verify-full' },
  { DATABASE_URL: 'postgres://crm:hunter2@%2Fvar%2Frun%2Fpostgresql/mostrador' },
  { TEMPORAL_ADDRESS: 'temporal.example:7233', TEMPORAL_TLS: 'true' },
  { TEMPORAL_ADDRESS: 'temporal.example:7233', TEMPORAL_API_KEY: 'key' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' },
  {
    ...{ NATS_URL: 'nats://nats:4222', TEMPORAL_ADDRESS: 'temporal:7233' },
    ...{ DATABASE_URL: 'postgres://crm@10.0.0.7/mostrador', PLAINTEXT_ALLOW_HOSTS: 'nats, temporal,10.0.0.7' },
  },
])('TLS, this machine and hosts that the operator lists are accepted: %j', (env) => {
  expect(messageOf(env)).toBe('');
});

test('only loopback counts as this machine', () => {
  expect(['localhost', '127.0.0.1', '127.9.9.9', '::1', '[::1]'].filter((host) => !mayBePlaintext(host))).toEqual([]);
  const others = ['', '0.0.0.0', '10.0.0.1', 'localhost.example', '127.0.0.1.example', '[fe80::1]'];
  expect(others.filter((host) => mayBePlaintext(host))).toEqual([]);
  expect(mayBePlaintext('', ',')).toBe(false);
});
