import { type Static, Type } from '@sinclair/typebox';
import { ScopeWord } from '../core/access.ts';
import { About, NullableTimestamp, Timestamp } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { Store } from './stores.ts';

const CallingKey = Type.Object(
  {
    id: Type.String({ description: 'The part of the key between the underscores. It is not secret.' }),
    name: Type.String({ description: 'The name that the key was given.' }),
    scopes: Type.Array(ScopeWord, { description: 'What the key may do.' }),
    expires_at: About(NullableTimestamp, 'When it expires. Null: never.'),
    created_at: About(Timestamp, 'When it was created.'),
  },
  { title: 'CallingKey', description: 'The API key of the request, without its secret.' },
);

const { id, name, tier, timezone, locale, country } = Store.properties;
const CallingStore = Type.Object(
  { id, name, tier, timezone, locale, country },
  { title: 'CallingStore', description: 'The store of the key. `GET /store` tells more.' },
);

const RateLimit = Type.Object(
  {
    requests_per_minute: Type.Integer({
      description: 'The requests that the key may send in a minute. `RateLimit` tells how many are left.',
    }),
  },
  { title: 'RateLimit', description: 'The rate limit of the key.' },
);

/** Who calls: the key, its store and its rate limit. */
export const Me = Type.Object(
  { key: CallingKey, store: CallingStore, rate_limit: RateLimit },
  { title: 'Me', description: 'The API key of the request, and its store.' },
);
export type Me = Static<typeof Me>;

export const getMe = defineOperation({
  subject: 'gateway.api.me.get',
  http: { method: 'GET', path: '/me' },
  access: { scope: null },
  summary: 'Read the key that calls, and its store',
  description:
    'Every valid key gets an answer, so this shows whether a key works, what it may do, and for which store.',
  extension: true,
  request: {},
  reply: Me,
});
