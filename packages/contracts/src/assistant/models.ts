import { type Static, Type } from '@sinclair/typebox';
import { Done, Exact, NullableTimestamp, OneOf } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';

/** Who can write answers. `demo`: fixed rules in this platform, which need no account. It is for trying the product. */
export const modelProviders = ['demo'] as const;

/** The model that a store has connected. */
const ModelConnection = Type.Object({
  provider: Type.Union([OneOf(modelProviders), Type.Null()]),
  connected_at: NullableTimestamp,
});
export type ModelConnection = Static<typeof ModelConnection>;

export const connectModel = defineOperation({
  subject: 'assistant.admin.models.connect',
  summary: 'Connect a provider of models to a store, in place of the previous one',
  request: { body: Exact({ provider: OneOf(modelProviders) }) },
  reply: ModelConnection,
});

export const showModel = defineOperation({
  subject: 'assistant.admin.models.show',
  summary: 'Read which provider of models a store has connected',
  request: {},
  reply: ModelConnection,
});

export const disconnectModel = defineOperation({
  subject: 'assistant.admin.models.disconnect',
  summary: 'Disconnect the provider of models of a store',
  request: {},
  reply: Done,
});
