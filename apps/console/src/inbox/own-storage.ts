/** What a person keeps in this browser, such as drafts. Another person who signs in here does not see it. */
export type OwnStorage = { read(name: string): string | null; write(name: string, value: string | null): void };

export const ownStorage = (personId: string): OwnStorage => {
  const keyOf = (name: string) => `mostrador.${personId}.${name}`;
  return {
    read: (name) => localStorage.getItem(keyOf(name)),
    write(name, value) {
      try {
        if (value === null) localStorage.removeItem(keyOf(name));
        else localStorage.setItem(keyOf(name), value);
      } catch {
        // The browser's storage is full. What is typed stays in the page.
      }
    },
  };
};
