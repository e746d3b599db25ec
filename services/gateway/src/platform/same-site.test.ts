import { expect, test } from 'vitest';
import { isFromThisSite } from './same-site.ts';

const own = 'https://mostrador.example';

test.each<[string, string | undefined, string | undefined, boolean, string]>([
  ['GET', undefined, undefined, true, 'a read needs nothing'],
  ['GET', 'same-origin', undefined, true, 'a read of a page of this address'],
  ['GET', 'none', undefined, true, 'a typed address'],
  ['GET', 'cross-site', undefined, false, 'an address that another site opens'],
  ['GET', 'same-site', 'https://blog.mostrador.example', false, 'an address that a sibling opens'],
  ['POST', 'same-origin', own, true, 'a page of this address'],
  ['POST', 'same-origin', undefined, true, 'a page of this address without an origin'],
  ['DELETE', undefined, own, true, 'an old browser at this address'],
  ['POST', undefined, undefined, false, 'nothing says where it comes from'],
  ['POST', 'cross-site', 'https://evil.example', false, 'another site'],
  ['POST', 'same-site', 'https://blog.mostrador.example', false, 'a sibling of this address'],
  ['POST', 'none', undefined, false, 'a typed address, which never posts'],
  ['POST', 'cross-site', own, false, 'a forged origin beside the truth'],
  ['DELETE', undefined, 'https://evil.example', false, 'an old browser at another site'],
  ['PATCH', undefined, 'null', false, 'a sandboxed frame'],
  ['POST', undefined, `${own}.evil.example`, false, 'an origin that only begins like this one'],
  ['POST', undefined, 'http://mostrador.example', false, 'another scheme'],
])('%s with Sec-Fetch-Site %s and Origin %s: %s (%s)', (method, site, origin, expected) => {
  expect(isFromThisSite({ method, site, origin, hasSession: true }, own)).toBe(expected);
});

test('without a session every site may read what is public, and none may act', () => {
  const from = { site: 'cross-site', origin: 'https://evil.example', hasSession: false };
  expect(isFromThisSite({ ...from, method: 'GET' }, own)).toBe(true);
  expect(isFromThisSite({ ...from, method: 'POST' }, own)).toBe(false);
});
