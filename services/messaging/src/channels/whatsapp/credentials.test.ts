import { describe, expect, test } from 'vitest';
import { appSecretsOf, replaceCredentials } from './credentials.ts';

const hourMs = 3_600_000;
const at = Date.UTC(2026, 10, 21);
const of = (app_secret: string) => ({ access_token: 'token', app_secret, verify_token: 'verify' });

describe('an app secret that was replaced', () => {
  const rotated = replaceCredentials(of('new'), of('old'), at);

  test('stays valid for signatures for a day', () => {
    expect(appSecretsOf(rotated, at)).toEqual(['new', 'old']);
    expect(appSecretsOf(rotated, at + 24 * hourMs - 1)).toEqual(['new', 'old']);
    expect(appSecretsOf(rotated, at + 24 * hourMs)).toEqual(['new']);
  });

  test('stops being valid when the channel is connected again', () => {
    expect(appSecretsOf(replaceCredentials(of('newest'), rotated, at + hourMs), at + hourMs)).toEqual([
      'newest',
      'new',
    ]);
    expect(appSecretsOf(replaceCredentials(of('new'), rotated, at + hourMs), at + hourMs)).toEqual(['new']);
  });
});

test('a first connection has one app secret', () => {
  expect(appSecretsOf(replaceCredentials(of('first'), undefined, at), at)).toEqual(['first']);
});
