import { type Static, Type } from '@sinclair/typebox';
import { StoreTier, type Tier } from '../core/access.ts';
import { Described, Exact, NullableString, Text, Timestamp, Uuid } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';

/** Requests per minute for each key, by tier, unless the store has its own rate. */
export const requestsPerMinute: Readonly<Record<Tier, number>> = {
  free: 60,
  starter: 300,
  pro: 6000,
  enterprise: 60_000,
};

/** An IANA time zone name that Node's `Intl` knows. */
const TimeZone = (options: { default?: string } = {}) =>
  Type.String({ ...options, format: 'time-zone', maxLength: 100 });

/** A BCP 47 language tag such as `pt-BR`. */
const Locale = (options: { default?: string } = {}) => Type.String({ ...options, format: 'locale', maxLength: 35 });

/** An ISO 3166 code of a country. */
const Country = Type.String({
  format: 'country',
  description: 'ISO 3166 code of the country whose national phone numbers are completed',
});

/** The settings that other services need to act by the store's clock. */
export const getStoreSettings = defineOperation({
  subject: 'accounts.internal.stores.settings',
  summary: "Read a store's time zone and locale",
  request: {},
  reply: Type.Object({ timezone: Type.String({ description: 'IANA time zone' }), locale: Type.String() }),
  errors: ['store_not_found'],
});

/** A store as the admin command sees it: only what its own row has. */
export const StoreRecord = Type.Object({
  id: Uuid,
  name: Type.String(),
  tier: StoreTier,
  timezone: Type.String(),
  locale: Type.String(),
  country: NullableString,
  requests_per_minute: Type.Integer({ description: 'The effective rate: the store’s own, otherwise the tier’s.' }),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type StoreRecord = Static<typeof StoreRecord>;

const RateLimit = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  minimum: 1,
  maximum: 10_000_000,
  description: 'Requests per minute for each key. Null: the rate of the tier.',
});

export const createStore = defineOperation({
  subject: 'accounts.admin.stores.create',
  access: 'platform',
  tenancy: 'none',
  summary: 'Create a store',
  request: {
    body: Exact({
      name: Text(200),
      tier: Type.Optional(Described(StoreTier, { default: 'free' })),
      timezone: Type.Optional(TimeZone({ default: 'UTC' })),
      locale: Type.Optional(Locale({ default: 'en' })),
      country: Type.Optional(Country),
      rate_limit: Type.Optional(RateLimit),
    }),
  },
  reply: StoreRecord,
});

export const updateStore = defineOperation({
  subject: 'accounts.admin.stores.update',
  access: 'platform',
  tenancy: 'none',
  summary: 'Change a store',
  request: {
    body: Exact(
      {
        store_id: Uuid,
        name: Type.Optional(Text(200)),
        tier: Type.Optional(StoreTier),
        timezone: Type.Optional(TimeZone()),
        locale: Type.Optional(Locale()),
        country: Type.Optional(Country),
        rate_limit: Type.Optional(RateLimit),
      },
      { minProperties: 2 },
    ),
  },
  reply: StoreRecord,
  errors: ['store_not_found'],
});

export const listStores = defineOperation({
  subject: 'accounts.admin.stores.list',
  access: 'platform',
  tenancy: 'none',
  summary: 'List stores by name, up to 200 after a given id, or only the given one',
  request: { body: Exact({ after_id: Type.Optional(Uuid), store_id: Type.Optional(Uuid) }) },
  reply: Type.Object({ stores: Type.Array(StoreRecord), more: Type.Boolean() }),
});

/** The service publishes here when a store or a key has changed. It is only a hint: each gateway also polls. */
export const accessChangedSubject = 'accounts.notice.access-changed';
