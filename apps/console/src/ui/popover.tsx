import { Popover as Base } from '@base-ui/react/popover';
import { X } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import { m } from '../paraglide/messages.js';
import { Button } from './button.tsx';
import styles from './popover.module.css';

type PopoverProps = {
  readonly open: boolean;
  readonly onClose: () => void;
  /** What it belongs to. It gets the focus back. */
  readonly anchor: RefObject<HTMLElement | null>;
  readonly title: string;
  readonly children: ReactNode;
};

/** More about what stands beside it. It takes the focus, and gives it back with Escape. */
export const Popover = ({ open, onClose, anchor, title, children }: PopoverProps) => (
  <Base.Root open={open} onOpenChange={(next) => next || onClose()}>
    <Base.Portal>
      <Base.Positioner
        className={styles.positioner}
        anchor={anchor}
        side="bottom"
        align="end"
        sideOffset={4}
        collisionPadding={8}
      >
        <Base.Popup className={styles.popup} finalFocus={anchor}>
          <div className={styles.head}>
            <Base.Title className={styles.title}>{title}</Base.Title>
            <Base.Close render={<Button kind="bare" />} aria-label={m.close()}>
              <X size={16} aria-hidden />
            </Base.Close>
          </div>
          <div className={styles.body}>{children}</div>
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
);
