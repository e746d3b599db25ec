import { Dialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import { m } from '../paraglide/messages.js';
import { Button } from './button.tsx';
import styles from './drawer.module.css';
import { useLeaving } from './unsaved.tsx';

type DrawerProps = {
  readonly open: boolean;
  /** Called when the person asks to close it: with Escape, the cross, or a click beside it. */
  readonly onClose: () => void;
  /** Called after it has disappeared. */
  readonly onClosed?: () => void;
  readonly title: string;
  readonly about?: ReactNode;
  /** What can be done, beside the cross. */
  readonly actions?: ReactNode;
  /** Stays at the lower end while the content scrolls. */
  readonly foot?: ReactNode;
  readonly initialFocus?: RefObject<HTMLElement | null>;
  /** A click beside it does nothing: for a form. */
  readonly keep?: boolean;
  readonly children: ReactNode;
};

/** A panel at the side with more about one row, above the list from which it was opened. */
export function Drawer(props: DrawerProps) {
  const { open, onClose, onClosed, title, about, actions, foot, initialFocus, keep = false, children } = props;
  const { leave, around } = useLeaving(false);
  return (
    <Dialog.Root
      open={open}
      onOpenChange={(next) => next || leave(onClose)}
      onOpenChangeComplete={(next) => next || onClosed?.()}
      disablePointerDismissal={keep}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup className={styles.popup} initialFocus={initialFocus}>
          <header className={styles.head}>
            <div className={styles.heading}>
              <Dialog.Title className={styles.title}>{title}</Dialog.Title>
              {about && <Dialog.Description className={styles.about}>{about}</Dialog.Description>}
            </div>
            <div className={styles.actions}>
              {actions}
              <Dialog.Close render={<Button kind="bare" />} aria-label={m.close()}>
                <X size={16} aria-hidden />
              </Dialog.Close>
            </div>
          </header>
          {around(
            <>
              <div ref={(body) => scrollableByKeys(body)} className={styles.body}>
                {children}
              </div>
              {foot && <footer className={styles.foot}>{foot}</footer>}
            </>,
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const focusable = 'a[href], button, input, select, textarea, [tabindex="0"]';

/** Not every browser lets the keyboard scroll what has nothing to focus. It looks again whenever the drawer is drawn. */
function scrollableByKeys(body: HTMLElement | null): void {
  if (body?.querySelector(focusable)) body.removeAttribute('tabindex');
  else if (body) body.tabIndex = 0;
}
