import { expect, test } from 'vitest';
import { sentBefore } from './read-offering.ts';

const at = (minute: number) => new Date(Date.UTC(2027, 0, 5, 12, minute));
const offer = (id: string, message_id: string | null, hour: number) => ({
  ...{ id, message_id, starts_at: new Date(Date.UTC(2027, 0, 6, hour)), service_id: null },
});

test('only offers whose message was sent before the lead wrote count, each time once', () => {
  const offers = [
    ...[offer('a', 'new', 9), offer('b', 'new', 10), offer('c', 'old', 9), offer('d', 'old', 11)],
    ...[offer('queued', 'waits', 12), offer('late', 'after', 13), offer('gone', 'unknown', 14), offer('no', null, 15)],
  ];
  const messages = [
    ...[
      { id: 'old', sent_at: at(0).toISOString() },
      { id: 'new', sent_at: at(2).toISOString() },
    ],
    ...[
      { id: 'waits', sent_at: null },
      { id: 'after', sent_at: at(5).toISOString() },
    ],
  ];
  expect(sentBefore(offers, messages, at(5)).map(({ id }) => id)).toEqual(['a', 'b', 'd']);
});
