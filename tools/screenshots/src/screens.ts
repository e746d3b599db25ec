/** A screen of the console: the name of its pictures, and its path below `/console`. */
export type Screen = {
  readonly name: string;
  readonly path: string;
  /** What it shows later than the rest. */
  readonly waitFor?: 'article';
};

/** The screens that `navigation.ts` of the console names, in its order. `source` is the text of that file. */
export function screensOf(source: string): Screen[] {
  const paths = [...source.matchAll(/\bto: '(\/[^'$]*)'/g)].map(([, path = '']) => path);
  if (paths.length === 0) throw new Error('the navigation of the console names no screen');
  return [...new Set(paths)].map((path) => ({ path, name: path.slice(1).replaceAll('/', '-') }));
}

/** The screens of one lead. They exist when the list that leads to them does. */
export const screensOfLead = (screens: readonly Screen[], leadId: string): Screen[] =>
  [
    { of: '/leads', name: 'lead', path: `/leads/${leadId}` },
    { of: '/inbox', name: 'thread', path: `/inbox/${leadId}`, waitFor: 'article' as const },
  ].filter(({ of }) => screens.some(({ path }) => path === of));
