import { lookup } from 'node:dns/promises';
import { type NameAnswer, startNameServer } from '@mostrador/testing/servers/name-server';
import { afterEach, describe, expect, test } from 'vitest';
import { createNames, NameUnresolved } from './names.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function open(answer: (name: string, family: 4 | 6) => NameAnswer | Promise<NameAnswer>) {
  const server = await startNameServer(answer);
  closing.push(server.close);
  const find = createNames({ servers: server.address, isOperators: (name) => name === 'localhost' });
  return { find, asked: server.asked };
}

const four = { address: '198.51.100.7', family: 4 };
const six = { address: '2001:db8::7', family: 6 };

describe('a name has the addresses of both families', () => {
  test.each<[string, NameAnswer, NameAnswer, object[]]>([
    ['when both are there', [four.address], [six.address], [four, six]],
    ['when there is no IPv6', [four.address], [], [four]],
    ['when there is no IPv4', [], [six.address], [six]],
    ['when the server does not know the type', [four.address], 'unknown', [four]],
    ['when nothing answers for IPv6', [four.address], 'silent', [four]],
    ['when nothing answers for IPv4', 'silent', [six.address], [six]],
  ])('%s', async (_, a, aaaa, expected) => {
    const { find } = await open((_name, family) => (family === 4 ? a : aaaa));
    expect(await find('store', 'Shop.Example')).toEqual(expected);
  });
});

test.each<[NameAnswer, string]>([
  ['unknown', 'ENOTFOUND'],
  [[], 'ENODATA'],
  ['silent', 'ETIMEOUT'],
])('a name with the answer %j is unresolved with the code %s', async (answer, code) => {
  const { find } = await open(() => answer);
  const error = await find('store', 'shop.example').catch((caught) => caught);
  expect(error).toBeInstanceOf(NameUnresolved);
  expect(error).toMatchObject({ code });
});

test('connections that begin during a look-up share it, but not those of another store', async () => {
  const { find, asked } = await open((_, family) => (family === 4 ? [four.address] : []));
  const all = [find('a', 'shop.example'), find('a', 'shop.example'), find('b', 'shop.example')];
  expect(await Promise.all(all)).toEqual([[four], [four], [four]]);
  expect([...asked].sort()).toEqual(['A shop.example', 'A shop.example', 'AAAA shop.example', 'AAAA shop.example']);
});

test('a store has eight look-ups at once, and those of other stores do not wait for them', async () => {
  const { find, asked } = await open((name, family) => {
    if (name.startsWith('hang')) return 'silent';
    return family === 4 ? [four.address] : [];
  });
  const hanging = Array.from({ length: 40 }, (_, index) => find('a', `hang-${index}.example`).catch((error) => error));
  // No server answers to those: nothing but the answer to this one can end the wait.
  expect(await find('b', 'shop.example')).toEqual([four]);
  expect(new Set(asked.filter((question) => question.includes('hang'))).size).toBe(16);
  // The threads of the process are free.
  expect((await lookup('localhost', { all: true })).length).toBeGreaterThan(0);
  for (const error of await Promise.all(hanging)) expect(error).toBeInstanceOf(NameUnresolved);
});

test('the system looks up the names of the operator, and search domains do not apply to others', async () => {
  const { find, asked } = await open(() => 'unknown');
  expect(await find('store', 'localhost')).toContainEqual({ address: '127.0.0.1', family: 4 });
  expect(asked).toEqual([]);
  await expect(find('store', 'shop')).rejects.toBeInstanceOf(NameUnresolved);
  expect([...asked].sort()).toEqual(['A shop', 'AAAA shop']);
});

test('a setting that is no address fails at once', () => {
  expect(() => createNames({ servers: 'dns.example', isOperators: () => false })).toThrow();
});
