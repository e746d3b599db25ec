import { dataOf, platform } from '../api/platform.ts';
import { queries } from '../api/queries.ts';
import { saveChange } from '../api/save-change.ts';
import { documentsQuery, readDocument } from './queries.ts';

export type DocumentText = { readonly title: string; readonly content: string; readonly is_active: boolean };
/** A document that can be changed: it tells its name, under which it is saved. */
export type NamedDocument = DocumentText & { readonly id: string; readonly name: string };

/**
 * Adds a document, or changes the one with this name.
 *
 * @param name of a new document: one of its own, so that it replaces none of the same title
 */
export const putDocument = async (name: string, { title, content, is_active }: DocumentText): Promise<void> => {
  await dataOf(platform.POST('/knowledge/documents', { body: { name, title, content, is_active } }));
  await queries.invalidateQueries({ queryKey: documentsQuery.queryKey });
};

/**
 * Saves the members that the person changed on top of what is there now.
 *
 * @throws ChangedMeanwhile
 */
export async function saveDocument(seen: NamedDocument, change: Partial<DocumentText>): Promise<NamedDocument> {
  let now: NamedDocument = seen;
  return await saveChange<NamedDocument, Partial<DocumentText>>({
    ...{ seen, change },
    read: async () => {
      now = { ...now, ...(await readDocument(seen.id)) };
      return { data: now, etag: '' };
    },
    write: async (changed) => {
      const saved = { ...now, ...changed };
      await putDocument(seen.name, saved);
      return saved;
    },
  });
}
