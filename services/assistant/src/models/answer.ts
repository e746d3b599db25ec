import type { HandoverReason } from '@mostrador/contracts';
import { compile } from '@mostrador/kit/schema/compile';
import { type Static, Type } from '@sinclair/typebox';
import { cleanText, faultOf } from './clean-text.ts';
import type { Decision, ModelRequest } from './model.ts';
import { ModelFailure } from './model-failure.ts';
import { languageOf, phrases } from './phrases.ts';
import { longestReply, withoutReasoning } from './reply-text.ts';

/** What a model answers with. No member is optional, because OpenAI wants that of a schema. */
export const Answer = Type.Object(
  {
    action: Type.Unsafe<'reply' | 'silent' | 'hand_over'>({ type: 'string', enum: ['reply', 'silent', 'hand_over'] }),
    text: Type.String({ description: 'What the customer reads. Empty only with "silent".' }),
    used_passages: Type.Array(Type.Integer(), {
      description: 'The numbers of the passages that the text is made from.',
    }),
  },
  { additionalProperties: false },
);
export type Answer = Static<typeof Answer>;

const isAnswer = (value: unknown): value is Answer => compile(Answer)(value).length === 0;

/** In characters. Far more than the longest answer with its reasoning has. */
const longestAnswer = 64 * 1024;

/** The answer in a text, also behind reasoning or between fences. @throws ModelFailure `malformed` */
export function parseAnswer(text: string): unknown {
  if (text.length > longestAnswer) throw new ModelFailure('malformed', 'the answer is far too long');
  const plain = withoutReasoning(text);
  const [, fenced] = /```(?:json)?([\s\S]*?)```/.exec(plain) ?? [];
  for (const candidate of [plain, fenced, plain.slice(plain.indexOf('{'), plain.lastIndexOf('}') + 1)]) {
    try {
      if (candidate) return JSON.parse(candidate);
    } catch {
      // The parser's own message quotes the text.
    }
  }
  throw new ModelFailure('malformed', plain === '' ? 'the answer is empty' : 'the answer is not JSON');
}

/**
 * The decision that an answer means. Pure. Passages that were not given do not count as used. The text has no introduction:
 * `introductionTo` stands before whatever is sent first.
 *
 * @throws ModelFailure `malformed` when it has another form, or a text that cannot be sent
 */
export function toDecision(answer: unknown, request: ModelRequest): Decision {
  if (!isAnswer(answer)) throw new ModelFailure('malformed', 'the answer has another form');
  if (answer.action === 'silent') return { action: 'silent', reason: 'no_answer_needed' };
  // Also because the time that the next line takes grows with the square of the length.
  if (answer.text.length > 2 * longestReply) throw new ModelFailure('malformed', 'the text is far too long');
  const { agent, passages, locale } = request;
  const say = phrases[languageOf(agent.language ?? locale)];
  const written = cleanText(answer.text, request);
  const fault = faultOf(written, request);
  if (answer.action === 'hand_over') {
    const reason: HandoverReason = 'agent_decided';
    const isUsable = !isTooLong(written) && fault === undefined;
    return { action: 'hand_over', text: (isUsable && written) || say.person, reason };
  }
  // The server confirms what was booked, moved or cancelled, and that may need no more words.
  const isTold = request.results.some(
    ({ name, output }) => ['book', 'move', 'cancel'].includes(name) && isObject(output) && 'appointment' in output,
  );
  if (!isTold && !/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(written.replaceAll('[…]', ''))) {
    throw new ModelFailure('malformed', 'the text is empty');
  }
  if (fault !== undefined) throw new ModelFailure('malformed', `the text ${fault}`);
  if (isTooLong(written)) throw new ModelFailure('malformed', `the text has more than ${longestReply} characters`);
  const used = new Set(answer.used_passages.map((number) => number - 1));
  return {
    action: 'reply',
    text: written,
    usedPassages: passages.flatMap((_, place) => (used.has(place) ? [place] : [])),
  };
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isTooLong = (text: string): boolean => [...text].length > longestReply;
