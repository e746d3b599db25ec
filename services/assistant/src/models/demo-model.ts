import type { Passage } from '@mostrador/contracts';
import type { Decision, Model, ModelRequest } from './model.ts';
import { type Language, languageOf, phrases } from './phrases.ts';

/** Quoted from a passage at most, in characters (code points). */
const longestQuote = 900;

/** Written before the bare words count, so that "price per person" asks for no person. */
const asksForPerson =
  /(?<!\b(?:por|per|cada|each|every) )\b(?:atendentes?|humanos?|humana|human|persona|person|pessoa)\b|\b(?:falar|hablar|talk|speak) (?:com|con|to|with) (?:alguem|alguien|someone|somebody)\b/;

const greetings = new Set(
  'oi ola opa bom boa dia tarde noite tudo bem hola buenos buenas dias tardes noches hello hi hey good morning afternoon evening'.split(
    ' ',
  ),
);
const thanks = new Set(
  'obrigado obrigada valeu ok okay certo perfeito gracias muchas vale thanks thank you muito'.split(' '),
);

/**
 * Answers by fixed rules, for trying the product without an account: it greets, quotes the best passage, and hands over
 * when it finds none or when the lead asks for a person. Pure.
 */
export const demoModel: Model = { name: 'demo', answer: async (request) => decide(request) };

export function decide(request: ModelRequest): Decision {
  const { text, passages } = request;
  const plain = text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  const say = phrases[languageOf(request.agent.language ?? request.locale)];
  const greeting = request.isFirst ? [hello(request, say)] : [];
  if (asksForPerson.test(plain)) {
    return { action: 'hand_over', text: [...greeting, say.person].join(' '), reason: 'asked_for_person' };
  }
  if (words.length > 0 && words.every((word) => greetings.has(word))) {
    return { action: 'reply', text: [hello(request, say), say.howCanIHelp].join(' '), usedPassages: [] };
  }
  if (words.length > 0 && words.every((word) => thanks.has(word)))
    return { action: 'silent', reason: 'no_answer_needed' };
  const [best] = passages;
  if (!best) return { action: 'hand_over', text: [...greeting, say.notFound].join(' '), reason: 'nothing_found' };
  return {
    action: 'reply',
    text: [...greeting, say.quote(best.document.title, quoteOf(best))].join('\n\n'),
    usedPassages: [0],
  };
}

const hello = ({ agent }: ModelRequest, say: (typeof phrases)[Language]): string =>
  agent.disclosure ? say.helloAsAi(agent.name) : say.hello(agent.name);

function quoteOf({ text }: Passage): string {
  const characters = [...text.trim()];
  return characters.length <= longestQuote ? text.trim() : `${characters.slice(0, longestQuote).join('')}…`;
}
