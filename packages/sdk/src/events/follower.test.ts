import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type EventPage, Follower } from './follower.ts';

type Event = { readonly sequence: number };
const events = (...sequences: number[]): Event[] => sequences.map((sequence) => ({ sequence }));

/** Gives the pages once, and then ends, which the real sources never do. */
const pagesOf = (...pages: EventPage<Event>[]) =>
  async function* () {
    yield* pages;
  };

async function sequencesOf(follower: AsyncIterable<Event>, most = Number.POSITIVE_INFINITY): Promise<number[]> {
  const got: number[] = [];
  for await (const { sequence } of follower) {
    got.push(sequence);
    if (got.length >= most) break;
  }
  return got;
}

test('whatever a source repeats, each event comes once and in order', async () => {
  const page = fc.record({ data: fc.array(fc.nat({ max: 30 })), next: fc.nat({ max: 30 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(page), fc.integer({ min: -1, max: 10 }), async (pages, after) => {
      const given = pages.map(({ data, next }) => ({ data: events(...data.sort((a, b) => a - b)), next }));
      const got = await sequencesOf(new Follower(pagesOf(...given), after));
      expect(got).toEqual([...new Set(got)].sort((a, b) => a - b));
      expect(Math.min(...got, Number.POSITIVE_INFINITY)).toBeGreaterThan(after);
    }),
  );
});

test('the cursor is behind the event in the loop, and behind what filters left out after it', async () => {
  const follower = new Follower(pagesOf({ data: events(3, 5), next: 9 }, { data: [], next: 20 }), 2);
  const cursors: number[] = [];
  for await (const { sequence } of follower) cursors.push(follower.cursor - sequence);
  expect([cursors, follower.cursor]).toEqual([[0, 0], 20]);
});

test('a loop after `break` goes on behind the last event, also in the middle of a page', async () => {
  const all = events(1, 2, 3, 4, 5);
  const asked: number[] = [];
  const follower = new Follower<Event>(async function* (position) {
    asked.push(position());
    yield { data: all.filter(({ sequence }) => sequence > position()), next: 5 };
  }, 0);
  expect([await sequencesOf(follower, 2), await sequencesOf(follower)]).toEqual([
    [1, 2],
    [3, 4, 5],
  ]);
  expect(asked).toEqual([0, 2]);
});

test('pages have what `next` has passed, and come only when it moves', async () => {
  const source = pagesOf({ data: [], next: 4 }, { data: [], next: 4 }, { data: events(4, 5), next: 5 });
  const follower = new Follower(source, -1);
  const pages = [];
  for await (const page of follower.pages()) pages.push({ ...page, cursor: follower.cursor });
  expect(pages).toEqual([
    { data: [], next: 4, cursor: 4 },
    { data: events(5), next: 5, cursor: 5 },
  ]);
});

test('an aborted signal ends the loop without an error, and skips nothing that the cursor has passed', async () => {
  const controller = new AbortController();
  const follower = new Follower(pagesOf({ data: events(1, 2, 3), next: 3 }), 0, controller.signal);
  const got: number[] = [];
  for await (const { sequence } of follower) {
    got.push(sequence);
    if (sequence === 2) controller.abort();
  }
  expect([got, follower.cursor]).toEqual([[1, 2], 2]);
  expect(await sequencesOf(follower)).toEqual([]);
});

test('an error of the source reaches the loop, unless the signal is the reason', async () => {
  const broken = (controller?: AbortController) =>
    new Follower<Event>(
      // biome-ignore lint/correctness/useYield: it fails first
      async function* () {
        controller?.abort();
        throw new Error('gone');
      },
      0,
      controller?.signal,
    );
  await expect(sequencesOf(broken())).rejects.toThrow('gone');
  expect(await sequencesOf(broken(new AbortController()))).toEqual([]);
});

test.each([-2, 1.5, Number.NaN, undefined, '7'])('%s is no cursor', (after) => {
  expect(() => new Follower(pagesOf(), after as number)).toThrow('`after`');
});
