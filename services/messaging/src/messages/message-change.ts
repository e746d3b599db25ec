import type { MessageChange } from '../channels/channel-provider.ts';
import { toInboundBody } from './inbound-body.ts';
import type { MessageRow } from './message.ts';

/** The last change of one kind by one side to a message. */
export type ChangeRow = {
  readonly kind: MessageChange['kind'];
  readonly source: 'lead' | 'seller';
  readonly event_id: string;
  readonly changed_at: Date;
  /** The emoji, or null when it was removed; the new text. */
  readonly body: string | null;
  readonly body_truncated: boolean;
  /** The channel told it with the past, from before the number was connected. */
  readonly from_history: boolean;
};

/** What changes of a message that came before. */
export type ChangedColumns = Pick<MessageRow, 'body' | 'body_truncated' | 'reactions' | 'edited_at' | 'revoked_at'>;

/** A change as it is stored. */
export function toChangeRow(change: MessageChange, from_history = false): ChangeRow {
  const { by, eventId: event_id, at: changed_at } = change;
  const source: ChangeRow['source'] = by ?? 'lead';
  const about = { source, event_id, changed_at, body_truncated: false, from_history };
  switch (change.kind) {
    case 'reaction':
      return { ...about, kind: 'reaction', body: change.emoji };
    case 'edit':
      return { ...about, kind: 'edit', ...toInboundBody(change.body) };
    case 'revocation':
      return { ...about, kind: 'revocation', body: null };
  }
}

/**
 * A message with the changes that are stored for it. The result is the same in whatever order they came, and repeating
 * them changes nothing. A lead edits and deletes only its own messages, and the store's telephone only those of the store.
 * A deletion is final: the text is gone, whatever edits come later.
 */
export function withChanges(
  message: ChangedColumns & Pick<MessageRow, 'source'>,
  changes: readonly ChangeRow[],
): ChangedColumns {
  const isOfLead = message.source === 'lead';
  const own = (kind: ChangeRow['kind']) =>
    changes.find((change) => change.kind === kind && (change.source === 'lead') === isOfLead);
  const [edit, revocation] = [own('edit'), own('revocation')];
  const text = revocation
    ? { body: '', body_truncated: false }
    : edit && { body: edit.body ?? '', body_truncated: edit.body_truncated };
  return {
    ...(text ?? { body: message.body, body_truncated: message.body_truncated }),
    reactions: changes.flatMap(({ kind, source, body, changed_at }) =>
      kind === 'reaction' && body !== null ? [{ emoji: body, from: source, at: changed_at.toISOString() }] : [],
    ),
    edited_at: edit?.changed_at ?? null,
    revoked_at: revocation?.changed_at ?? null,
  };
}
