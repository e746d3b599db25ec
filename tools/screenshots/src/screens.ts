import type { ShownLeads } from './store/fill.ts';

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

/** The screens of leads. They exist when the list that leads to them does. */
export const screensOfLead = (screens: readonly Screen[], { main, kinds }: ShownLeads): Screen[] =>
  [
    { of: '/leads', name: 'lead', path: `/leads/${main}` },
    { of: '/inbox', name: 'thread', path: `/inbox/${main}`, waitFor: 'article' as const },
    ...(kinds ? [{ of: '/inbox', name: 'kinds', path: `/inbox/${kinds}`, waitFor: 'article' as const }] : []),
  ].filter(({ of }) => screens.some(({ path }) => path === of));
