import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useBlocker } from '@tanstack/react-router';
import { createContext, type ReactNode, type SyntheticEvent, use, useEffect, useMemo, useRef, useState } from 'react';
import { m } from '../paraglide/messages.js';
import { addForm, forget, hasUnsaved, hasUnsavedInDialog, type IsUnsaved } from '../unsaved.ts';
import { Button } from './button.tsx';
import styles from './dialog.module.css';

type Scope = {
  readonly forms: Set<IsUnsaved>;
  readonly onPage: boolean;
  /** Acts at once, or asks first when a form of the scope has something that is not saved. */
  readonly leave: (act: () => void) => void;
};
const ScopeContext = createContext<Scope | undefined>(undefined);

/** A question is open, or its last key has just closed it: a dialog below hears the same key. */
let isAsking = false;
function setAsking(asking: boolean): void {
  if (asking) isAsking = true;
  else setTimeout(() => (isAsking = false));
}

/**
 * Asks before what was typed in the forms of a dialog, or of a part of the page, is lost.
 * @returns `leave`, which asks where it is needed, and `around`, which the forms stand in
 */
export function useLeaving(onPage: boolean) {
  const [act, setAct] = useState<() => void>();
  const scope = useMemo<Scope>(() => {
    const forms = new Set<IsUnsaved>();
    const leave = (next: () => void) => {
      if (isAsking) return;
      if ([...forms].some((isUnsaved) => isUnsaved())) setAct(() => next);
      else next();
    };
    return { forms, onPage, leave };
  }, [onPage]);
  const discard = () => {
    setAct(undefined);
    forget(scope.forms);
    scope.forms.clear();
    act?.();
  };
  const around = (children: ReactNode) => (
    <ScopeContext value={scope}>
      {children}
      <Question open={act !== undefined} onStay={() => setAct(undefined)} onDiscard={discard} />
    </ScopeContext>
  );
  return { leave: scope.leave, around };
}

/** A part of the page whose forms can be left. */
export function Leaving({ children }: { children: ReactNode }) {
  return useLeaving(true).around(children);
}

/** For the way out of a form: acts at once, or asks first. */
export function useLeave(): Scope['leave'] {
  const scope = use(ScopeContext);
  return scope?.leave ?? ((act) => act());
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
const isControl = (element: Element): element is Control => element.matches('input, select, textarea');
const shownBy = (control: Control): string =>
  control instanceof HTMLInputElement && /^(checkbox|radio)$/.test(control.type)
    ? String(control.checked)
    : control.value;

type Unsaved = {
  /** For what no field shows, such as a list that buttons change. */
  readonly isChanged?: boolean;
  /** While it is being saved, nothing is lost. */
  readonly busy?: boolean;
};

/**
 * Says of a form whether a field differs from what it had when the person came to it. The form takes the properties that
 * this returns.
 */
export function useUnsaved({ isChanged = false, busy = false }: Unsaved = {}) {
  const scope = use(ScopeContext);
  const before = useRef(new Map<Control, string>());
  const latest = useRef({ isChanged, busy });
  latest.current = { isChanged, busy };
  useEffect(() => {
    const isUnsaved = () =>
      // Without a connection nothing is being saved yet.
      !(latest.current.busy && navigator.onLine) &&
      (latest.current.isChanged ||
        [...before.current].some(([control, value]) => control.isConnected && shownBy(control) !== value));
    const remove = addForm(isUnsaved, scope?.onPage ?? true);
    scope?.forms.add(isUnsaved);
    return () => {
      remove();
      scope?.forms.delete(isUnsaved);
    };
  }, [scope]);
  const note = ({ currentTarget }: SyntheticEvent<HTMLFormElement>) => {
    for (const element of currentTarget.elements) {
      if (isControl(element) && !before.current.has(element)) before.current.set(element, shownBy(element));
    }
  };
  // Not every browser gives a box the focus that a click changes.
  return { onFocusCapture: note, onPointerOverCapture: note };
}

type QuestionProps = { readonly open: boolean; readonly onStay: () => void; readonly onDiscard: () => void };

function Question({ open, onStay, onDiscard }: QuestionProps) {
  const stay = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open) return;
    setAsking(true);
    return () => setAsking(false);
  }, [open]);
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => next || onStay()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={styles.backdrop} />
        <AlertDialog.Popup className={styles.popup} initialFocus={stay}>
          <div className={styles.head}>
            <AlertDialog.Title className={styles.title}>{m.ui_unsaved_title()}</AlertDialog.Title>
            <AlertDialog.Description className={styles.about}>{m.ui_unsaved_text()}</AlertDialog.Description>
          </div>
          <div className={styles.foot}>
            <Button ref={stay} onClick={onStay}>
              {m.ui_unsaved_stay()}
            </Button>
            <Button kind="danger" onClick={onDiscard}>
              {m.ui_unsaved_discard()}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

type Places = { readonly current: { pathname: string }; readonly next: { pathname: string } };
const wouldLose = ({ current, next }: Places): boolean =>
  current.pathname === next.pathname ? hasUnsavedInDialog() : hasUnsaved();

let askPage: ((act: () => void) => void) | undefined;

/** For what replaces the page, such as signing out: acts at once, or asks first when something is not saved. */
export function leavePage(act: () => void): void {
  if (hasUnsaved() && askPage) askPage(act);
  else act();
}

/** Asks before the person goes to another screen, or leaves the page, with something that is not saved. */
export function UnsavedGuard() {
  const blocker = useBlocker({ shouldBlockFn: wouldLose, enableBeforeUnload: hasUnsaved, withResolver: true });
  const [act, setAct] = useState<() => void>();
  useEffect(() => {
    askPage = (next) => setAct(() => next);
    return () => {
      askPage = undefined;
    };
  }, []);
  const stay = () => {
    setAct(undefined);
    blocker.reset?.();
  };
  const discard = () => {
    forget();
    setAct(undefined);
    act?.();
    blocker.proceed?.();
  };
  return <Question open={act !== undefined || blocker.status === 'blocked'} onStay={stay} onDiscard={discard} />;
}
