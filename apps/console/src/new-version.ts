const name = 'mostrador.reloaded';
const leastBetweenMs = 60_000;
let isReloading = false;

/**
 * Loads the page again when a screen to which the person goes cannot be loaded: another version has replaced the files of
 * this one. Not twice in a minute, so that what is missing for another reason shows its error.
 */
export function followNewVersion(isNavigating: () => boolean): void {
  addEventListener('vite:preloadError', () => {
    // What the router only loads ahead must not take a form from the person.
    if (!isNavigating()) return;
    const last = Number(sessionStorage.getItem(name) ?? 0);
    if (Date.now() - last < leastBetweenMs) return;
    sessionStorage.setItem(name, String(Date.now()));
    isReloading = true;
    location.reload();
  });
}

/** Loads a route from its module. While the page loads again it waits, so that the person sees no error meanwhile. */
export const loadScreen =
  <Route>(load: () => Promise<{ readonly route: Route }>): (() => Promise<Route>) =>
  async () => {
    try {
      return (await load()).route;
    } catch (error) {
      if (isReloading) await new Promise<never>(() => {});
      throw error;
    }
  };
