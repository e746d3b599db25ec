import { AlertDialog } from '@base-ui/react/alert-dialog';
import type { ReactNode, RefObject } from 'react';
import styles from './dialog.module.css';
import { useLeaving } from './unsaved.tsx';

type DialogProps = {
  readonly open: boolean;
  /** Called when the person asks to close it: with Escape. A click beside it does nothing. */
  readonly onClose: () => void;
  /** Called after it has disappeared. */
  readonly onClosed?: () => void;
  readonly title: string;
  readonly about?: ReactNode;
  readonly initialFocus?: RefObject<HTMLElement | null>;
  readonly children: ReactNode;
};

/**
 * A question that stands above everything else. What is typed into it is not lost by a click beside it, nor by Escape
 * without another question.
 */
export function Dialog({ open, onClose, onClosed, title, about, initialFocus, children }: DialogProps) {
  const { leave, around } = useLeaving(false);
  return (
    <AlertDialog.Root
      open={open}
      onOpenChange={(next) => next || leave(onClose)}
      onOpenChangeComplete={(next) => next || onClosed?.()}
    >
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={styles.backdrop} />
        <AlertDialog.Popup className={styles.popup} initialFocus={initialFocus}>
          <div className={styles.head}>
            <AlertDialog.Title className={styles.title}>{title}</AlertDialog.Title>
            {about && <AlertDialog.Description className={styles.about}>{about}</AlertDialog.Description>}
          </div>
          {around(children)}
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

export const DialogBody = ({ children }: { children: ReactNode }) => <div className={styles.body}>{children}</div>;
export const DialogFoot = ({ children }: { children: ReactNode }) => <div className={styles.foot}>{children}</div>;
