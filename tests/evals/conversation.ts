import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Message } from '@mostrador/contracts';
import { parse } from 'yaml';

export const languages = ['pt', 'es', 'en'] as const;
export type Language = (typeof languages)[number];

export const kinds = [
  ...['booking', 'moving', 'cancelling', 'answerable', 'unanswerable', 'complaint', 'hand_over', 'voice'],
] as const;
export type Kind = (typeof kinds)[number];

/** A time by the clock of the store. `day`: in days from today. */
export type LocalMoment = { readonly day: number; readonly time: string };

/** What the customer does next. A text is written. `takes`: another customer books this time first. */
export type Line =
  | string
  | { readonly sends: Exclude<Message['type'], undefined>; readonly caption?: string }
  | { readonly takes: LocalMoment };

/** How a conversation must end. What is not named must not have happened. */
export type Ending = {
  /** The appointments of the customer, in order of time. `status`: `scheduled` by default. */
  readonly appointments?: readonly (LocalMoment & { readonly status?: string })[];
  /** A person was called. */
  readonly handed_over?: boolean;
  /** In how many days each follow-up is due. */
  readonly followups?: readonly number[];
  /** The members of the lead that have changed. */
  readonly lead?: Readonly<Record<string, unknown>>;
  /** Facts that the customer was told. Of a list, one is enough. Case, accents and marks do not count. */
  readonly told?: readonly (string | readonly string[])[];
  readonly never_told?: readonly string[];
  /** The title of a document that an answer is made from. */
  readonly cites?: string;
  /** The last message got no answer, because it needed none. */
  readonly silent?: boolean;
};

/** A conversation without what the customer says. */
export type Scene = {
  readonly id: string;
  readonly language: Language;
  readonly kind: Kind;
  /** The appointments that the customer has before. */
  readonly has?: readonly LocalMoment[];
  /** The store has no booking rules, so it offers no times. */
  readonly without_booking?: boolean;
  readonly ends: Ending;
  /** Where the demo provider honestly ends in another way: mostly by calling a person. */
  readonly demo_ends?: Ending;
};

export type Conversation = Scene & { readonly customer: readonly Line[] };

/** A conversation whose customer a model plays. */
export type Simulation = Scene & {
  readonly persona: string;
  readonly goal: string;
  /** What the customer may tell when asked. */
  readonly knows?: readonly string[];
};

/** What a store has before any customer writes. */
export type StoreSetup = {
  readonly name: string;
  readonly timezone: string;
  readonly locale: string;
  readonly agent: Readonly<Record<string, unknown>>;
  readonly documents: readonly { readonly title: string; readonly content: string }[];
};

const here = import.meta.dirname;
const read = (...path: string[]) => parse(readFileSync(join(here, ...path), 'utf8'));

const readAll = <Kept extends Scene>(folder: string): Kept[] =>
  languages.flatMap((language) => (read(folder, `${language}.yaml`) as Kept[]).map((one) => ({ ...one, language })));

/** All conversations, by language. */
export const readConversations = (): Conversation[] => readAll('conversations');

/** All conversations whose customer a model plays, by language. */
export const readSimulations = (): Simulation[] => readAll('simulated');

/** The store of each language. */
export const readStores = (): Record<Language, StoreSetup> =>
  Object.fromEntries(
    readdirSync(join(here, 'stores')).map((file) => [file.split('.')[0], read('stores', file)]),
  ) as Record<Language, StoreSetup>;
