import type { Scene } from './scene.ts';

/** An alert by its name and some of its labels. */
export type AlertLike = { readonly alert: string; readonly labels?: Readonly<Record<string, string>> };

/** Something that goes wrong, and the alerts that tell an operator so. */
export type Cause = {
  readonly what: string;
  /** Each of these must fire, with each of its label sets, and no other alert may. */
  readonly alerts: (scene: Scene) => readonly AlertLike[];
  /** These may fire, too: whether they do depends on how fast the machine is. */
  readonly mayFire?: (scene: Scene) => readonly AlertLike[];
  /** Causes it, and returns what ends it. */
  readonly begin: (scene: Scene) => Promise<() => Promise<unknown>>;
};

/** `alert` once for each value of the label. */
export const each = (alert: string, label: string, values: readonly string[]): AlertLike[] =>
  values.map((value) => ({ alert, labels: { [label]: value } }));
