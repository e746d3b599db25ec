import { expect, test } from 'vitest';
import { relyingPartyOf } from './relying-party.ts';

test.each([
  ['https://loja.example.com', { id: 'loja.example.com', origin: 'https://loja.example.com' }],
  ['https://loja.example.com:8443/x', { id: 'loja.example.com', origin: 'https://loja.example.com:8443' }],
  ['http://localhost:8080', { id: 'localhost', origin: 'http://localhost:8080' }],
  ['http://127.0.0.1:8080', { id: 'localhost', origin: 'http://localhost:8080' }],
  ['http://[::1]:8080', { id: 'localhost', origin: 'http://localhost:8080' }],
  ['https://203.0.113.7', null],
  ['https://[2001:db8::1]', null],
])('passkeys at %s are for %j', (publicUrl, party) => {
  expect(relyingPartyOf(publicUrl)).toEqual(party);
});
