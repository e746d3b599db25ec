import { afterEach, beforeEach, expect, test, vi } from 'vitest';

let page: EventTarget;
const reload = vi.fn<() => void>();
const ask = vi.fn<() => Promise<{ ok: boolean }>>();
let newVersion: typeof import('./new-version.ts');
let loaded = 0;
beforeEach(async () => {
  page = new EventTarget();
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
  vi.stubGlobal('location', { reload, href: 'https://store.example/console/leads' });
  vi.stubGlobal('fetch', ask.mockResolvedValue({ ok: true }));
  const kept = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
  });
  // Node keeps a module for each address.
  newVersion = await import(`./new-version.ts?${++loaded}`);
});
afterEach(() => {
  vi.unstubAllGlobals();
  reload.mockClear();
  ask.mockReset();
});

const gone = new Error('Unable to preload');
const outOfReach = new Error('The server does not answer');
const unreachable = () => outOfReach;
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
  newVersion.followNewVersion({ isNavigating: () => true, unreachable });
  expect(await load()).toBe('waits');
  expect(reload).toHaveBeenCalledOnce();
});

test('what the router only loads ahead shows its error and loads nothing again', async () => {
  newVersion.followNewVersion({ isNavigating: () => false, unreachable });
  expect(await load()).toBe(gone);
  expect(ask).not.toHaveBeenCalled();
  expect(reload).not.toHaveBeenCalled();
});

test.each([
  ['there is no connection', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['the server does not give the page', () => Promise.resolve({ ok: false })],
])('while %s the page stays, and loads again with the next attempt that reaches the server', async (_, answer) => {
  newVersion.followNewVersion({ isNavigating: () => true, unreachable });
  ask.mockImplementationOnce(answer);
  expect(await load()).toBe(outOfReach);
  expect(reload).not.toHaveBeenCalled();
  expect(await load()).toBe('waits');
  expect(reload).toHaveBeenCalledOnce();
});
