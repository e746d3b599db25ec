import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { wordsOf } from '../api/failure.ts';
import { m } from '../paraglide/messages.js';
import { Button } from './button.tsx';
import { Dialog, DialogBody, DialogFoot } from './dialog.tsx';
import { Bad } from './page.tsx';

type ConfirmProps = {
  readonly open: boolean;
  readonly onClose: () => void;
  /** The question. */
  readonly title: string;
  /** What follows from a yes, and whether it can be undone. */
  readonly about: ReactNode;
  /** What the button says: the act, not “yes”. */
  readonly action: string;
  readonly kind?: 'main' | 'danger';
  /** Does it. The question stays, with the error in words, when it fails. */
  readonly act: () => Promise<unknown>;
  readonly children?: ReactNode;
};

/** Asks before something that cannot be undone. The focus is on the way out. */
export function Confirm({ open, onClose, title, about, action, kind = 'danger', act, children }: ConfirmProps) {
  const cancel = useRef<HTMLButtonElement>(null);
  const confirmed = useMutation({ mutationFn: act, onSuccess: onClose });
  return (
    <Dialog open={open} onClose={onClose} onClosed={confirmed.reset} title={title} about={about} initialFocus={cancel}>
      {(children || confirmed.error) && (
        <DialogBody>
          {children}
          {confirmed.error && <Bad>{wordsOf(confirmed.error)}</Bad>}
        </DialogBody>
      )}
      <DialogFoot>
        <Button ref={cancel} onClick={onClose}>
          {m.cancel()}
        </Button>
        <Button kind={kind} busy={confirmed.isPending} onClick={() => confirmed.mutate()}>
          {action}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
