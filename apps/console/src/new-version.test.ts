import { afterEach, beforeEach, expect, test, vi } from 'vitest';

let page: EventTarget;
const reload = vi.fn<() => void>();
let newVersion: typeof import('./new-version.ts');
beforeEach(async () => {
  page = new EventTarget();
  vi.resetModules();
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
  vi.stubGlobal('location', { reload });
  const kept = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
  });
  newVersion = await import('./new-version.ts');
});
afterEach(() => {
  vi.unstubAllGlobals();
  reload.mockClear();
});

const gone = new Error('Unable to preload');
/** Loads a screen whose files are gone, as Vite does: it dispatches the event and throws. Resolves to what came first. */
const load = () => {
  const screen = newVersion.loadScreen(() => {
    page.dispatchEvent(new Event('vite:preloadError'));
    return Promise.reject(gone);
  });
  const settled = screen().then(
    () => 'loaded',
    (error) => error,
  );
  return Promise.race([settled, new Promise((resolve) => setImmediate(resolve, 'waits'))]);
};

test('a screen whose files another version has replaced loads the page again, and shows no error meanwhile', async () => {
  newVersion.followNewVersion(() => true);
  expect(await load()).toBe('waits');
  expect(reload).toHaveBeenCalledOnce();
});

test('what the router only loads ahead shows its error and loads nothing again', async () => {
  newVersion.followNewVersion(() => false);
  expect(await load()).toBe(gone);
  expect(reload).not.toHaveBeenCalled();
});
