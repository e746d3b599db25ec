import type { NumberedEntry } from './number-entries.ts';

/** A message whose text may be in events up to `through`, and in none from before `since`. */
export type DeletedText = {
  readonly store_id: string;
  readonly message_id: string;
  readonly through: number;
  readonly since: Date;
};

type Told = { readonly created_at: string; readonly revoked_at?: string | null };

/** The messages that these events tell to be deleted. Events of one message arrive in order, so all with its text are before. */
export const deletedTextsIn = (events: readonly NumberedEntry[]): DeletedText[] =>
  events.flatMap(({ type, store_id, entity, sequence, previous, data }) => {
    const told = data.object as Told | null | undefined;
    // A large event has no `previous`.
    const isDeletion = type === 'message.updated' && told?.revoked_at && (!previous || 'revoked_at' in previous);
    return isDeletion ? [{ store_id, message_id: entity.id, through: sequence, since: new Date(told.created_at) }] : [];
  });
