import type { Outgoing } from './outgoing.ts';
import type { OwnStorage } from './own-storage.ts';

/** The server keeps the answer to a key for 24 hours. */
const keptMs = 23 * 60 * 60_000;

const nameOf = (leadId: string) => `outbox.${leadId}`;

/** Whether the server may have forgotten the key, so that a message that it has got would be sent a second time. */
export const isLate = ({ createdAt }: Pick<Outgoing, 'createdAt'>, now: number): boolean =>
  Date.parse(createdAt) < now - keptMs;

/** What becomes of a late message: the person decides. */
export const late = { state: 'refused', refusal: { code: 'not_sent_in_time', reason: '' } } as const;

/** The messages to a lead that were not sent on an earlier visit, or that another tab sends. */
export const readKept = (storage: OwnStorage, leadId: string, now: number): Outgoing[] =>
  parsed(storage.read(nameOf(leadId)))
    .filter(({ id }) => id === undefined)
    .map((item) => (isLate(item, now) ? { ...item, ...late } : item));

/** Keeps messages in place of those that this tab had. Those of other tabs stay. */
export function keep(
  storage: OwnStorage,
  leadId: string,
  { items, had }: { readonly items: readonly Outgoing[]; readonly had: readonly Outgoing[] },
): void {
  const own = new Set([...items, ...had].map(({ key }) => key));
  const all = [...parsed(storage.read(nameOf(leadId))).filter(({ key }) => !own.has(key)), ...items];
  storage.write(nameOf(leadId), all.length > 0 ? JSON.stringify(all) : null);
}

function parsed(text: string | null): Outgoing[] {
  try {
    return JSON.parse(text ?? '[]');
  } catch {
    return [];
  }
}
