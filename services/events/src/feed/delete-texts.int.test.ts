import { randomUUID } from 'node:crypto';
import type { FeedEntry } from '@mostrador/contracts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { append, entryOf, readAll } from '../../test/entries.ts';
import { startEvents, type TestEvents } from '../../test/events.ts';
import { deleteTexts } from './delete-texts.ts';

let events: TestEvents;
beforeAll(async () => {
  events = await startEvents();
});
afterAll(() => events?.stop());

const at = '2026-11-30T10:00:00.000Z';
const objectOf = (members: object) => ({
  ...{ body: 'secret', body_truncated: false, content: null, media: null, revoked_at: null, created_at: at },
  ...members,
});
const messageEntry = (
  storeId: string,
  entityId: string,
  type: string,
  members: object = {},
  previous: FeedEntry['previous'] = null,
): FeedEntry => {
  const { entity, ...entry } = entryOf(storeId, { entityId, type, previous });
  return {
    ...entry,
    entity: { ...entity, type: 'message' },
    data: { message_id: entityId, object: objectOf(members) },
  };
};

const deleted = { body: '', revoked_at: at };
const objectsOf = async (storeId: string) =>
  (await readAll(events, storeId)).map(({ type, data, previous }) => {
    const { body, content, media } = (data.object ?? {}) as Record<string, unknown>;
    return { type, body, content, media, previous };
  });

// `most`: 1 of each step, so that every step begins where the one before ended.
test.each([1, 2, 10_000])(
  'the text of a deleted message goes from all events before, %s at a time, and no other text does',
  async (most) => {
    const storeId = randomUUID();
    const [id, other] = [randomUUID(), randomUUID()];
    await append(
      events,
      messageEntry(storeId, other, 'message.received', { body: 'kept' }),
      messageEntry(storeId, id, 'message.received', { content: { latitude: 1 }, media: { filename: 'secret.pdf' } }),
      messageEntry(storeId, other, 'message.updated', { body: 'kept, edited' }, { body: 'kept' }),
      messageEntry(storeId, id, 'message.updated', { body: 'secret, edited' }, { body: 'secret', edited_at: null }),
      entryOf(storeId, { type: 'lead.created' }),
      messageEntry(storeId, id, 'message.updated', deleted, { revoked_at: null }),
      messageEntry(storeId, id, 'message.updated', { ...deleted, reactions: [] }, { reactions: [] }),
    );
    const none = { content: null, media: null };
    const feed = async () => JSON.stringify(await readAll(events, storeId));
    expect(await feed()).toContain('secret.pdf');
    await deleteTexts(events.dependencies.systemDatabase, undefined, most);
    expect(await feed()).not.toContain('secret');
    expect(await objectsOf(storeId)).toMatchObject([
      { body: 'kept' },
      { type: 'message.received', body: '', ...none, previous: null },
      { body: 'kept, edited', previous: { body: 'kept' } },
      { type: 'message.updated', body: '', ...none, previous: { body: '', edited_at: null } },
      { type: 'lead.created' },
      { body: '', previous: { revoked_at: null } },
      { body: '', previous: { reactions: [] } },
    ]);
    expect(await events.adminSql`select from deleted_texts`).toHaveLength(0);
  },
);
