import type { Edit } from '../storm/breaks.ts';

/** A deliberate bug of the assistant. The exact test of this file must fail with it, and say what it has found. */
export type ExactBreak = {
  readonly name: string;
  readonly test: string;
  readonly finds: RegExp;
  readonly edits: readonly [Edit, ...Edit[]];
};

/** One for each invariant of the AI's answers, because a check that cannot fail proves nothing. */
export const exactBreaks: readonly ExactBreak[] = [
  {
    name: 'a repeated attempt tells its text under another id: a double reply',
    test: 'kill-assistant',
    finds: /what lead \d+ was told: expected \[[^\]]*\] to deeply equal/,
    edits: [
      {
        file: 'services/assistant/src/turns/advance-turn.ts',
        from: 'await tell(dependencies, call, claimed.turn);',
        to: `await tell(dependencies, call,
          claimed.attempt.number > 1 ? { ...claimed.turn, id: crypto.randomUUID() } : claimed.turn);`,
      },
    ],
  },
  {
    name: 'an answer is accepted although the lead has written on: a stale reply',
    test: 'kill-answers',
    finds: /the answer \d+ has not seen \d+/,
    edits: [
      {
        file: 'services/assistant/src/turns/tell.ts',
        from: '...(isFinal ? {} : { unless_reply_after: toTimestamp(answered_to) }),',
        to: '',
      },
    ],
  },
  {
    name: 'an answer is accepted although a person has written: the AI talks over a person',
    test: 'kill-answers',
    finds: /the answer \d+ came after a person/,
    edits: [
      {
        file: 'services/messaging/src/outbound/refusals.ts',
        from: "if (request.source === 'ai') assertNotPaused(request, conversation, unprocessed);",
        to: '',
      },
    ],
  },
  {
    name: 'each attempt of a tool call has its own key: a double booking',
    test: 'kill-assistant',
    finds: /what lead \d+ has: expected \{[^}]*\} to deeply equal/,
    edits: [
      {
        file: 'services/assistant/src/tools/use-tool.ts',
        from: 'idempotency: { key: keyOf(call),',
        to: 'idempotency: { key: crypto.randomUUID(),',
      },
    ],
  },
  {
    name: 'a turn that has ended settles what came after its answer: a lost turn',
    test: 'kill-answers',
    finds: /\d+ has no answer, and the last turn is|there was no turn/,
    edits: [
      {
        file: 'services/assistant/src/turns/turn.repository.ts',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: this quotes source code
        from: 'and lead_id = ${leadId} and answered_to >= ${receivedAt}\n',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: this quotes source code
        to: 'and lead_id = ${leadId} and ${receivedAt}::timestamptz is not null\n',
      },
    ],
  },
];
