import { type ProcessName, processNames } from '@mostrador/platform/processes';
import { natsUsers } from '@mostrador/platform/servers';
import { describe, expect, test } from 'vitest';
import { portsFrom } from './ports.ts';
import { natsPasswords, natsUrlOf } from './secrets.ts';
import { serviceSpec } from './services.ts';

const password = 'of this clone';
const server = 'nats://127.0.0.1:4222';
const envFor = (name: ProcessName, natsUrl: string, env: NodeJS.ProcessEnv = {}) =>
  serviceSpec(name, {
    databaseUrl: 'postgres://postgres@127.0.0.1/mostrador',
    natsUrl,
    temporalAddress: '127.0.0.1:7233',
    temporalUiUrl: '',
    localDirectory: '/nowhere',
    env,
    ports: portsFrom(20_000),
    password,
    encryptionKeys: 'k1:',
    shutdownTimeoutMs: 1000,
  }).env;
const natsUrlFor = (...options: Parameters<typeof envFor>) => envFor(...options)?.NATS_URL;

describe('the NATS address of a process', () => {
  test.each(processNames)('has the user %s with its own password on our own server', (name) => {
    const ours = natsUrlOf('admin', server, password);
    expect(natsUrlFor(name, ours)).toBe(natsUrlOf(name, server, password));
    expect(new URL(natsUrlFor(name, ours) ?? '').username).toBe(name);
  });

  test('is NATS_URL unchanged when it is set', () => {
    for (const given of ['nats://nats.example:4222', 'tls://platform:secret@nats.example:4222']) {
      expect(natsUrlFor('crm', given, { NATS_URL: given })).toBe(given);
    }
  });

  test('has no user when the server has no users', () => {
    expect(natsUrlFor('crm', server)).toBe(server);
  });
});

test('a file of the environment does not contradict what npm start sets', () => {
  const env = envFor('messaging', server, { ENCRYPTION_KEYS_FILE: '/run/secrets/keys', NATS_URL_FILE: '/run/nats' });
  expect([env?.ENCRYPTION_KEYS, env?.ENCRYPTION_KEYS_FILE, env?.NATS_URL_FILE]).toEqual(['k1:', undefined, undefined]);
});

test('caches are in the local folder, unless the environment has others', () => {
  const cachesOf = (env: NodeJS.ProcessEnv) => {
    const { NODE_COMPILE_CACHE, WORKFLOW_BUNDLE_CACHE } = envFor('workflows', server, env) ?? {};
    return [NODE_COMPILE_CACHE, WORKFLOW_BUNDLE_CACHE];
  };
  expect(cachesOf({})).toEqual(['/nowhere/cache/node', '/nowhere/cache/workflows']);
  const shared = { NODE_COMPILE_CACHE: '/shared/node', WORKFLOW_BUNDLE_CACHE: '/shared/workflows' };
  expect(cachesOf(shared)).toEqual(['/shared/node', '/shared/workflows']);
});

test('every NATS user has a unique password that begins with a letter', () => {
  const passwords = Object.values(natsPasswords(password));
  expect(new Set(passwords).size).toBe(natsUsers.length);
  for (const each of passwords) expect(each).toMatch(/^[a-z][0-9a-f]{64}$/);
});
