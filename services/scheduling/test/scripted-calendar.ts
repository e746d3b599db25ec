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

/** What a call does before it succeeds; what it throws, the call throws. */
type Step = (call: Call, signal: AbortSignal) => Promise<void> | void;

export type ScriptedCalendar = {
  readonly open: OpenProvider;
  /** What is in the calendar, by UID. */
  readonly events: Map<string, CalendarEvent>;
  readonly calls: Call[];
  /** With what it was opened, the last time. */
  connection: OpenConnection | undefined;
  /** What the next calls do, one step each; after that they succeed. */
  next(...steps: Step[]): void;
  /** What every call does from now on. */
  always(step: Step | undefined): void;
};

/** A calendar that does what a test tells it to: for failures that a real one does not have on demand. */
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

/** A step that ends when the test says so, or as the call's limit does. */
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
