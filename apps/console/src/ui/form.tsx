import type { FormEvent, ReactNode } from 'react';
import { m } from '../paraglide/messages.js';
import { Button } from './button.tsx';
import { DialogBody, DialogFoot } from './dialog.tsx';
import styles from './form.module.css';
import { Bad } from './page.tsx';
import { useLeave, useUnsaved } from './unsaved.tsx';

type DialogFormProps = {
  readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  readonly onClose: () => void;
  /** What the button says that submits it: the act, not “OK”. */
  readonly action: string;
  readonly busy: boolean;
  /** What went wrong and no field says. */
  readonly bad: string | undefined;
  /** What the way out says. */
  readonly cancel?: string;
  /** It has something that is not saved and that no field shows. */
  readonly isChanged?: boolean;
  readonly children: ReactNode;
};

/** The form of a dialog. The browser's own bubbles stay away: each field says its fault. */
export function DialogForm(props: DialogFormProps) {
  const { onSubmit, onClose, action, busy, bad, cancel, isChanged = false, children } = props;
  const leave = useLeave();
  const unsaved = useUnsaved({ isChanged, busy });
  return (
    <form noValidate onSubmit={onSubmit} className={styles.form} {...unsaved}>
      <DialogBody>
        {children}
        {bad && <Bad>{bad}</Bad>}
      </DialogBody>
      <DialogFoot>
        <Button onClick={() => leave(onClose)}>{cancel ?? m.cancel()}</Button>
        <Button type="submit" kind="main" busy={busy}>
          {action}
        </Button>
      </DialogFoot>
    </form>
  );
}
