import { createEgress } from '@mostrador/kit/clients/egress';
import type { AppError } from '@mostrador/kit/rpc/errors';
import { describe, expect, test } from 'vitest';
import { providerOf } from '../channels/providers.ts';
import { toConnection } from './connect-channel.ts';

const whole = {
  provider: 'whatsapp_cloud' as const,
  phone_number_id: '106540352242922',
  phone: '15550783881',
  secrets: { access_token: 'token', app_secret: 'app-secret', verify_token: 'verify' },
};
const toConnectionOf = (body: Parameters<typeof toConnection>[1]) =>
  toConnection(providerOf(body), body, createEgress({}));
const faultsOf = (body: Parameters<typeof toConnection>[1]): string[] => {
  try {
    toConnectionOf(body);
  } catch (error) {
    const { members } = error as AppError;
    return (members as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer);
  }
  return [];
};

describe('a connection request must fit its provider', () => {
  test('one answer names every missing member', () => {
    expect(faultsOf({ provider: 'whatsapp_cloud' })).toEqual([
      '#/phone_number_id',
      '#/phone',
      '#/secrets/access_token',
      '#/secrets/app_secret',
      '#/secrets/verify_token',
    ]);
  });

  test('the sandbox rejects a phone number id, an API URL and secrets', () => {
    expect(faultsOf({ ...whole, provider: 'sandbox', api_url: 'https://example.com' })).toEqual([
      '#/phone_number_id',
      '#/api_url',
      '#/secrets',
    ]);
    expect(faultsOf({ provider: 'sandbox', reply_window_minutes: 1440 })).toEqual([]);
  });

  test('only the sandbox gets a new address or a reply window of its own', () => {
    expect(faultsOf({ ...whole, rotate: true, reply_window_minutes: 1440 })).toEqual([
      '#/rotate',
      '#/reply_window_minutes',
    ]);
  });

  test.each(['ftp://example.com', 'https://a:b@example.com', 'https://example.com/?a=b', 'https://example.com/#a'])(
    'an unusable API URL is rejected: %s',
    (api_url) => {
      expect(faultsOf({ ...whole, api_url })).toEqual(['#/api_url']);
    },
  );

  test('an API URL that would send the access token to another machine without TLS is rejected', () => {
    expect(faultsOf({ ...whole, api_url: 'http://graph.example.com' })).toEqual(['#/api_url']);
    expect(faultsOf({ ...whole, api_url: 'http://127.0.0.1:9' })).toEqual([]);
  });

  test.each(['', 'secret', '1234567'])('an app secret that is easy to guess is rejected: %j', (app_secret) => {
    expect(faultsOf({ ...whole, secrets: { ...whole.secrets, app_secret } })).toEqual(['#/secrets/app_secret']);
  });

  test('an access token that is not valid in a header is rejected', () => {
    const secrets = { ...whole.secrets, access_token: 'tok\nen' };
    expect(faultsOf({ ...whole, secrets })).toEqual(['#/secrets/access_token']);
  });
});

test('the API URL defaults to Meta’s, and a trailing slash is removed', () => {
  expect(toConnectionOf(whole)).toMatchObject({ api_url: 'https://graph.facebook.com/v23.0' });
  expect(toConnectionOf({ ...whole, api_url: 'http://127.0.0.1:9/v1/' })).toMatchObject({
    api_url: 'http://127.0.0.1:9/v1',
  });
  expect(toConnectionOf({ provider: 'sandbox' })).toEqual({
    provider: 'sandbox',
    business_account_id: null,
    phone: null,
    phone_number_id: null,
    api_url: null,
  });
});
