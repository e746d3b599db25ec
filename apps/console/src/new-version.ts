const name = 'mostrador.reloaded';
const leastBetweenMs = 60_000;
/** A server that does not say in this time that it is there counts as out of reach. */
const answerLimitMs = 10_000;

/** What came of the last screen that could not be loaded. */
type Outcome = 'reloads' | 'unreachable' | 'stays';
let outcome: Promise<Outcome> = Promise.resolve('stays');

type Page = {
  readonly isNavigating: () => boolean;
  /** The error that says that the server is out of reach. */
  readonly unreachable: (cause: unknown) => Error;
};
let page: Page | undefined;

/**
 * Loads the page again when a screen to which the person goes cannot be loaded: another version has replaced the files of
 * this one. Not while the server is out of reach, when the browser would show its own error in place of the page. And not
 * twice in a minute, so that what is missing for another reason shows its error.
 */
export function followNewVersion(followed: Page): void {
  page = followed;
  addEventListener('vite:preloadError', () => {
    // What the router only loads ahead must not take a form from the person.
    outcome = followed.isNavigating() ? reload() : Promise.resolve('stays');
  });
}

async function reload(): Promise<Outcome> {
  if (!(await isThere())) return 'unreachable';
  const last = Number(sessionStorage.getItem(name) ?? 0);
  if (Date.now() - last < leastBetweenMs) return 'stays';
  sessionStorage.setItem(name, String(Date.now()));
  location.reload();
  return 'reloads';
}

/** Whether the server gives the page that a reload would ask for. */
async function isThere(): Promise<boolean> {
  try {
    const { ok } = await fetch(location.href, { cache: 'no-store', signal: AbortSignal.timeout(answerLimitMs) });
    return ok;
  } catch {
    return false;
  }
}

/** Loads a route from its module. While the page loads again it waits, so that the person sees no error meanwhile. */
export const loadScreen =
  <Route>(load: () => Promise<{ readonly route: Route }>): (() => Promise<Route>) =>
  async () => {
    try {
      return (await load()).route;
    } catch (error) {
      const came = await outcome;
      if (came === 'reloads') await new Promise<never>(() => {});
      const isAway = came === 'unreachable' || navigator.onLine === false;
      throw isAway && page ? page.unreachable(error) : error;
    }
  };
