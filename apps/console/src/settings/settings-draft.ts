import type { StoreSettings, StoreSettingsChange } from '../api/platform.ts';

export type Member = keyof StoreSettings;

/** What the person changed and has not saved yet: from what, and to what. */
export type Draft = { readonly from: Partial<StoreSettings>; readonly to: StoreSettingsChange };

export const noChanges: Draft = { from: {}, to: {} };

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

export const membersOf = ({ to }: Draft): Member[] => Object.keys(to) as Member[];

/** The draft with one more change. A member that is again what it was is no change. */
export function changed<Name extends Member>(
  draft: Draft,
  settings: StoreSettings,
  member: Name,
  value: NonNullable<StoreSettings[Name]>,
): Draft {
  const { [member]: before = settings[member], ...from } = draft.from;
  const { [member]: _, ...to } = draft.to;
  if (isSame(before, value)) return { from, to } as Draft;
  return { from: { ...from, [member]: before }, to: { ...to, [member]: value } } as Draft;
}

/** What somebody else has changed meanwhile to something else than the person has. */
export const conflictsOf = (draft: Draft, theirs: StoreSettings): Member[] =>
  membersOf(draft).filter(
    (member) => !isSame(draft.from[member], theirs[member]) && !isSame(draft.to[member], theirs[member]),
  );

/** The same changes, made from their version, which the person knows by now. */
export const madeFrom = (theirs: StoreSettings, { from, to }: Draft): Draft => ({
  from: Object.fromEntries(Object.keys(from).map((member) => [member, theirs[member as Member]])),
  to,
});

export type Window = StoreSettings['sending_windows'][number];

/** What a shop begins with. */
export const firstWindow: Window = {
  weekdays: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
  from: '09:00',
  to: '18:00',
};

export type WindowFault = 'no_days' | 'no_time';

/** Times of day with leading zeros are in the order of their texts. */
export const faultOfWindow = ({ weekdays, from, to }: Window): WindowFault | undefined =>
  weekdays.length === 0 ? 'no_days' : from < to ? undefined : 'no_time';

/** The members that cannot be saved like this. */
export function faultsOf({ to: { name, sending_windows = [] } }: Draft): Member[] {
  return [
    ...(name?.trim() === '' ? (['name'] as const) : []),
    ...(sending_windows.some((window) => faultOfWindow(window)) ? (['sending_windows'] as const) : []),
  ];
}
