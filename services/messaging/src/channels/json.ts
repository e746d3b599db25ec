import { storable } from './storable.ts';

// Reads parsed JSON of any form. Nothing here throws.

export function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

export const object = (value: unknown): object | undefined =>
  typeof value === 'object' && value !== null ? value : undefined;

export const array = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined);

export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Empty for what is no id. */
export const identifier = (value: unknown): string => {
  const id = storable(text(value));
  return id.length <= 512 ? id : '';
};

/** Parses Unix seconds in a string or a number. A missing, malformed or future time becomes `now`. */
export function moment(timestamp: unknown, now: Date): Date {
  const seconds = Number(timestamp);
  const isSane = Number.isFinite(seconds) && seconds > 0 && seconds * 1000 <= now.getTime();
  return isSane ? new Date(seconds * 1000) : now;
}

/** The first `length` characters. It never splits a surrogate pair. */
export const first = (value: string, length: number): string =>
  value.length <= length ? value : Array.from(value).slice(0, length).join('');

const longestName = 200;
/** Characters that show nothing. U+2800 is the braille pattern without dots. */
const invisible = /^[\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Control}\u2800]*$/u;

/** The name of a person. Null when it shows nothing: profiles have names of such characters, and no one can click them. */
export function readName(value: unknown): string | null {
  const name = first(storable(text(value)).trim(), longestName).trim();
  return invisible.test(name) ? null : name;
}

/** The word in lower case, if it is one of these. */
export function wordOf<Word extends string>(words: readonly Word[], value: unknown, otherwise: Word): Word {
  const word = text(value).toLowerCase();
  return words.find((one) => one === word) ?? otherwise;
}

/** The members that have a value: neither null, undefined nor an empty text. */
export const known = <Members extends object>(
  members: Members,
): { [Name in keyof Members]?: NonNullable<Members[Name]> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => (value ?? '') !== '')) as never;
