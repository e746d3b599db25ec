import { setTimeout as pause } from 'node:timers/promises';
import type { Json } from './api.ts';
import type { Said } from './customer.ts';

/** A server with the API of OpenAI. */
export type CustomerConnection = {
  /** Such as `http://127.0.0.1:11434/v1`. */
  readonly url: string;
  readonly model: string;
  readonly apiKey?: string;
};

/** Whom a model plays. */
export type Role = {
  readonly language: string;
  readonly persona: string;
  readonly goal: string;
  /** What the customer may tell when asked. */
  readonly knows: readonly string[];
};

/** What a customer writes who has nothing more to say. It is not sent. */
const stopWord = '[END]';
const stop = /\[\s*end\s*\]/i;

/** The longest message of a customer, in characters. */
export const longestLine = 500;
/** An answer has room for reasoning, too. */
const mostTokens = 1_000;
const callMs = 60_000;
const mostTries = 3;
const longestPauseMs = 30_000;

/** A model that cannot play its part, which says nothing of the AI that is judged. */
export class CustomerFailed extends Error {}

type Message = { readonly role: 'system' | 'user' | 'assistant'; readonly content: string };

/**
 * What the model is told. Its own lines are those of the assistant. Pure. The first message after the instructions is of
 * the user, and both take turns, because the templates of many models refuse anything else.
 */
export function messagesFor({ language, persona, goal, knows }: Role, said: readonly Said[]): Message[] {
  const instructions = [
    'You play a customer who writes to a store on WhatsApp. You are not an assistant, and you never play the store.',
    `You write in the language ${language}.`,
    `Who you are: ${persona}`,
    `What you want: ${goal}`,
    ...(knows.length > 0 ? ['What you know:', ...knows.map((fact) => `- ${fact}`)] : []),
    'Write one short message, as people write on a phone, with nothing around it. Say what you want bit by bit, and ' +
      'answer what you are asked. Invent no facts: what is not above you do not know. Accept nothing but what you want.',
    `Once you have it, or it is clear that the store cannot give it, write only ${stopWord}`,
  ];
  const messages: Message[] = [
    { role: 'system', content: instructions.join('\n') },
    { role: 'user', content: '(You write first.)' },
  ];
  for (const { from, text } of said) {
    if (from === 'customer') messages.push({ role: 'assistant', content: text });
    else if (from === 'store') messages.push({ role: 'user', content: text });
    else if (text.startsWith('silent')) messages.push({ role: 'user', content: '(The store does not answer.)' });
  }
  return messages;
}

/** The message that a model has written. Undefined: it has nothing more to say. Pure. @throws CustomerFailed */
export function lineOf(written: string): string | undefined {
  const text = written
    .replace(/^[\s\S]*<\/think(?:ing)?>/i, '')
    .trim()
    .replace(/^(?:customer|cliente|you|me)\s*:\s*/i, '')
    .replace(/^["“«]([\s\S]*)["”»]$/, '$1')
    .trim();
  if (stop.test(text)) return undefined;
  if (text === '' || text.startsWith('<think')) throw new CustomerFailed('the model of the customer wrote no message');
  return text.slice(0, longestLine);
}

/**
 * Asks the model for the next message of the customer. `seed`: the same one makes the same customer, as far as the server
 * heeds it. Undefined: the customer has nothing more to say.
 *
 * @throws CustomerFailed after 3 calls without a message
 */
export async function nextLine(
  connection: CustomerConnection,
  role: Role,
  said: readonly Said[],
  seed: number,
): Promise<string | undefined> {
  const body = {
    model: connection.model,
    messages: messagesFor(role, said),
    ...{ max_tokens: mostTokens, temperature: 0.7, seed },
  };
  for (let tries = 1; ; tries += 1) {
    try {
      return lineOf(await write(connection, body));
    } catch (error) {
      if (!(error instanceof CustomerFailed) || error instanceof Refused || tries === mostTries) throw error;
      await pause(error instanceof Busy ? error.pauseMs : 100);
    }
  }
}

/** A request that is refused each time, such as one with a wrong key. */
class Refused extends CustomerFailed {}

class Busy extends CustomerFailed {
  readonly pauseMs: number;
  constructor(message: string, retryAfter: string | null) {
    super(message);
    const seconds = Number(retryAfter ?? 1);
    this.pauseMs = Math.min(Number.isFinite(seconds) ? seconds * 1_000 : 1_000, longestPauseMs);
  }
}

/** @throws CustomerFailed */
async function write({ url, apiKey }: CustomerConnection, body: object): Promise<string> {
  const { status, headers, text } = await post(`${url.replace(/\/$/, '')}/chat/completions`, apiKey, body);
  if (status === 429 || status >= 500) {
    throw new Busy(`the model of the customer answered ${status}`, headers.get('retry-after'));
  }
  if (status !== 200) throw new Refused(`the model of the customer answered ${status}: ${text.slice(0, 300)}`);
  const content = contentOf(text);
  if (content === undefined) throw new CustomerFailed('the answer of the model of the customer cannot be read');
  return content;
}

async function post(url: string, apiKey: string | undefined, body: object) {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(callMs),
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  } catch (error) {
    throw new CustomerFailed(`the model of the customer is not reached: ${(error as Error).message}`);
  }
}

/** The text of an answer. A refusal, and an answer that its limit has cut, have none. */
function contentOf(text: string): string | undefined {
  try {
    const [choice]: Json[] = JSON.parse(text).choices;
    const content = choice.message.content;
    return choice.finish_reason === 'stop' && typeof content === 'string' ? content : undefined;
  } catch {
    return undefined;
  }
}
