import { doLater } from './later.ts';
import { sayFailure, sayWithUndo } from './toasts.tsx';

/** How long an act that cannot be taken back waits for a change of mind. */
const undoMs = 10_000;

type Later = {
  /** What happens, in words. */
  readonly title: string;
  readonly act: () => Promise<unknown>;
  /** Shows things as they were, when the person takes it back or the act fails. */
  readonly restore: () => void;
  /** Says why it failed. Default: in the usual words. */
  readonly onFailure?: (error: unknown) => void;
};

/** Says that something is done, and does it when it can no longer be taken back: for what is final. */
export function actLater({ title, act, restore, onFailure = sayFailure }: Later): void {
  const takeBack = doLater(() => {
    close();
    act().catch((error: unknown) => {
      restore();
      onFailure(error);
    });
  }, undoMs);
  const close = sayWithUndo(title, () => {
    takeBack();
    restore();
  });
}
