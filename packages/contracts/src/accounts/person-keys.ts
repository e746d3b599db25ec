import { Type } from '@sinclair/typebox';
import { ScopeWord } from '../core/access.ts';
import { About, Exact, NullableTimestamp, Text } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { ApiKey, createApiKey, rotateApiKey } from './keys.ts';
import { TokenId } from './token-id.ts';

// API keys as the owner of a store manages them. The store is that of the session.

/** The most valid keys of a store. Two are needed for each while one replaces the other. */
export const mostStoreKeys = 100;

const keyParams = { params: Exact({ keyId: TokenId }) };

export const listStoreKeys = defineOperation({
  subject: 'accounts.platform.keys.list',
  http: { method: 'GET', path: '/keys' },
  access: { role: 'owner' },
  tenancy: 'none',
  summary: 'List the API keys of the store, newest first',
  request: {},
  reply: Type.Object({ data: Type.Array(ApiKey) }),
  errors: ['invalid_session', 'role_required'],
});

/** A person says what the key may do, and until when. Nothing is by default. */
export const createStoreKey = defineOperation({
  subject: 'accounts.platform.keys.create',
  http: { method: 'POST', path: '/keys', status: 201 },
  access: { role: 'owner' },
  tenancy: 'none',
  summary: 'Create an API key; it is shown only in this answer',
  request: {
    body: Exact({
      name: Text(200),
      scopes: Type.Array(ScopeWord, { minItems: 1, uniqueItems: true }),
      expires_at: About(NullableTimestamp, 'When it expires. Null: never.'),
    }),
  },
  reply: createApiKey.reply,
  errors: ['invalid_session', 'role_required', 'api_key_limit'],
});

export const rotateStoreKey = defineOperation({
  subject: 'accounts.platform.keys.rotate',
  http: { method: 'POST', path: '/keys/:keyId/rotate', status: 201 },
  access: { role: 'owner' },
  tenancy: 'none',
  summary: 'Create a key that replaces another; the old key stays valid for the overlap',
  request: {
    ...keyParams,
    body: Exact({ overlap_seconds: Type.Integer({ minimum: 0, maximum: 90 * 86_400 }) }),
  },
  reply: rotateApiKey.reply,
  errors: ['invalid_session', 'role_required', 'api_key_not_found', 'api_key_limit'],
});

export const revokeStoreKey = defineOperation({
  subject: 'accounts.platform.keys.revoke',
  http: { method: 'DELETE', path: '/keys/:keyId' },
  access: { role: 'owner' },
  tenancy: 'none',
  summary: 'Revoke an API key; every gateway rejects it within two seconds',
  request: keyParams,
  reply: ApiKey,
  errors: ['invalid_session', 'role_required', 'api_key_not_found'],
});
