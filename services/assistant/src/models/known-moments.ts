import { toInstant } from '@mostrador/kit/rpc/validate';
import type { ModelRequest } from './model.ts';
import { type Moment, momentAt, momentOf } from './moments.ts';

export type KnownMoments = {
  /** The appointments to come that the model may cancel or move. */
  readonly appointments: readonly Moment[];
  /** The appointments that tools of this turn have booked, moved or cancelled. */
  readonly changed: readonly Moment[];
  /** The times that the customer was offered, and those that tools of this turn have found. */
  readonly offers: readonly Moment[];
};

/** The times of rows that a model was given. Pure. */
export function knownMoments({
  tools,
  results,
  timezone,
}: Pick<ModelRequest, 'tools' | 'results' | 'timezone'>): KnownMoments {
  const outputs = results.map(({ output }) => (output ?? {}) as Output);
  return {
    appointments: tools.flatMap(({ input }) => labelsOf(input, 'appointment')).flatMap(momentOfLabel),
    changed: outputs.flatMap(({ appointment }) =>
      appointment?.scheduled_at === undefined ? [] : [momentOf(toInstant(appointment.scheduled_at), timezone)],
    ),
    offers: [
      ...tools.flatMap(({ input }) => labelsOf(input, 'offer')),
      ...outputs.flatMap(({ times = [] }) => times.map(({ label }) => label)),
    ].flatMap(momentOfLabel),
  };
}

type Output = {
  readonly appointment?: { readonly scheduled_at?: string };
  readonly times?: readonly { readonly label: string }[];
};

/** How a tool names the rows of one of its members. */
function labelsOf(input: ModelRequest['tools'][number]['input'] | undefined, member: string): string[] {
  const choices: readonly { readonly description?: string }[] = input?.properties?.[member]?.anyOf ?? [];
  return choices.map(({ description = '' }) => description);
}

/** `Tuesday 2027-01-05 10:00, Corte` */
function momentOfLabel(label: string): Moment[] {
  const [, date, time] = /^[A-Z][a-z]+ (\d{4}-\d{2}-\d{2}) (\d{2}:\d{2})(?:,|$)/.exec(label) ?? [];
  return date === undefined || time === undefined ? [] : [momentAt(date, time)];
}
