import { useEffect, useRef } from 'react';

type Actions = {
  readonly next: () => void;
  readonly previous: () => void;
  readonly search: () => void;
  readonly write: () => void;
  readonly back: () => void;
  readonly help: () => void;
};

const actionOf: Readonly<Record<string, keyof Actions>> = {
  j: 'next',
  ArrowDown: 'next',
  k: 'previous',
  ArrowUp: 'previous',
  '/': 'search',
  r: 'write',
  Escape: 'back',
  '?': 'help',
};

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.matches('input, textarea, select');
/** What opens above the page has keys of its own, and so have scrolled regions. */
const hasOwnKeys = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  target.closest('[role="menu"], [role="alertdialog"], [role="dialog"], [aria-haspopup]');

/** Keys of the inbox. They do nothing while the person types, except Escape, which leaves the field. */
export function useShortcuts(actions: Actions): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, target } = event;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      const name = actionOf[key.length === 1 ? key.toLowerCase() : key];
      if (!name || hasOwnKeys(target)) return;
      if (isTyping(target) && name !== 'back') return;
      const scrolls = target instanceof Element && target.closest('[data-thread] [data-virtuoso-scroller]');
      if (scrolls && key.startsWith('Arrow')) return;
      event.preventDefault();
      latest.current[name]();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}
