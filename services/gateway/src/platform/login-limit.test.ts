import { expect, test } from 'vitest';
import { createGuestLimit, createLoginLimit, createRefusalLimit, type SignInMethod } from './login-limit.ts';

const refused = expect.objectContaining({ code: 'quota_exceeded' });
const methods: readonly SignInMethod[] = ['password', 'link', 'passkey', 'oidc'];

test('a network gets 20 attempts a minute, and other networks are not delayed', () => {
  let nowMs = 0;
  const limit = createLoginLimit(() => nowMs);
  const attempt = (address: string) => limit.attempt({ method: 'password', address });
  for (let tried = 0; tried < 20; tried += 1) attempt('203.0.113.7');
  expect(() => attempt('203.0.113.7')).toThrow(refused);
  attempt('203.0.113.8');
  nowMs += 3_000;
  attempt('203.0.113.7');
  expect(() => attempt('203.0.113.7')).toThrow(expect.objectContaining({ retryAfterSeconds: 3 }));
});

test.each([
  ['a /56', 60, (index: number) => `2001:db8:1:${(0x200 + index).toString(16)}::1`],
  ['a /48', 200, (index: number) => `2001:db8:1:${(index * 256).toString(16)}::1`],
])('all networks of %s together get %i attempts a minute', (_what, most, addressOf) => {
  const limit = createLoginLimit(() => 0);
  const attempt = (address: string) => limit.attempt({ method: 'password', address });
  for (let tried = 0; tried < most; tried += 1) attempt(addressOf(tried));
  expect(() => attempt(addressOf(most))).toThrow(refused);
  attempt('2001:db8:2::1');
});

test('one attempt that is refused takes nothing from the networks around it', () => {
  const limit = createLoginLimit(() => 0);
  const attempt = (address: string) => limit.attempt({ method: 'password', address });
  for (let tried = 0; tried < 500; tried += 1) {
    try {
      attempt('2001:db8:1:200::1');
    } catch {}
  }
  for (let tried = 0; tried < 20; tried += 1) attempt('2001:db8:1:201::1');
});

test.each(methods)('a success with %s gives back what it took', (method) => {
  const limit = createLoginLimit(() => 0);
  for (let signedIn = 0; signedIn < 500; signedIn += 1) {
    limit.begin(method, '203.0.113.7');
    limit.attempt({ method, address: '203.0.113.7', email: 'ana@example.com', linkId: 'a' }).succeed();
  }
});

test('a browser that says that it knows the account has its own attempts, and its network counts as ever', () => {
  const limit = createLoginLimit(() => 0);
  const email = 'ana@example.com';
  const tryFrom = (address: string, device?: string) => limit.attempt({ method: 'password', address, email, device });
  for (let tried = 0; tried < 20; tried += 1) tryFrom(`203.0.113.${tried}`);
  expect(() => tryFrom('203.0.113.100')).toThrow(refused);
  for (let tried = 0; tried < 20; tried += 1) tryFrom('198.51.100.7', 'md_mine');
  expect(() => tryFrom('198.51.100.8', 'md_mine')).toThrow(refused);
  expect(() => tryFrom('198.51.100.7', 'md_other')).toThrow(refused);
});

test('each way to sign in has its own attempts', () => {
  const limit = createLoginLimit(() => 0);
  for (const method of methods) {
    for (let tried = 0; tried < 20; tried += 1) limit.attempt({ method, address: '203.0.113.7' });
  }
  for (const method of ['password', 'passkey', 'oidc'] as const) {
    expect(() => limit.attempt({ method, address: '203.0.113.7' })).toThrow(refused);
  }
});

test('a login link of a network that has had its attempts is only suspect', () => {
  const limit = createLoginLimit(() => 0);
  const attempt = (linkId: string) => limit.attempt({ method: 'link', address: '203.0.113.7', linkId });
  for (let tried = 0; tried < 20; tried += 1) expect(attempt(`link${tried}`).isSuspect).toBe(false);
  expect(attempt('another').isSuspect).toBe(true);
});

test('a network looks at login links 120 times a minute, which uses up no attempt, and then it is only suspect', () => {
  const limit = createLoginLimit(() => 0);
  const look = (linkId: string) => limit.attempt({ method: 'look', address: '203.0.113.7', linkId });
  for (let looked = 0; looked < 120; looked += 1) expect(look(`link${looked}`).isSuspect).toBe(false);
  expect(look('another').isSuspect).toBe(true);
  for (let looked = 0; looked < 119; looked += 1) look('another');
  expect(() => look('another')).toThrow(refused);
  expect(limit.attempt({ method: 'link', address: '203.0.113.7', linkId: 'another' }).isSuspect).toBe(false);
});

test('one login link gets 20 attempts a minute from all networks together', () => {
  const limit = createLoginLimit(() => 0);
  const attempt = (address: string, linkId: string) => limit.attempt({ method: 'link', address, linkId });
  for (let tried = 0; tried < 20; tried += 1) attempt(`198.51.100.${tried}`, 'a');
  expect(() => attempt('198.51.100.99', 'a')).toThrow(refused);
  attempt('198.51.100.99', 'b');
});

test('one account gets 20 attempts a minute from all networks together, however its address is written', () => {
  const limit = createLoginLimit(() => 0);
  const attempt = (address: string, email?: string) => limit.attempt({ method: 'password', address, email });
  const written = ['ana@example.com', 'Ana@Example.com', ' ANA@EXAMPLE.COM '];
  for (let tried = 0; tried < 20; tried += 1) attempt(`198.51.100.${tried}`, written[tried % 3]);
  expect(() => attempt('198.51.100.99', 'ana@example.com')).toThrow(refused);
  attempt('198.51.100.99', 'rui@example.com');
});

test('a network that begins and never signs in waits', () => {
  const limit = createLoginLimit(() => 0);
  for (let begun = 0; begun < 120; begun += 1) limit.begin('passkey', '203.0.113.7');
  expect(() => limit.begin('passkey', '203.0.113.7')).toThrow(refused);
  limit.begin('oidc', '203.0.113.7');
  limit.attempt({ method: 'passkey', address: '203.0.113.7' });
});

test('a network that floods accounts without a session waits, and other networks do not', () => {
  const check = createGuestLimit(() => 0);
  for (let asked = 0; asked < 6000; asked += 1) check('203.0.113.7');
  expect(() => check('203.0.113.7')).toThrow(refused);
  check('203.0.113.8');
});

test('many refused sessions make a network wait, others cost nothing, and other networks do not wait', () => {
  let nowMs = 0;
  const limit = createRefusalLimit(() => nowMs);
  for (let open = 0; open < 1000; open += 1) {
    expect(limit.take('203.0.113.7')).toBe(0);
    limit.giveBack('203.0.113.7');
  }
  for (let refused = 0; refused < 600; refused += 1) expect(limit.take('203.0.113.7')).toBe(0);
  expect(limit.take('203.0.113.7')).toBe(1);
  expect(limit.take('203.0.113.8')).toBe(0);
  nowMs += 100;
  expect(limit.take('203.0.113.7')).toBe(0);
});
