import { Toast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import { wordsOf } from '../api/failure.ts';
import { m } from '../paraglide/messages.js';
import { Button } from './button.tsx';
import styles from './toasts.module.css';

const manager = Toast.createToastManager();

/** Says in a corner what has happened. Screen readers hear it too. */
export const say = (title: string): void => void manager.add({ title });
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
  const id = manager.add({
    title,
    // Time enough to read it and to reach the button.
    timeout: 10_000,
    actionProps: {
      children: action,
      onClick: () => {
        manager.close(id);
        act();
      },
    },
  });
  return () => manager.close(id);
};
/** Says what went wrong, in words of its own. */
export const sayProblem = (title: string): void => void manager.add({ title, type: 'error', priority: 'high' });
export const sayFailure = (error: unknown): void => sayProblem(wordsOf(error));

export const Toasts = () => (
  <Toast.Provider toastManager={manager}>
    <Toast.Portal>
      <Toast.Viewport className={styles.viewport}>
        <Shown />
      </Toast.Viewport>
    </Toast.Portal>
  </Toast.Provider>
);

function Shown() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className={styles.toast}>
      <Toast.Content className={styles.content}>
        <Toast.Title className={styles.title} />
        <Toast.Action render={<Button className={styles.undo} />} />
        <Toast.Close render={<Button kind="bare" />} aria-label={m.close()}>
          <X size={14} aria-hidden />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ));
}
