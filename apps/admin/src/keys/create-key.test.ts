import { expect, test } from 'vitest';
import type { Platform } from '../platform.ts';
import { runAdmin } from '../run.ts';

const store = '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60';

/** Creates a key with these options. Returns the request to the gateway and the notes for the person. */
async function create(...options: string[]) {
  const asked: unknown[] = [];
  const notes: string[] = [];
  const key = { id: 'k', store_id: store, name: 'Site', scopes: [], created_at: '', expires_at: null };
  const platform = {
    call: async (_operation: unknown, request: unknown) => {
      asked.push(request);
      return { api_key: 'mk_live_k_s', key: { ...key, revoked_at: null, last_used_at: null } };
    },
    close: async () => {},
  } as unknown as Platform;
  const terminal = {
    print: () => {},
    note: (text: string) => void notes.push(text),
    readInput: async () => '',
    width: undefined,
    redraw: () => {},
    interruption: () => ({ signal: new AbortController().signal, release: () => {} }),
  };
  const exitCode = await runAdmin(['key', 'create', '--store', store, '--name', 'Site', ...options], {
    platform,
    terminal,
    environment: {},
  });
  return { exitCode, asked, notes: notes.join('\n') };
}

test('a key without scopes or without an end is created, and the command says so', async () => {
  const made = await create();
  expect([made.exitCode, made.asked]).toEqual([0, [{ body: { store_id: store, name: 'Site' } }]]);
  expect(made.notes).toMatch(/all scopes.*--scopes.*\n.*never expires.*--expires/);
  expect((await create('--json')).notes).toBe('');
});

test('all scopes and no end can be chosen explicitly', async () => {
  const made = await create('--scopes', 'all', '--expires', 'never');
  expect([made.exitCode, made.asked]).toEqual([0, [{ body: { store_id: store, name: 'Site' } }]]);
  expect(made.notes).toBe('');
});

test('chosen scopes and a chosen end reach the gateway', async () => {
  const made = await create('--scopes', 'leads:read', '--expires', '2027-06-30T00:00:00Z');
  const body = { store_id: store, name: 'Site', scopes: ['leads:read'], expires_at: '2027-06-30T00:00:00Z' };
  expect([made.asked, made.notes]).toEqual([[{ body }], '']);
});
