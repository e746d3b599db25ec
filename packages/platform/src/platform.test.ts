import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hostVariables, portsOf, reads, stopSeconds, variablesOf } from './environment.ts';
import { processes, processNames } from './processes.ts';
import { databaseUsers, rolesOf, schemas } from './servers.ts';

const root = resolve(import.meta.dirname, '../../..');

describe.each(processNames)('the description of %s', (name) => {
  const process = processes[name];

  test('names programs that exist', () => {
    const programs = [process.program, ...(process.migrateProgram ? [process.migrateProgram] : [])];
    expect(programs.filter((program) => !existsSync(join(root, program)))).toEqual([]);
    expect(process.migrateProgram !== undefined).toBe((schemas as readonly string[]).includes(name));
  });

  test('agrees with the variables that the process reads', () => {
    const { host, port } = process.listener;
    expect(reads(name, host) && reads(name, port)).toBe(true);
    const listening = variablesOf(name).flatMap((variable) =>
      /_(HOST|PORT)$/.test(variable.name) ? [variable.name] : [],
    );
    const described = [...hostVariables(name), ...portsOf(name).map(({ variable }) => variable)];
    expect(described.toSorted()).toEqual(listening.toSorted());
    const addresses = variablesOf(name).filter((variable) => /^DATABASE_(SYSTEM_)?URL$/.test(variable.name));
    expect(process.databaseLogins.map(({ variable }) => variable)).toEqual(addresses.map((variable) => variable.name));
    expect((databaseUsers as readonly string[]).includes(name)).toBe(addresses.length > 0);
  });

  test('marks as secret each variable whose value has a password or a key', () => {
    const secret = variablesOf(name).filter(({ secret }) => secret);
    const bySound = /^(NATS_URL|DATABASE_(\w+_)?URL|.*(SECRET|PASSWORD|API_KEY|ENCRYPTION_KEYS?|TOKEN|_HEADERS))$/;
    expect(secret.map((variable) => variable.name)).toEqual(
      variablesOf(name).flatMap((variable) => (bySound.test(variable.name) ? [variable.name] : [])),
    );
  });
});

test('no two processes have the same port', () => {
  const ports = processNames.flatMap((name) => portsOf(name).map(({ number }) => number));
  expect(new Set(ports).size).toBe(ports.length);
});

test('each role belongs to one process', () => {
  const roles = databaseUsers.flatMap(rolesOf);
  expect(roles).toContain('crm_owner');
  expect(roles).toContain('gateway_system');
  expect(new Set(roles).size).toBe(3 * schemas.length + 1);
});

test('a process may take its drain delay and its graceful stop before it is killed', () => {
  expect(stopSeconds('crm')).toBe(15);
  expect(stopSeconds('gateway')).toBe(20);
  expect(stopSeconds('gateway', { DRAIN_DELAY_MS: 30_000 })).toBe(45);
});
