/** What a follower needs of an event. */
export type Numbered = { readonly sequence: number };

/** Events of the feed, and the position behind them. */
export type EventPage<Event> = { readonly data: readonly Event[]; readonly next: number };

/** Gives pages from the position on, without an end. It asks for the position whenever it connects. */
export type PageSource<Event> = (position: () => number) => AsyncGenerator<EventPage<Event>, void, undefined>;

/**
 * Follows the event feed of the store. `for await` gives each event once, in the order of the feed, and waits for new
 * ones. A broken connection is made again and loses nothing. The loop ends by `break`, or when its signal is aborted.
 */
export class Follower<Event extends Numbered> {
  readonly #source: PageSource<Event>;
  readonly #signal: AbortSignal | undefined;
  #cursor: number;

  constructor(source: PageSource<Event>, after: number, signal?: AbortSignal) {
    if (!Number.isSafeInteger(after) || after < -1)
      throw new TypeError('`after` must be a cursor, 0 (from the oldest event) or -1 (from now on).');
    this.#source = source;
    this.#cursor = after;
    this.#signal = signal;
  }

  /**
   * The position behind the last event that the loop got. Store it after what you do with the event, and pass it as
   * `after` next time.
   */
  get cursor(): number {
    return this.#cursor;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    for await (const { data, next } of this.#fresh()) {
      for (const event of data) {
        if (this.#signal?.aborted) return;
        this.#cursor = event.sequence;
        yield event;
      }
      this.#cursor = next;
    }
  }

  /**
   * The same events in pages, for a program that stores a page and its `next` in one transaction. A page may be empty:
   * then the filters let none of the events through that its `next` has passed.
   */
  async *pages(): AsyncGenerator<EventPage<Event>, void, undefined> {
    for await (const page of this.#fresh()) {
      this.#cursor = page.next;
      yield page;
    }
  }

  /** The pages that go on, without what was there before. */
  async *#fresh(): AsyncGenerator<EventPage<Event>, void, undefined> {
    try {
      this.#signal?.throwIfAborted();
      for await (const page of this.#source(() => this.#cursor)) {
        let last = this.#cursor;
        const data = page.data.filter(({ sequence }) => {
          const isNew = sequence > last;
          if (isNew) last = sequence;
          return isNew;
        });
        const next = Math.max(last, page.next);
        if (next > this.#cursor) yield { data, next };
      }
    } catch (error) {
      if (!this.#signal?.aborted) throw error;
    }
  }
}
