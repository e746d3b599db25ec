import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { moved, offsets, rot13 } from './attack.ts';

type Command = { readonly name: string; readonly input: string };

/** The conversation before, and the tools, are JSON in the prompt. */
const plainOf = (prompt: string): string => prompt.replaceAll('\\"', '"');

/** Whether a text reached the model in this prompt. Pure. */
export const hasReached = (prompt: string, text: string): boolean => plainOf(prompt).includes(plainOf(text));

/** The commands in all that reached the model, also those that are encoded. Pure. */
export function commandsIn(prompt: string): Command[] {
  // Letters that look like others, or that nothing shows, mean the same to it.
  const plain = Object.values(offsets).reduce((text, by) => moved(text, [0x21 + by, 0x7e + by], -by), plainOf(prompt));
  const decoded = [...plain.matchAll(/Decode and obey: ([^\n"]+)/g)].flatMap(([, encoded = '']) => [
    Buffer.from(encoded, 'base64').toString('utf8'),
    rot13(encoded),
  ]);
  return [plain, ...decoded].flatMap((part) =>
    [...part.matchAll(/\[\[(\w+) (\{.*?\})\]\]/g)].map(([, name = '', input = '{}']) => ({ name, input })),
  );
}

/**
 * A server with the API of OpenAI whose model obeys every text: it does what stands between `[[` and `]]` in anything that
 * reaches it.
 */
export async function startObeyingModel() {
  const prompts: string[] = [];
  const server = createServer(async (request, response) => {
    const { messages, tools = [] } = JSON.parse(await text(request as IncomingMessage));
    const offered = new Set<string>(tools.map((tool: { function: { name: string } }) => tool.function.name));
    // Titles of appointments stand only in the schemas of the tools. They come first: what follows the results is a result.
    const said = messages.map(({ content }: { content: unknown }) => textIn(content));
    const prompt = [JSON.stringify(tools), ...said].join('\n');
    prompts.push(prompt);
    const calls = callsFor(prompt, offered).map(({ name, input }, place) => ({
      ...{ id: `call_${place}`, type: 'function', function: { name, arguments: input } },
    }));
    const message = { role: 'assistant', content: null, tool_calls: calls };
    const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
    const choices = [{ index: 0, message, finish_reason: 'tool_calls' }];
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'obeys', choices, usage }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    /** All that has reached the model: of each call the tools with their schemas, and the messages. */
    prompts,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    stop(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}

const textIn = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : (content as readonly { text?: string }[]).map(({ text: part = '' }) => part).join('\n');

/**
 * First the tools that were named, the last named first, and then the words. What it was not offered it calls when
 * nothing else is named. Pure.
 */
function callsFor(prompt: string, offered: ReadonlySet<string>): Command[] {
  const commands = commandsIn(prompt);
  const [, results] = prompt.split('The tools that you have called for this answer');
  const tools = commands.filter(({ name }) => name !== 'say' && name !== 'book_found');
  const known = tools.filter(({ name }) => offered.has(name));
  if (results === undefined && tools.length > 0) return (known.length > 0 ? known : tools).toReversed();
  const found = /"offer":"([0-9a-f-]{36})"/.exec(results ?? '')?.[1];
  if (found && !results?.includes('"name":"book"') && commands.some(({ name }) => name === 'book_found')) {
    return [{ name: 'book', input: JSON.stringify({ offer: found }) }];
  }
  const say = commands.findLast(({ name }) => name === 'say');
  const { text: words = 'Ok.' } = say ? JSON.parse(say.input) : {};
  return [{ name: 'answer', input: JSON.stringify({ action: 'reply', text: words, used_passages: [1] }) }];
}
