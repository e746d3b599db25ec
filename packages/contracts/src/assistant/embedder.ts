import { type Static, Type } from '@sinclair/typebox';
import { Done, Exact, Nullable, NullableString, Timestamp, Uuid } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { KnowledgeIndex } from '../crm/knowledge.ts';
import { ModelKey, ModelName, ModelUrl } from './models.ts';

/** The server that turns texts of a store into vectors. Its key is never shown. */
const EmbedderConnection = Type.Object({ url: Type.String(), model: Type.String(), connected_at: Timestamp });
export type EmbedderConnection = Static<typeof EmbedderConnection>;

export const connectEmbedder = defineOperation({
  subject: 'assistant.admin.embedder.connect',
  summary: 'Connect a server with `/embeddings` of the API of OpenAI to a store, in place of an earlier one',
  request: {
    body: Exact({
      url: ModelUrl,
      model: ModelName,
      secrets: Type.Optional(Exact({ api_key: ModelKey })),
    }),
  },
  reply: EmbedderConnection,
});

export const showEmbedder = defineOperation({
  subject: 'assistant.admin.embedder.show',
  summary: 'Read which embedder a store has, and how far its passages have vectors',
  request: {},
  reply: Type.Object({ embedder: Nullable(EmbedderConnection), index: Nullable(KnowledgeIndex) }),
});

export const disconnectEmbedder = defineOperation({
  subject: 'assistant.admin.embedder.disconnect',
  summary: 'Disconnect the embedder of a store, and delete its key and the vectors',
  request: {},
  reply: Done,
});

/** Texts in one call of an embedder. */
export const mostTextsToEmbed = 32;

export const embedTexts = defineOperation({
  subject: 'assistant.internal.texts.embed',
  summary: 'Ask the embedder of a store for the vectors of texts, once',
  request: {
    body: Exact({
      /** The one that is meant: vectors of two models cannot be compared. */
      embedder_id: Uuid,
      texts: Type.Array(Type.String({ minLength: 1, maxLength: 2000 }), { minItems: 1, maxItems: mostTextsToEmbed }),
    }),
  },
  reply: Type.Object({
    /** For each text the numbers as float32, little-endian, in base64. All have the same length. Null: it failed. */
    vectors: Nullable(Type.Array(Type.String())),
    /** `not_connected`: the store has no embedder, or another one. The others are those of a model. */
    failure: NullableString,
    retry_after_seconds: Nullable(Type.Number()),
  }),
});
