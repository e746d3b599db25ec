import { connectCalendar, createApiKey, createStore, updateStore } from '@mostrador/contracts';
import { expect, test } from 'vitest';
import { checked, wholeNumber } from './check.ts';
import { UsageError } from './exit.ts';

const faultsOf = (check: () => unknown): readonly string[] => {
  try {
    check();
  } catch (error) {
    if (error instanceof UsageError) return error.faults;
    throw error;
  }
  return [];
};

test('a fault names the option that it came from', () => {
  const faults = faultsOf(() => checked(updateStore, { store_id: 'x', tier: 'gold' }, { store_id: '--store' }));
  expect(faults).toHaveLength(2);
  expect(faults[0]).toMatch(/^--store /);
  expect(faults[1]).toMatch(/^--tier .*free, starter, pro, enterprise/);
});

test('one error carries every fault, including a missing option', () => {
  const faults = faultsOf(() => checked(createStore, { timezone: 'Mars/Olympus', rate_limit: 0 }));
  expect(faults.map((fault) => fault.split(' ')[0]).sort()).toEqual(['--name', '--rate-limit', '--timezone']);
});

test('a fault inside a list names its option, and one inside the secrets names the member on standard input', () => {
  const store = '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60';
  expect(faultsOf(() => checked(createApiKey, { store_id: store, name: 'a', scopes: ['all'] }))[0]).toMatch(
    /^--scopes /,
  );
  expect(faultsOf(() => checked(connectCalendar, { provider: 'caldav', secrets: { pass: 'x' } }))[0]).toMatch(
    /^"pass" on standard input /,
  );
});

test('the request leaves out undefined members and keeps null', () => {
  const store = '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60';
  expect(checked(updateStore, { store_id: store, name: undefined, rate_limit: null })).toEqual({
    body: { store_id: store, rate_limit: null },
  });
});

test('only digits, with an optional minus sign, become a number', () => {
  expect(['60', '-1', '6e1', '0x10', ' 6', ''].map(wholeNumber)).toEqual([60, -1, '6e1', '0x10', ' 6', '']);
});
