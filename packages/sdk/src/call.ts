/** What a request got: the parsed body, and the response with its status and headers. Its body is already read. */
export type Result<Data> = { readonly data: Data; readonly response: Response };

/**
 * A request under way. Awaited, it gives the body of the answer.
 *
 * Of a list, `for await` gives every element of every page, and `pages()` every page.
 */
export class Call<Data> {
  readonly #first: Promise<Result<Data>>;
  readonly #follow: (link: string) => Promise<Result<Data>>;

  /** @param follow requests the page that a `Link` header names */
  constructor(first: Promise<Result<Data>>, follow: (link: string) => Promise<Result<Data>>) {
    this.#first = first;
    this.#follow = follow;
  }

  // biome-ignore lint/suspicious/noThenProperty: `await` calls it
  get then(): Promise<Data>['then'] {
    const promise = this.#first.then(({ data }) => data);
    return promise.then.bind(promise);
  }

  get catch(): Promise<Data>['catch'] {
    return (onRejected) => this.then(undefined, onRejected);
  }

  get finally(): Promise<Data>['finally'] {
    return (onFinally) => this.then((data) => data).finally(onFinally);
  }

  /** The body together with the response: its headers have the `ETag`, or `Idempotent-Replay`. */
  withResponse(): Promise<Result<Data>> {
    return this.#first;
  }

  async *pages(): AsyncGenerator<Data, void, undefined> {
    for (let result = await this.#first; ; ) {
      yield result.data;
      const next = /<([^>]+)>; *rel="?next"?/.exec(result.response.headers.get('link') ?? '')?.[1];
      if (next === undefined) return;
      result = await this.#follow(next);
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown, void, undefined> {
    for await (const page of this.pages()) yield* (page as { data: unknown[] }).data;
  }
}
