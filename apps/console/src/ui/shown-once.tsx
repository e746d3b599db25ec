import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from './button.tsx';
import { CopyBox } from './copy.tsx';
import { DialogBody, DialogFoot } from './dialog.tsx';

type ShownOnceProps = {
  readonly label: string;
  /** What the button says that copies it. */
  readonly copy: string;
  readonly secret: string;
  /** What the button says that closes the dialog. */
  readonly done: string;
  readonly onClose: () => void;
  readonly children?: ReactNode;
};

/** The only place where a secret is shown. Escape must not close its dialog: the secret would be lost. */
export function ShownOnce({ label, copy, secret, done, onClose, children }: ShownOnceProps) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  return (
    <>
      <DialogBody>
        <CopyBox label={label} action={copy} text={secret} buttonRef={button} />
        {children}
      </DialogBody>
      <DialogFoot>
        <Button kind="main" onClick={onClose}>
          {done}
        </Button>
      </DialogFoot>
    </>
  );
}
