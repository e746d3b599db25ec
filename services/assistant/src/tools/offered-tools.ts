import { type Appointment, leadStatuses, type Service, type ToolName } from '@mostrador/contracts';
import { type LocalTime, localTimeOf } from '@mostrador/hours/clock';
import { toInstant } from '@mostrador/kit/rpc/validate';
import { type TProperties, Type } from '@sinclair/typebox';
import type { Tool } from '../models/model.ts';
import type { OfferRow } from './offer.repository.ts';

/** What the tools of a lead depend on. */
export type Offering = {
  /** Whether the store has booking rules. Without them it offers no times. */
  readonly books: boolean;
  readonly services: readonly Pick<Service, 'id' | 'name' | 'duration_minutes' | 'is_active'>[];
  /** The lead's appointments that are to come. */
  readonly appointments: readonly Pick<Appointment, 'id' | 'title' | 'scheduled_at'>[];
  /** The offers that were sent to the lead before the lead's latest message. */
  readonly offers: readonly Pick<OfferRow, 'id' | 'starts_at' | 'title'>[];
  readonly timezone: string;
};

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** A moment for a model: `Tuesday 2027-01-05 10:00`. */
export const timeLabel = ({ date, weekday, time }: LocalTime): string => `${weekdays[weekday - 1]} ${date} ${time}`;

const mostServices = 20;

/** One of the ids that the server has. A model knows what they mean by their descriptions. */
const oneOf = (description: string, choices: readonly { readonly id: string; readonly label: string }[]) =>
  Type.Unsafe<string>({
    anyOf: choices.map(({ id, label }) => ({ type: 'string', const: id, description: label })),
    description,
  });
const input = (members: TProperties) => Type.Object(members, { additionalProperties: false });
/** `ids`: what takes the place of any text in the input of the tool. */
const tool = (name: ToolName, description: string, ids: TProperties = {}): Tool => {
  const { service: _, offer: __, appointment: ___, ...members } = inputs[name].properties;
  return { name, description, input: input({ ...members, ...ids }) };
};
const day = (description: string) => Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', description });

export const partsOfDay = ['morning', 'afternoon', 'evening'] as const;
export type PartOfDay = (typeof partsOfDay)[number];

/** The longest search for times, in days. */
export const mostDays = 31;

const partOfDay = Type.Union(
  partsOfDay.map((part) => Type.Literal(part)),
  { description: 'Only times before 12:00, from 12:00 to 18:00, or from 18:00.' },
);
const nearTime = Type.String({
  pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
  description: 'The time of day that the customer wants, such as 10:00: the nearest ones are found.',
});
const leadStatus = Type.Union(
  leadStatuses.map((status) => Type.Literal(status)),
  { description: 'The status.' },
);

/**
 * What each tool takes, with any text in the place of an id. A compiled schema stays in memory, so only these are compiled:
 * those with ids are new with each decision.
 */
export const inputs: Readonly<Record<ToolName, ReturnType<typeof input>>> = {
  find_times: input({
    from: Type.Optional(day('The first day, such as 2027-01-05. Default: today.')),
    to: Type.Optional(day(`The last day, at most ${mostDays} days later. Default: 7 days from the first.`)),
    part_of_day: Type.Optional(partOfDay),
    near: Type.Optional(nearTime),
    service: Type.Optional(Type.String()),
    appointment: Type.Optional(Type.String()),
  }),
  book: input({ offer: Type.String() }),
  move: input({ appointment: Type.String(), offer: Type.String() }),
  cancel: input({ appointment: Type.String() }),
  schedule_followup: input({
    days: Type.Integer({ minimum: 1, maximum: 90, description: 'How many days from now.' }),
    message: Type.String({ minLength: 1, maxLength: 500, description: 'What is written then.' }),
  }),
  update_lead: input({
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'The name.' })),
    status: Type.Optional(leadStatus),
  }),
};

/** The members of a valid input whose id is none that the tool was offered with. Pure. */
export const membersNotOffered = (offered: Tool, given: Readonly<Record<string, unknown>>): string[] =>
  ['service', 'offer', 'appointment'].filter((member) => {
    const choices: readonly { readonly const: string }[] = offered.input.properties[member]?.anyOf ?? [];
    return given[member] !== undefined && !choices.some(({ const: id }) => id === given[member]);
  });

/**
 * The tools that a model is offered for a lead now, of those that its agent may use. Every id in them is one that the server
 * chose. Pure.
 */
export function offeredTools(
  { books, services, appointments, offers, timezone }: Offering,
  allowed: readonly ToolName[],
): Tool[] {
  const at = (moment: Date) => timeLabel(localTimeOf(moment, timezone));
  const active = services.filter(({ is_active }) => is_active).slice(0, mostServices);
  const service = oneOf(
    'What is to be booked. Leave it out when it is not known.',
    active.map(({ id, name, duration_minutes }) => ({ id, label: `${name}, ${duration_minutes} minutes` })),
  );
  const offer = oneOf(
    'The time that the customer has accepted.',
    offers.map(({ id, starts_at, title }) => ({ id, label: `${at(starts_at)}, ${title}` })),
  );
  const theirs = appointments.map(({ id, scheduled_at, title }) => ({
    ...{ id, label: `${at(toInstant(scheduled_at))}, ${title}` },
  }));
  const appointment = oneOf('The appointment of the customer.', theirs);
  const toMove = oneOf('The appointment that is to move. Leave it out when the customer wants a new one.', theirs);
  const canMove = books && offers.length > 0 && appointments.length > 0;
  const possible = [
    ...(books
      ? [
          tool(
            'find_times',
            'Finds free times. The server adds them to your next reply as a numbered list: do not list them yourself. ' +
              'Nothing is booked. The customer must first choose one.',
            {
              ...(active.length > 0 && { service: Type.Optional(service) }),
              ...(appointments.length > 0 && allowed.includes('move') && { appointment: Type.Optional(toMove) }),
            },
          ),
        ]
      : []),
    ...(books && offers.length > 0
      ? [
          tool(
            'book',
            'Books a time that the customer was offered and has accepted. The server confirms it in your next reply.',
            { offer },
          ),
        ]
      : []),
    ...(canMove
      ? [
          tool(
            'move',
            'Moves an appointment of the customer to a time that they were offered and have accepted. The server ' +
              'confirms it in your next reply.',
            { appointment, offer },
          ),
        ]
      : []),
    ...(appointments.length > 0
      ? [
          tool(
            'cancel',
            'Cancels an appointment of the customer who asks for it. The server confirms it in your next reply.',
            { appointment },
          ),
        ]
      : []),
    tool(
      'schedule_followup',
      'Writes to the customer again after some days, unless they write before. Only when they ask for it.',
    ),
    tool('update_lead', 'Corrects the name of the customer as they give it, or sets their status in the sales.'),
  ];
  return possible.filter(({ name }) => allowed.includes(name));
}
