/** One of these forms. */
export const any = (...forms: readonly string[]): string => `(?:${forms.join('|')})`;
export const before = String.raw`(?<![a-zà-ɏ])`;
export const after = String.raw`(?![a-zà-ɏ])`;
export const word = String.raw`[0-9a-zà-ɏ:]+`;

/** The ending of a participle in Portuguese and Spanish. */
export const ending = '[oa]s?';
/** A word with which another clause begins. */
const other = any('se', 'si', 'quando', 'caso', 'cuando', 'if', 'whether', 'when', 'once', 'until', 'unless');
/** What stands between a thing and what was done to it: `seu corte de cabelo`, `tu cita del viernes`. */
export const some = (most: number) => `(?: (?!${other}${after})${word}){0,${most}}?`;

export const patternOf = (...forms: readonly string[]) => new RegExp(`${before}${any(...forms)}${after}`, 'g');
