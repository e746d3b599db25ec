import type { Hold } from '@mostrador/testing/proxy/tcp-proxy';
import { type Lead, rightName, type Shown, type TurnStage, type Wish } from './turns.ts';

export type Point = {
  /** Default: `book`. */
  readonly wish?: Wish;
  readonly hold: (lead: Lead) => Hold;
  /** The second hold, for which the first one makes time. `writesOn`: between them the lead writes again. */
  readonly next?: (lead: Lead) => Hold;
  readonly writesOn?: true;
  /** What the rows show when the process is dead. A point that shows something else was missed. */
  readonly shows: Partial<Shown>;
  /** Another process works on after the hold, until the rows show it. */
  readonly goesOn?: true;
};
export type Kill = {
  readonly process: 'assistant' | 'messaging' | 'scheduling' | 'workflows';
  readonly points: readonly Point[];
};

/**
 * The kills at every point of a turn. Most turns book: the lead has been offered times and accepts one. Points share a kill
 * where they can: a hold of NATS, or of the starter, stops the whole process, so it is the last one.
 */
export function killsOf(proxies: TurnStage['proxies']): Kill[] {
  const { database, systemDatabase, messagingDatabase, nats, workflowsNats } = proxies;
  const commitOf = (text: string) => database.holdRequest('commit', text);
  const answerOf = (text: string) => database.holdAnswer('commit', text);
  const confirmation = 'Marcado: ';
  // A parameter comes after its length, which is that of a line break here.
  const superseded = '\nsuperseded';
  const asked = ({ offer }: Lead) => answerOf(offer.id);
  const booking = ({ id }: Lead) => `"lead_id":"${id}","scheduled_at"`;
  const holding = ({ offer }: Lead) => `"start":"${offer.at}"`;
  const telling = ({ id }: Lead) => `"lead_id":"${id}","source":"ai"`;
  const started = ({ id }: Lead) => `"entity_id":"${id}"`;
  const ending = ({ id }: Lead) => `"lead_id":"${id}"`;
  const scheduled = ({ offer }: Lead) => `"scheduled_at":"${offer.at}"`;
  const opened = { turns: 1, turn: 'open', claimed: false, call: null } as const;
  const changed = ({ appointment }: Lead) => `"appointment":{"id":"${appointment}"`;
  return [
    // A text that all confirmations have is held first, while no other turn goes on.
    {
      process: 'messaging',
      points: [
        // The confirmation is accepted without an answer, or is not.
        { hold: () => messagingDatabase.holdAnswer('commit', confirmation), shows: { action: 'reply', told: true } },
        { hold: () => messagingDatabase.holdRequest('commit', confirmation), shows: { action: 'reply', told: false } },
      ],
    },
    {
      process: 'assistant',
      points: [
        // The reply is recorded without an acknowledgement.
        { hold: () => answerOf(confirmation), shows: { action: 'reply', told: false } },
        // The same of the end of a turn that opens the next one, because the lead has written on; or it is not recorded.
        {
          ...{ hold: () => answerOf(confirmation), writesOn: true, next: () => answerOf(superseded) },
          shows: { turns: 2, turn: 'open', action: null },
        },
        {
          ...{ hold: () => answerOf(confirmation), writesOn: true, next: () => commitOf(superseded) },
          shows: { turns: 1, turn: 'open', action: 'reply', told: false },
        },
        // The reply is not recorded. This locks what the store has used, so no other turn is decided.
        { hold: () => commitOf(confirmation), shows: { action: null, call: 'ended', claimed: true } },
        // The start of the workflow is recorded without an acknowledgement.
        { hold: (lead) => systemDatabase.holdAnswer('commit', started(lead)), shows: { ...opened, started: true } },
      ],
    },
    {
      process: 'assistant',
      points: [
        // What the lead wrote is taken in without an acknowledgement, and the turn goes on; or it is not.
        { hold: ({ id }) => answerOf(id), shows: { turns: 1 } },
        { hold: ({ id }) => commitOf(id), shows: { turns: 0 } },
        // The same of the claim of a call. It begins after it, when no person has the conversation.
        { hold: asked, next: ({ id }) => answerOf(id), shows: { call: 'asked', claimed: true, appointments: 0 } },
        { hold: asked, next: ({ id }) => commitOf(id), shows: { call: 'asked', claimed: false } },
        // What the model asked for is not recorded. This locks what the store has used.
        { hold: ({ offer }) => commitOf(offer.id), shows: { turns: 1, claimed: true, call: null } },
        // The start of the workflow is not recorded.
        { hold: (lead) => systemDatabase.holdRequest('commit', started(lead)), shows: { ...opened, started: false } },
      ],
    },
    {
      process: 'assistant',
      points: [
        // What the model asked for is recorded without an acknowledgement.
        { hold: asked, shows: { call: 'asked' } },
        // What the tool gave is recorded without an acknowledgement, or is not. The time stands nowhere else in such a form.
        { hold: (lead) => answerOf(scheduled(lead)), shows: { call: 'ended', action: null } },
        { hold: (lead) => commitOf(scheduled(lead)), shows: { call: 'begun', appointments: 1 } },
        // The same of the end of the turn.
        { hold: (lead) => answerOf(ending(lead)), shows: { turn: 'sent' } },
        { hold: (lead) => commitOf(ending(lead)), shows: { turn: 'open', action: 'reply', told: true } },
        // The appointment is not asked for.
        { hold: (lead) => nats.holdRequest(booking(lead)), shows: { call: 'begun', appointments: 0 } },
      ],
    },
    {
      process: 'assistant',
      points: [
        // What another tool has done is not recorded, or that a person was called.
        { wish: 'move', hold: (lead) => commitOf(changed(lead)), shows: { call: 'begun' } },
        { wish: 'cancel', hold: (lead) => commitOf(changed(lead)), shows: { call: 'begun' } },
        { wish: 'follow_up', hold: () => commitOf('"followup":{"id"'), shows: { call: 'begun' } },
        { wish: 'rename', hold: () => commitOf(`"lead":{"name":"${rightName}"`), shows: { call: 'begun' } },
        { wish: 'hand_over', hold: (lead) => commitOf(ending(lead)), shows: { action: 'hand_over', told: true } },
        { wish: 'ask', hold: (lead) => commitOf(ending(lead)), shows: { action: 'hand_over', told: true } },
        // The appointment is made, and no answer came.
        { hold: (lead) => nats.holdAnswer(booking(lead)), shows: { call: 'begun', appointments: 1 }, goesOn: true },
      ],
    },
    // The time for which a person is asked is held, and nothing is recorded; or it is not asked for.
    {
      process: 'assistant',
      points: [{ wish: 'ask', hold: (lead) => nats.holdAnswer(holding(lead)), shows: { action: null, call: null } }],
    },
    {
      process: 'assistant',
      points: [{ wish: 'ask', hold: (lead) => nats.holdRequest(holding(lead)), shows: { action: null, call: null } }],
    },
    // The confirmation is not given to messaging, or is accepted without an answer.
    {
      process: 'assistant',
      points: [{ hold: (lead) => nats.holdRequest(telling(lead)), shows: { action: 'reply', told: false } }],
    },
    {
      process: 'assistant',
      points: [
        { hold: (lead) => nats.holdAnswer(telling(lead)), shows: { action: 'reply', told: true }, goesOn: true },
      ],
    },
    // scheduling dies before it is asked, and after it has made the appointment.
    {
      process: 'scheduling',
      points: [{ hold: (lead) => nats.holdRequest(booking(lead)), shows: { call: 'begun', appointments: 0 } }],
    },
    {
      process: 'scheduling',
      points: [
        { hold: (lead) => nats.holdAnswer(booking(lead)), shows: { call: 'begun', appointments: 1 }, goesOn: true },
      ],
    },
    // The worker dies before it asks for a step, and when the step is done.
    {
      process: 'workflows',
      points: [{ hold: ({ id }) => workflowsNats.holdRequest(id), shows: { ...opened, started: true } }],
    },
    {
      process: 'workflows',
      points: [
        { hold: ({ id }) => workflowsNats.holdAnswer(id), shows: { call: 'asked', claimed: false }, goesOn: true },
      ],
    },
  ];
}
