import { readConfig } from '@mostrador/kit/process/config';
import { Type } from '@sinclair/typebox';
import { expect, test } from 'vitest';
import { accountsConfig } from '../config.ts';
import { oidcSettings } from './oidc-settings.ts';

const schema = Type.Pick(accountsConfig, [
  ...['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_NAME', 'OIDC_SCOPES', 'OIDC_TRUST_EMAIL'],
] as (keyof typeof accountsConfig.properties)[]);
const read = (env: Record<string, string>) => oidcSettings(readConfig(schema, env) as never);
const all = { OIDC_ISSUER: 'https://login.example.com/realms/a', OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: 'y' };

test('three variables are enough, and the button has the name of the host', () => {
  expect(read(all)).toMatchObject({ name: 'login.example.com', scopes: 'openid email', trustsEmail: false });
  expect(read({ ...all, OIDC_NAME: 'Example', OIDC_TRUST_EMAIL: 'true' })).toMatchObject({
    ...{ name: 'Example', trustsEmail: true },
  });
});

test('without any of them there is no provider', () => {
  expect(read({ OIDC_NAME: 'Example' })).toBeNull();
});

test.each(Object.keys(all))('without %s alone the process does not start, and names it', (name) => {
  expect(() => read({ ...all, [name]: '' })).toThrow(`Set ${name} too`);
});

test.each<Record<string, string>>([
  { OIDC_ISSUER: 'login.example.com' },
  { OIDC_ISSUER: 'https://login.example.com/?realm=a' },
  { OIDC_SCOPES: 'email profile' },
  { OIDC_SCOPES: 'openid  email' },
])('%j is not valid', (wrong) => {
  expect(() => read({ ...all, ...wrong })).toThrow(Object.keys(wrong)[0]);
});
