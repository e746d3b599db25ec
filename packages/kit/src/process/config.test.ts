import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { configFaultOf } from '@mostrador/testing/config-fault';
import { Type } from '@sinclair/typebox';
import { describe, expect, test } from 'vitest';
import { build, buildText } from './build.ts';
import { baseConfig, readConfig, serviceConfig, temporalConfig } from './config.ts';

const schema = Type.Object({ ...serviceConfig, ...temporalConfig });

const complete = {
  NATS_URL: 'nats://127.0.0.1:4222',
  HEALTH_PORT: '9001',
  TEMPORAL_ADDRESS: '127.0.0.1:7233',
  DATABASE_URL: 'postgres://crm:hunter2@127.0.0.1:5432/mostrador',
  DATABASE_SYSTEM_URL: 'postgres://crm_system:hunter2@127.0.0.1:5432/mostrador',
};

describe('configuration', () => {
  test('parses numbers, applies defaults and ignores other variables', () => {
    expect(readConfig(schema, { ...complete, HOME: '/root', DATABASE_POOL_SIZE: '16' })).toEqual({
      ...complete,
      HEALTH_HOST: '127.0.0.1',
      HEALTH_PORT: 9001,
      TEMPORAL_NAMESPACE: 'default',
      TEMPORAL_TLS: false,
      DATABASE_POOL_SIZE: 16,
      DATABASE_SYSTEM_POOL_SIZE: 2,
      DATABASE_CONNECTION_LIFETIME_MS: 1_800_000,
      LOG_LEVEL: 'info',
      SHUTDOWN_TIMEOUT_MS: 10_000,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: 0.01,
    });
  });

  test('a ConfigError lists all faults at once', () => {
    const message = configFaultOf(schema, { ...complete, NATS_URL: '', HEALTH_PORT: '70000' });
    expect(message).toContain('NATS_URL is required');
    expect(message).toContain('HEALTH_PORT must be at most 65535');
  });

  test('a fault shows no value', () => {
    const message = configFaultOf(schema, {
      ...complete,
      DATABASE_URL: 'hunter2',
      LOG_LEVEL: 'hunter2',
    });
    expect(message).toContain('DATABASE_URL must be postgres://user:password@host:5432/name');
    expect(message).toContain('LOG_LEVEL must be one of: trace, debug');
    expect(message).not.toContain('hunter2');
  });

  test.each(['1e3', '0x10', '10.5', '1_000', 'ten', '+5'])('%s is not an integer', (text) => {
    const env = { NATS_URL: 'nats://n', SHUTDOWN_TIMEOUT_MS: text };
    expect(configFaultOf(Type.Object(baseConfig), env)).toContain('SHUTDOWN_TIMEOUT_MS must be an integer');
  });

  test('only true and false are booleans', () => {
    const schema = Type.Object({ ON: Type.Boolean({ default: false }) });
    expect(readConfig(schema, { ON: 'true' })).toEqual({ ON: true });
    expect(readConfig(schema, { ON: 'false' })).toEqual({ ON: false });
    expect(readConfig(schema, { ON: ' ' })).toEqual({ ON: false });
    expect(configFaultOf(schema, { ON: 'yes' })).toContain('ON must be a boolean');
  });
});

// `npm run images` asks every process.
test.each(['main', 'migrate'])('%s.ts --version prints the version without any variable', (program) => {
  const file = join(import.meta.dirname, `../../../../services/crm/src/${program}.ts`);
  const { status, stdout } = spawnSync(process.execPath, [file, '--version'], { encoding: 'utf8', env: {} });
  expect({ status, stdout }).toEqual({ status: 0, stdout: `${buildText(build())}\n` });
});
