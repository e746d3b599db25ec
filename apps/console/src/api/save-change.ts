import { Failure } from './failure.ts';
import type { Versioned } from './platform.ts';

/** Another person has changed the same members since the form showed them. Nothing was saved. */
export class ChangedMeanwhile<Data> extends Error {
  /** As it is now. */
  readonly now: Data;

  constructor(now: Data) {
    super('changed meanwhile');
    this.now = now;
  }
}

type Saving<Data, Change> = {
  /** What the form showed, or what its person was told since. */
  readonly seen: Data;
  /** The members that the person changed. */
  readonly change: Change;
  readonly read: () => Promise<Versioned<Data>>;
  readonly write: (change: Change, etag: string) => Promise<Data>;
};

/**
 * Saves a change of some members on top of what is there now. What another person changed in others stays.
 *
 * @throws ChangedMeanwhile
 */
export async function saveChange<Data extends object, Change extends Partial<Data>>(
  saving: Saving<Data, Change>,
): Promise<Data> {
  const { seen, change, read, write } = saving;
  // The server takes no change that is empty.
  if (Object.keys(change).length === 0) return seen;
  const { data: now, etag } = await read();
  const textOf = (data: Data, member: string) => JSON.stringify(data[member as keyof Data] ?? null);
  if (Object.keys(change).some((member) => textOf(now, member) !== textOf(seen, member))) {
    throw new ChangedMeanwhile(now);
  }
  try {
    return await write(change, etag);
  } catch (error) {
    if (error instanceof Failure && error.code === 'version_mismatch') return await saveChange(saving);
    throw error;
  }
}
