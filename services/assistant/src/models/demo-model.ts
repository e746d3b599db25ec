import { isDeepStrictEqual } from 'node:util';
import type { HandoverReason, Passage, ToolName } from '@mostrador/contracts';
import { dateAfter, localTimeOf } from '@mostrador/hours/clock';
import { isNotMade, type ToolOutput } from '../tools/step.ts';
import {
  acceptedOf,
  daysAheadOf,
  intentOf,
  type OfferedTime,
  partOfDayOf,
  plainOf,
  wishedTimeOf,
} from './demo-intents.ts';
import type { Decision, Model, ModelRequest } from './model.ts';
import { languageOf, type Phrases, phrases } from './phrases.ts';
import { replyText } from './reply-text.ts';

/** Quoted from a passage at most, in characters (code points). */
const longestQuote = 900;

/** Written before the bare words count, so that "price per person" asks for no person. */
const asksForPerson =
  /(?<!\b(?:por|per|cada|each|every) )\b(?:atendentes?|humanos?|humana|human|persona|person|pessoa)\b|\b(?:falar|hablar|talk|speak) (?:com|con|to|with) (?:alguem|alguien|someone|somebody)\b/;

/** A quote of a document answers no complaint. */
const complains =
  /\b(?:reclamar|reclamacao|decepcionad[oa]|insatisfeit[oa]|pessim[oa]|horrivel|absurdo|inaceitavel|queja|quejarme|molest[oa]|enojad[oa]|insatisfech[oa]|inaceptable|horrible|complaint|complain|unhappy|disappointed|terrible|awful|unacceptable|angry)\b/;

const greetings = new Set(
  'oi ola opa bom boa dia tarde noite tudo bem hola buenos buenas dias tardes noches hello hi hey good morning afternoon evening'.split(
    ' ',
  ),
);
const thanks = new Set(
  'obrigado obrigada valeu ok okay certo perfeito gracias muchas vale thanks thank you muito nao no'.split(' '),
);

/**
 * Answers by fixed rules, for trying the product without an account: it books, moves and cancels appointments, greets,
 * quotes the best passage, and hands over when it finds none, or when the lead complains or asks for a person. Pure.
 */
export const demoModel: Model = { answer: async (request) => decide(request), tryOut: async () => {} };

export function decide(request: ModelRequest): Decision {
  const { text, passages } = request;
  const plain = plainOf(text);
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  const say = phrases[languageOf(request.agent.language ?? request.locale)];
  const greeting = request.isFirst ? [hello(request, say)] : [];
  const reply = (sentence: string): Decision => ({
    ...{ action: 'reply', text: [...greeting, sentence].join(' '), usedPassages: [] },
  });
  const handOver = (sentence: string, reason: HandoverReason): Decision => ({
    ...{ action: 'hand_over', text: [...greeting, sentence].join(' '), reason },
  });
  if (asksForPerson.test(plain)) return handOver(say.person, 'asked_for_person');
  if (complains.test(plain)) return handOver(say.person, 'agent_decided');
  if (words.length > 0 && words.every((word) => greetings.has(word))) {
    return { action: 'reply', text: [hello(request, say), say.howCanIHelp].join(' '), usedPassages: [] };
  }
  const booking = decideBooking(request, plain, say, { reply, handOver });
  if (booking) return booking;
  if (words.length > 0 && words.every((word) => thanks.has(word)))
    return { action: 'silent', reason: 'no_answer_needed' };
  const [best] = passages;
  if (!best) return handOver(say.notFound, 'nothing_found');
  return {
    action: 'reply',
    text: [...greeting, say.quote(best.document.title, quoteOf(best))].join('\n\n'),
    usedPassages: [0],
  };
}

/** Decisions to say a sentence, after the greeting if one is due. */
type Saying = {
  readonly reply: (sentence: string) => Decision;
  readonly handOver: (sentence: string, reason: HandoverReason) => Decision;
};

/** What to do about appointments. Undefined: the text is not about one, or the store has no such tool. */
function decideBooking(
  request: ModelRequest,
  plain: string,
  say: Phrases,
  { reply, handOver }: Saying,
): Decision | undefined {
  const { tools, conversation } = request;
  const has = (name: ToolName) => tools.some((tool) => tool.name === name);
  // A call that was not made says nothing.
  const results = request.results.filter(({ output }) => !isNotMade(output as ToolOutput));
  const done = results.findLast(({ output }) => 'appointment' in (output as object));
  if (done) return reply(done.name === 'cancel' ? say.done : say.seeYou);
  const refused = results.some(({ name, output }) => name !== 'find_times' && errorOf(output) !== undefined);

  const today = localTimeOf(new Date(request.now), request.timezone);
  const after = (days: number) => dateAfter(today.date, days);
  const intent = intentOf(plain);
  const isChoice = !refused && intent !== 'cancel';
  const offers = offersOf(request);
  const accepted = isChoice ? acceptedOf(plain, offers, { ...today, dateAfter: after }) : undefined;
  if (accepted === null) return reply(say.whichTime);
  const earlier = conversation.filter(({ from }) => from === 'lead').map(({ text }) => intentOf(plainOf(text)));
  const isMove = (intents: typeof earlier) => intents.findLast((one) => one !== undefined) === 'move';
  if (accepted) {
    if (has('move') && isMove(earlier))
      return use(request, 'move', {
        appointment: choicesOf(request, 'move', 'appointment')[0]?.id,
        offer: accepted.offer,
      });
    if (has('book')) return use(request, 'book', { offer: accepted.offer });
  }
  if (intent === 'cancel' && has('cancel') && !refused) {
    return use(request, 'cancel', { appointment: choicesOf(request, 'cancel', 'appointment')[0]?.id });
  }
  // What the lead wants done, a quote of a document does not do.
  if (intent !== undefined && !refused && !has(intent === 'cancel' ? 'cancel' : 'find_times')) {
    return handOver(say.person, 'nothing_found');
  }
  const near = isChoice ? wishedTimeOf(plain, intent, offers.length) : undefined;
  const looks = near !== undefined || (intent !== undefined && intent !== 'cancel');
  if (!has('find_times') || (!refused && !looks)) return undefined;

  const ahead = refused ? undefined : daysAheadOf(plain, today.weekday);
  const part = refused ? undefined : partOfDayOf(plain);
  // Who names another time than the offered ones means their day.
  const offeredDay = intent === undefined && near ? offers[0]?.date : undefined;
  const day = ahead === undefined ? offeredDay : after(ahead);
  const [moved] = isMove([...earlier, intent]) ? choicesOf(request, 'find_times', 'appointment') : [];
  const toMove = moved && { appointment: moved.id };
  const wanted = {
    ...(day && { from: day, to: day }),
    ...(near ? { near } : part && { part_of_day: part }),
    ...toMove,
  };
  const searches = [wanted, { to: after(14), ...toMove }];
  for (const [index, search] of searches.entries()) {
    const result = results.findLast(({ name, input }) => name === 'find_times' && isDeepStrictEqual(input, search));
    if (!result) return use(request, 'find_times', search);
    const { times = [] } = result.output as { times?: readonly unknown[] };
    if (times.length > 0) return reply(refused ? say.taken : index > 0 ? say.otherTimes : say.times);
  }
  return handOver(say.noTimes, 'nothing_found');
}

const errorOf = (output: unknown) => (output as { error?: string }).error;

const use = ({ results }: ModelRequest, name: ToolName, input: unknown): Decision => ({
  ...{ action: 'use_tools', calls: [{ id: `demo_${results.length + 1}`, name, input }] },
});

/** The ids that a tool takes for a member of its input, with what they mean. */
function choicesOf({ tools }: ModelRequest, name: ToolName, member: string): { id: string; label: string }[] {
  const { anyOf = [] }: { anyOf?: readonly { const: string; description: string }[] } =
    tools.find((tool) => tool.name === name)?.input.properties?.[member] ?? {};
  return anyOf.map(({ const: id, description: label }) => ({ id, label }));
}

/** The times that the lead was offered, from the labels of the tool. */
const offersOf = (request: ModelRequest): OfferedTime[] =>
  choicesOf(request, 'book', 'offer').flatMap(({ id: offer, label }) => {
    const [, date, time] = /(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2})/.exec(label) ?? [];
    return date && time ? [{ offer, date, time }] : [];
  });

const hello = ({ agent }: ModelRequest, say: Phrases): string =>
  agent.disclosure ? say.helloAsAi(agent.name) : say.hello(agent.name);

/** The text of a passage without its title, which stands before the quote, and with the marks of WhatsApp. */
function quoteOf({ document: { title }, text }: Passage): string {
  const [first = '', ...rest] = text.trim().split('\n');
  const body = first.replace(/^#+\s*/, '').trim() === title ? rest.join('\n') : text;
  const characters = [...replyText(body, [body])];
  return characters.length <= longestQuote ? characters.join('') : `${characters.slice(0, longestQuote).join('')}…`;
}
