export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** `index.html` reads it before the first paint. */
const storageKey = 'mostrador.theme';

export function currentTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem(storageKey);
  } else {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem(storageKey, theme);
  }
}
