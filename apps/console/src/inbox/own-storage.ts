/** What a person keeps in this browser, such as drafts. Another person who signs in here does not see it. */
export type OwnStorage = { read(name: string): string | null; write(name: string, value: string | null): void };

/** What does not tell anything of a person or store: how the console looks in this browser. */
const notPrivate: ReadonlySet<string> = new Set([
  ...['mostrador.language', 'mostrador.theme', 'mostrador.font', 'mostrador.reloaded'],
]);

let isClosed = false;

/** Forgets what any person kept in this browser, such as drafts and where they were. The look and the language stay. */
export function forgetOwn(): void {
  for (const storage of [localStorage, sessionStorage]) {
    for (const key of Object.keys(storage)) if (!notPrivate.has(key)) storage.removeItem(key);
  }
}

/** As `forgetOwn`, on a page that is left: nothing is kept any more, not even what the router keeps when the page goes. */
export function closeOwn(): void {
  isClosed = true;
  forgetOwn();
  addEventListener('pagehide', forgetOwn, { once: true });
}

export const ownStorage = (personId: string): OwnStorage => {
  const keyOf = (name: string) => `mostrador.${personId}.${name}`;
  return {
    read: (name) => localStorage.getItem(keyOf(name)),
    write(name, value) {
      if (isClosed) return;
      try {
        if (value === null) localStorage.removeItem(keyOf(name));
        else localStorage.setItem(keyOf(name), value);
      } catch {
        // The browser's storage is full. What is typed stays in the page.
      }
    },
  };
};
