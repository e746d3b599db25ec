import { type Static, Type } from '@sinclair/typebox';
import { Done, Exact, NullableString, OneOf, Timestamp } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';

/**
 * Who can write answers. `demo`: fixed rules in this platform, which need no account. It is for trying the product.
 * `openai_compatible`: any server with the API of OpenAI, such as Ollama, llama-server or vLLM.
 */
export const modelProviders = ['demo', 'openai', 'gemini', 'openai_compatible'] as const;
export type ModelProvider = (typeof modelProviders)[number];

/** A provider of models that a store has connected. Its key is never shown. */
const ModelConnection = Type.Object({
  provider: OneOf(modelProviders),
  /** Null: the public address of the provider. */
  url: NullableString,
  /** The name of the model at the provider. Null: `demo`. */
  model: NullableString,
  connected_at: Timestamp,
});
export type ModelConnection = Static<typeof ModelConnection>;

const Address = Type.String({ minLength: 1, maxLength: 2000, pattern: '^https?://[^\\s]+$' });

export const connectModel = defineOperation({
  subject: 'assistant.admin.models.connect',
  summary: 'Connect a provider of models to a store, as its default, in place of an earlier connection of the provider',
  request: {
    body: Exact({
      provider: OneOf(modelProviders),
      url: Type.Optional(Address),
      model: Type.Optional(Type.String({ minLength: 1, maxLength: 200, pattern: '^[\\w./:@+-]+$' })),
      secrets: Type.Optional(Exact({ api_key: Type.String({ minLength: 1, maxLength: 1000, pattern: '^[!-~]+$' }) })),
    }),
  },
  reply: ModelConnection,
});

export const showModels = defineOperation({
  subject: 'assistant.admin.models.show',
  summary: 'Read which providers of models a store has connected, the default first',
  request: {},
  reply: Type.Object({ data: Type.Array(ModelConnection) }),
});

export const disconnectModels = defineOperation({
  subject: 'assistant.admin.models.disconnect',
  summary: 'Disconnect one provider of models of a store, or all, and delete their keys',
  request: { body: Exact({ provider: Type.Optional(OneOf(modelProviders)) }) },
  reply: Done,
});
