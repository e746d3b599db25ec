import { type Static, Type } from '@sinclair/typebox';
import {
  About,
  Done,
  Exact,
  Nullable,
  NullableString,
  NullableUuid,
  OneOf,
  Page,
  paging,
  Text,
  Timestamp,
  Uuid,
} from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';

/** The maximum size of a document's text in bytes of UTF-8: 128 KiB. */
export const greatestDocumentBytes = 128 * 1024;

/**
 * The maximum size of the same text as JSON, where a line break or a quotation mark takes two bytes. Fifty such
 * documents, the largest page, fit into one NATS message.
 */
export const greatestDocumentJsonBytes = 160 * 1024;

export const KnowledgeDocument = Type.Object(
  {
    id: About(Uuid, 'The id of the document.'),
    // A crm of 0.2.0 does not tell it, and neither do its events.
    name: Type.Optional(
      Type.String({
        description: 'The name under which it was saved. `POST /knowledge/documents` with it replaces it.',
      }),
    ),
    title: Type.String({ description: 'The title of the document.' }),
    content: Type.String({ description: 'The full text, at most 128 KiB.' }),
    is_active: Type.Boolean({ description: 'Whether the agents answer from it.' }),
    created_at: About(Timestamp, 'When it was created.'),
  },
  { title: 'KnowledgeDocument', description: 'A document from which the AI agents answer.' },
);
export type KnowledgeDocument = Static<typeof KnowledgeDocument>;

export const listDocuments = defineOperation({
  subject: 'crm.api.documents.list',
  http: { method: 'GET', path: '/knowledge/documents' },
  access: { scope: 'knowledge:read' },
  summary: 'List the knowledge documents',
  description: 'With their full content, newest first, then by id.',
  request: { query: Exact(paging({ default: 20, maximum: 50 })) },
  reply: Page(KnowledgeDocument),
});

export const getDocument = defineOperation({
  subject: 'crm.api.documents.get',
  http: { method: 'GET', path: '/knowledge/documents/:documentId' },
  access: { scope: 'knowledge:read' },
  summary: 'Read a knowledge document',
  request: { params: Exact({ documentId: About(Uuid, 'The id of the document.') }) },
  reply: KnowledgeDocument,
  errors: ['document_not_found'],
});

export const Passage = Type.Object(
  {
    document: Type.Object(
      {
        id: About(Uuid, 'The id of the document.'),
        title: Type.String({ description: 'The title of the document.' }),
      },
      { title: 'PassageDocument', description: 'The document that has the passage.' },
    ),
    text: Type.String({ description: 'The passage as it stands in the document.' }),
    highlight: Type.String({
      description:
        'The same text as HTML: escaped, with each matching word between `<mark>` and `</mark>`, and no other markup.',
    }),
    score: Type.Number({ description: 'From 0 to 1, comparable within one answer.' }),
    ranks: Type.Object(
      {
        full_text: Nullable(Type.Integer({ description: 'Its place by words. Null: it has none of them.' })),
        vectors: Nullable(Type.Integer({ description: 'Its place by meaning. Null: it was not among the nearest.' })),
      },
      { title: 'PassageRanks', description: 'Its place in each ranking, from 1. The order of the answer joins both.' },
    ),
  },
  { title: 'Passage', description: 'A part of a document that matches a search.' },
);
export type Passage = Static<typeof Passage>;

export const searchKnowledge = defineOperation({
  subject: 'crm.api.knowledge.search',
  http: { method: 'GET', path: '/knowledge/search' },
  access: { scope: 'knowledge:read' },
  summary: 'Search the knowledge documents',
  description:
    'The passages of active documents that match `q`, best first. A word matches in all its forms in the store’s ' +
    'language, with or without accents, and with small misspellings. A passage with more of the words ranks higher. ' +
    'If `q` contains `"a phrase"`, `OR` or `-word`, it matches exactly, as in web search. In a store with an embedder a ' +
    'search also ranks passages by their meaning, and joins both rankings.',
  extension: true,
  request: {
    query: Exact({
      q: Text(500, { description: 'Words, or a question.' }),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 10, description: 'Passages per answer.' })),
    }),
  },
  reply: Type.Object(
    {
      data: Type.Array(Passage, { description: 'The passages, best first.' }),
      vectors: OneOf(['used', 'not_used', 'unavailable'], {
        title: 'VectorUse',
        description:
          'Whether meanings were compared. `not_used`: the store has no embedder, or the search is exact. ' +
          '`unavailable`: the embedder gave no answer, so only words were compared.',
      }),
    },
    { description: 'The result of a search.' },
  ),
});

const DocumentToImport = Exact(
  {
    name: Type.Optional(
      Text(255, {
        description:
          'Your own name of the document, such as a file name without its folder. A document with this name in the store ' +
          'is replaced. Default: the title.',
      }),
    ),
    title: Text(200, { description: 'The title of the document.' }),
    content: Type.String({
      minLength: 1,
      maxLength: greatestDocumentBytes,
      description: 'The text, at most 128 KiB of UTF-8.',
    }),
    locale: Type.Optional(
      Type.String({
        format: 'locale',
        maxLength: 35,
        description:
          'The language of the text. It decides the word forms that a search finds. Default: that of the document, and ' +
          'of a new one the store’s locale.',
      }),
    ),
    is_active: Type.Optional(Type.Boolean({ default: true, description: 'Whether the agents answer from it.' })),
  },
  { description: 'The document.' },
);

const ImportedDocument = Type.Object(
  {
    result: OneOf(['created', 'changed', 'unchanged'], {
      title: 'DocumentImportResult',
      description: '`changed`: it replaced the document of this name. `unchanged`: that was the same already.',
    }),
    id: About(Uuid, 'The id of the document.'),
    title: Type.String({ description: 'The title of the document.' }),
    is_active: Type.Boolean({ description: 'Whether the agents answer from it.' }),
    passages: Type.Integer({ description: 'The number of passages that a search can find. An inactive one has none.' }),
  },
  { title: 'ImportedDocument', description: 'The outcome of an import.' },
);

export const importDocument = defineOperation({
  subject: 'crm.api.documents.save',
  http: { method: 'POST', path: '/knowledge/documents' },
  access: { scope: 'knowledge:write' },
  summary: 'Add a document to the knowledge base, or change the one with this name',
  description:
    'Plain text or Markdown. The admin command also reads HTML, PDF and Word files. `is_active: false` keeps the ' +
    'document out of searches and answers. A new document answers 200, too: `result` says what happened.',
  extension: true,
  request: { body: DocumentToImport },
  reply: ImportedDocument,
});

/** As `importDocument`, for a gateway of 0.2.0 beside this version. */
export const importStoreDocument = defineOperation({
  subject: 'crm.platform.documents.import',
  access: { role: 'manager' },
  summary: importDocument.summary,
  request: importDocument.request,
  reply: ImportedDocument,
});

/** How far the passages of a store have vectors. */
export const KnowledgeIndex = Type.Object({
  passages: Type.Integer(),
  /** Passages with a vector of the store's embedder. */
  indexed: Type.Integer(),
  /** Why the latest attempt failed. Null: it did not. */
  failure: NullableString,
  attempts: Type.Integer(),
  /** Null: all passages have vectors. */
  next_attempt_at: Nullable(Timestamp),
});

export const setKnowledgeEmbedder = defineOperation({
  subject: 'crm.internal.knowledge.embedder',
  summary: 'Give the passages of a store vectors of this embedder, or delete all vectors',
  request: { body: Exact({ embedder_id: NullableUuid }) },
  reply: Done,
});

export const showKnowledgeIndex = defineOperation({
  subject: 'crm.internal.knowledge.index',
  summary: 'Read how far the passages of a store have vectors',
  request: {},
  reply: Type.Object({ index: Nullable(KnowledgeIndex) }),
});

export const knowledgeOperations = {
  listDocuments,
  getDocument,
  searchKnowledge,
  importDocument,
  importStoreDocument,
  setKnowledgeEmbedder,
  showKnowledgeIndex,
} as const;
