import { Toast } from '@base-ui/react/toast';
import { wordsOf } from '../api/failure.ts';
import { m } from '../paraglide/messages.js';

export const manager = Toast.createToastManager();
/** The corner is loaded after the screen, and what is said before waits for it. */
const { promise: shown, resolve } = Promise.withResolvers<void>();
export const startShowing = (): void => resolve();
type Said = Parameters<typeof manager.add>[0];
const add = (toast: Said): void => void shown.then(() => manager.add(toast));
const close = (id: string): void => void shown.then(() => manager.close(id));

/** Says in a corner what has happened. Screen readers hear it too. */
export const say = (title: string): void => add({ title });
/**
 * Says it and offers to take it back.
 * @returns closes it, for when it can no longer be taken back
 */
export const sayWithUndo = (title: string, act: () => void): (() => void) => sayWithAct(title, m.undo(), act);

/**
 * Says something, with a button for what the person can do about it.
 * @returns closes it
 */
export const sayWithAct = (title: string, action: string, act: () => void): (() => void) => {
  const id = crypto.randomUUID();
  add({
    id,
    title,
    // Time enough to read it and to reach the button.
    timeout: 10_000,
    actionProps: {
      children: action,
      onClick: () => {
        close(id);
        act();
      },
    },
  });
  return () => close(id);
};
/** Says what went wrong, in words of its own. */
export const sayProblem = (title: string): void => add({ title, type: 'error', priority: 'high' });
export const sayFailure = (error: unknown): void => sayProblem(wordsOf(error));
