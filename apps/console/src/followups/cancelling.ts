import { useSyncExternalStore } from 'react';

let hidden: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();

function set(next: ReadonlySet<string>): void {
  hidden = next;
  for (const listener of listeners) listener();
}

/** Lists leave out what is about to be cancelled. */
export const hide = (id: string): void => set(new Set([...hidden, id]));
export const show = (id: string): void => set(new Set([...hidden].filter((one) => one !== id)));

/** The follow-ups that are being cancelled. */
export const useCancelling = (): ReadonlySet<string> =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => hidden,
  );
