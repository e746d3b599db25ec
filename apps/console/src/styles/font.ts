import latin from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';

const storageKey = 'mostrador.font';
/** By then a first visit has loaded what it needs, also over a slow network. */
const restMs = 10_000;

/**
 * Shows the console in its own typeface from the second visit on. The first visit fetches it when nothing waits any more,
 * and keeps the system's: a person who comes for the first time does not wait for a typeface, and nothing moves.
 */
export function bringFont(): void {
  if (localStorage.getItem(storageKey) === latin) {
    void import('./fonts.css');
    return;
  }
  setTimeout(async () => {
    const answer = await fetch(latin).catch(() => undefined);
    if (!answer?.ok) return;
    await answer.arrayBuffer();
    localStorage.setItem(storageKey, latin);
  }, restMs);
}
