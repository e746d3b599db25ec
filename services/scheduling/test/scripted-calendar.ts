import type {
  CalendarEvent,
  CalendarProvider,
  EventReference,
  OpenConnection,
  OpenProvider,
} from '../src/calendars/calendar-provider.ts';

type Call =
  | { readonly verb: 'verify' }
  | { readonly verb: 'put'; readonly event: CalendarEvent; readonly known: EventReference | null }
  | { readonly verb: 'remove'; readonly eventId: string; readonly known: EventReference | null };

/** Runs before a call succeeds. When it throws, the call fails with that error. */
type Step = (call: Call, signal: AbortSignal) => Promise<void> | void;

export type ScriptedCalendar = {
  readonly open: OpenProvider;
  /** The events in the calendar, by UID. */
  readonly events: Map<string, CalendarEvent>;
  readonly calls: Call[];
  /** The connection of the latest `open`. */
  connection: OpenConnection | undefined;
  /** Sets the steps of the next calls, one each. Later calls succeed. */
  next(...steps: Step[]): void;
  /** Sets the step of every call from now on. */
  always(step: Step | undefined): void;
};

/** A stand-in calendar whose calls a test scripts, for failures that a real calendar does not produce on demand. */
export function scriptedCalendar(): ScriptedCalendar {
  const steps: Step[] = [];
  let everyTime: Step | undefined;
  let etag = 0;
  const take = async (call: Call, signal: AbortSignal) => {
    scripted.calls.push(call);
    await (steps.shift() ?? everyTime)?.(call, signal);
  };
  const provider: CalendarProvider = {
    verify: (signal) => take({ verb: 'verify' }, signal),
    async put(event, known, signal) {
      await take({ verb: 'put', event, known }, signal);
      scripted.events.set(event.uid, event);
      etag += 1;
      return { eventId: event.uid, href: `/${event.uid}.ics`, etag: `"${etag}"` };
    },
    async remove({ eventId, href, etag }, signal) {
      const known = href === null ? null : { eventId, href, etag };
      await take({ verb: 'remove', eventId, known }, signal);
      scripted.events.delete(eventId);
    },
    list: async (storeId, after) =>
      [...scripted.events.values()]
        .filter((event) => event.storeId === storeId && event.startsAt > after)
        .map(({ uid, title, startsAt }) => ({ uid, title, startsAt })),
  };
  const scripted: ScriptedCalendar = {
    events: new Map(),
    calls: [],
    connection: undefined,
    open(connection) {
      scripted.connection = connection;
      return provider;
    },
    next: (...more) => void steps.push(...more),
    always(step) {
      everyTime = step;
    },
  };
  return scripted;
}

/** A step that ends when the test calls `end`, or when the call's signal is aborted. */
export function pausedStep() {
  let begin = () => {};
  let end = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const step: Step = async (_call, signal) => {
    begin();
    await Promise.race([
      ended,
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ]);
  };
  return { step, begun, end };
}
