import type { SystemDatabase } from '@mostrador/kit/database/database';
import type { Log } from '@mostrador/kit/process/log';
import { type Periodic, periodically } from '@mostrador/kit/process/periodic';
import { deleteNextText } from './deleted-text.repository.ts';
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

const everyMs = 5_000;
const stepLimitMs = 10_000;
/** The most events that one transaction looks through. */
const window = 10_000;

type Options = { readonly systemDatabase: SystemDatabase; readonly log: Log };

/** Takes the texts of deleted messages from the events that told them. */
export const deletedTextsJob = ({ systemDatabase, log }: Options): Periodic =>
  periodically({
    name: 'texts of deleted messages',
    everyMs,
    log,
    run: (signal) => deleteTexts(systemDatabase, signal),
  });

export async function deleteTexts(database: SystemDatabase, signal?: AbortSignal, most = window): Promise<void> {
  while (!signal?.aborted) {
    if (!(await database.write({ deadline: Date.now() + stepLimitMs }, (sql) => deleteNextText(sql, most)))) return;
  }
}
