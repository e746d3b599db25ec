import { type Static, Type } from '@sinclair/typebox';
import { ScopeWord } from '../core/access.ts';
import {
  About,
  Exact,
  Nullable,
  NullableString,
  NullableTimestamp,
  NullableUuid,
  OneOf,
  Text,
  Timestamp,
  Uuid,
} from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { TokenId } from './token-id.ts';

const ApiKeyCreator = Type.Object(
  {
    kind: OneOf(['operator', 'user'], {
      title: 'ApiKeyCreatorKind',
      description: '`operator`: who runs the platform, with the admin command. `user`: a person of the store.',
    }),
    id: About(NullableUuid, 'The id of the person. Null: the operator.'),
    name: About(NullableString, 'The name of the person, or their email address if they left. Null: the operator.'),
  },
  { title: 'ApiKeyCreator', description: 'Who created the key.' },
);

/** An API key without its secret. */
export const ApiKey = Type.Object(
  {
    id: Type.String({ description: 'The part of the key between the underscores. It is not secret.' }),
    store_id: Uuid,
    name: Type.String(),
    scopes: Type.Array(ScopeWord),
    created_at: Timestamp,
    expires_at: NullableTimestamp,
    revoked_at: NullableTimestamp,
    last_used_at: NullableTimestamp,
    created_by: Type.Optional(Nullable(ApiKeyCreator, { description: 'Who created it. Null: it is not known.' })),
  },
  { title: 'ApiKey', description: 'An API key without its secret.' },
);
export type ApiKey = Static<typeof ApiKey>;

/** `api_key` is the key itself, `mk_live_<key id>_<secret>`. It is shown once; only its hash is stored. */
const NewApiKey = Type.Object({ api_key: Type.String(), key: ApiKey });

export const createApiKey = defineOperation({
  subject: 'accounts.admin.keys.create',
  access: 'platform',
  tenancy: 'none',
  summary: 'Create an API key for a store',
  request: {
    body: Exact({
      store_id: Uuid,
      name: Text(200),
      scopes: Type.Optional(Type.Array(ScopeWord, { minItems: 1, uniqueItems: true })),
      expires_at: Type.Optional(NullableTimestamp),
    }),
  },
  reply: NewApiKey,
  errors: ['store_not_found'],
});

export const listApiKeys = defineOperation({
  subject: 'accounts.admin.keys.list',
  access: 'platform',
  tenancy: 'none',
  summary: "List a store's API keys, newest first",
  request: { body: Exact({ store_id: Uuid }) },
  reply: Type.Object({ keys: Type.Array(ApiKey) }),
  errors: ['store_not_found'],
});

export const rotateApiKey = defineOperation({
  subject: 'accounts.admin.keys.rotate',
  access: 'platform',
  tenancy: 'none',
  summary: 'Create a key that replaces another; the old key stays valid for the overlap',
  request: {
    body: Exact({
      key_id: TokenId,
      overlap_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 90 * 86_400, default: 86_400 })),
    }),
  },
  reply: Type.Object({ api_key: Type.String(), key: ApiKey, replaced: ApiKey }),
  errors: ['api_key_not_found'],
});

export const revokeApiKey = defineOperation({
  subject: 'accounts.admin.keys.revoke',
  access: 'platform',
  tenancy: 'none',
  summary: 'Revoke an API key; every gateway rejects it within two seconds',
  request: { body: Exact({ key_id: TokenId }) },
  reply: ApiKey,
  errors: ['api_key_not_found'],
});

/** For `GET /me`: the gateway itself reads only what decides about access. */
export const getApiKey = defineOperation({
  subject: 'accounts.internal.keys.get',
  access: 'platform',
  summary: 'Read an API key of the store',
  request: { body: Exact({ key_id: TokenId }) },
  reply: ApiKey,
  errors: ['invalid_api_key'],
});

/** The most uses in one request. */
export const maxKeyUses = 1000;

/** The gateway may not write keys, so it reports their use. */
export const recordKeyUses = defineOperation({
  subject: 'accounts.internal.keys.record-uses',
  access: 'platform',
  tenancy: 'none',
  summary: 'Record when keys were last used',
  request: {
    body: Exact({
      uses: Type.Array(Exact({ key_id: TokenId, used_at: Timestamp }), { maxItems: maxKeyUses }),
    }),
  },
  reply: Type.Object({}),
});
