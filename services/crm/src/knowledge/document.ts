import {
  greatestDocumentBytes,
  greatestDocumentJsonBytes,
  type importDocument,
  type KnowledgeDocument,
  type RequestOf,
} from '@mostrador/contracts';
import type { OutboxEntry } from '@mostrador/kit/outbox/outbox';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import { searchLanguage } from './language.ts';

/** The row of a document. */
export type DocumentRow = Omit<KnowledgeDocument, 'name' | 'created_at'> & {
  readonly source_name: string;
  readonly created_at: Date;
};

/** The values of a document that an import writes. */
export type DocumentContent = {
  readonly source_name: string;
  readonly title: string;
  readonly content: string;
  readonly language: string;
  /** Whether the import names the language. Without one a document keeps its own. */
  readonly namesLanguage: boolean;
  readonly is_active: boolean;
};

/** `storeLocale`: of a new document without a locale. Throws `validation_failed` if the normalized text is empty or too long. */
export function newDocument(body: RequestOf<typeof importDocument>['body'], storeLocale: string): DocumentContent {
  const content = normalText(body.content);
  if (content === '') throw refused('must not be empty');
  if (Buffer.byteLength(content) > greatestDocumentBytes) {
    throw refused(`must have at most ${greatestDocumentBytes / 1024} KiB of text; split it`);
  }
  if (Buffer.byteLength(JSON.stringify(content)) > greatestDocumentJsonBytes) {
    throw refused(
      `must have at most ${greatestDocumentJsonBytes / 1024} KiB as JSON; remove quotation marks or line breaks`,
    );
  }
  return {
    source_name: (body.name ?? body.title).normalize('NFC'),
    title: body.title,
    content,
    language: searchLanguage(body.locale ?? storeLocale),
    namesLanguage: body.locale !== undefined,
    is_active: body.is_active ?? true,
  };
}

/** Normalizes letters to NFC and line ends to `\n`, and removes control characters except the tab. */
function normalText(text: string): string {
  return (
    text
      .normalize('NFC')
      .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufeff]/g, '')
      .trim()
  );
}

const refused = (detail: string) => validationFailed([{ pointer: '#/content', detail }]);

/** A document as the API returns it. */
export function toDocument(row: DocumentRow): KnowledgeDocument {
  return {
    id: row.id,
    name: row.source_name,
    title: row.title,
    content: row.content,
    is_active: row.is_active,
    created_at: toTimestamp(row.created_at),
  };
}

/** The entries of the event of an import that created or changed a document. */
export function documentImported(row: DocumentRow): OutboxEntry[] {
  const data = { document_id: row.id, is_active: row.is_active };
  return [
    { kind: 'event', type: 'crm.document.imported', data },
    { kind: 'feed', type: 'document.imported', entityId: row.id, etag: null, data, object: toDocument(row) },
  ];
}
