const name = 'mostrador.reloaded';
const leastBetweenMs = 60_000;

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
    location.reload();
  });
}
