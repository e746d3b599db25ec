// What must hold of the AI's answers, whatever was killed. Pure.

/** A message of a lead's conversation, in its order. */
export type Said = {
  readonly number: number;
  readonly source: 'lead' | 'ai' | 'seller';
  readonly body: string;
  readonly status: string;
};

export type Conversation = {
  readonly leadId: string;
  readonly said: readonly Said[];
  /** The turns of the lead, the oldest first. */
  readonly turns: readonly { readonly state: string; readonly reason: string | null }[];
};

/** What a lead writes is marked with its place, and the model answers with the last mark that it has seen. */
export const markOf = (lead: number, place: number): string => `l${lead}k${place}`;
const mark = /\bl\d+k(\d+)\b/g;

/** The last place that a text names. 0: none. */
export const newestIn = (text: string): number =>
  Math.max(0, ...[...text.matchAll(mark)].map(([, place]) => Number(place)));

export const faultsOf = ({ leadId, said, turns }: Conversation): string[] =>
  [...doubled(said), ...stale(said), ...overPerson(said), ...lost(said, turns)].map(
    (fault) => `lead ${leadId}: ${fault}`,
  );

const accepted = (said: readonly Said[]) => said.filter(({ source }) => source === 'ai');

const unsaid: readonly string[] = ['cancelled', 'failed'];
/** What the AI has said. What was cancelled or has failed answers nothing. */
export const answers = (said: readonly Said[]) => accepted(said).filter(({ status }) => !unsaid.includes(status));

/** No message of the lead is the newest one of two answers. */
export function doubled(said: readonly Said[]): string[] {
  const newest = answers(said)
    .map(({ body }) => newestIn(body))
    .filter((place) => place > 0);
  return newest.flatMap((place, at) => (newest.indexOf(place) === at ? [] : [`${place} is answered twice`]));
}

/** An answer that was accepted after a message of the lead has seen it. */
export function stale(said: readonly Said[]): string[] {
  return answers(said).flatMap(({ number, body }) => {
    const seen = newestIn(body);
    const before = said.filter((one) => one.source === 'lead' && one.number < number).map((one) => newestIn(one.body));
    const missed = before.filter((place) => place > seen);
    return seen === 0 || missed.length === 0 ? [] : [`the answer ${number} has not seen ${missed.join()}`];
  });
}

/** After a person has written nothing of the AI is accepted, even if it is cancelled then. */
function overPerson(said: readonly Said[]): string[] {
  const person = said.find(({ source }) => source === 'seller');
  const after = person ? accepted(said).filter(({ number }) => number > person.number) : [];
  return after.map(({ number }) => `the answer ${number} came after a person`);
}

/** All that the lead wrote was answered, handed over, or left to the person who wrote. */
export function lost(said: readonly Said[], turns: Conversation['turns']): string[] {
  const last = turns.at(-1);
  if (turns.some(({ state }) => state === 'open')) return ['a turn is open'];
  if (!last) return ['there was no turn'];
  if (said.some(({ source }) => source === 'seller')) return [];
  if (last.state === 'handed_over') return [];
  const written = Math.max(0, ...said.filter(({ source }) => source === 'lead').map(({ body }) => newestIn(body)));
  const answered = Math.max(0, ...answers(said).map(({ body }) => newestIn(body)));
  return answered >= written ? [] : [`${written} has no answer, and the last turn is ${last.state} (${last.reason})`];
}
