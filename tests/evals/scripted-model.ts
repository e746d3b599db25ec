import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Json } from './api.ts';

export type ScriptedAnswer =
  | { readonly writes: string; readonly finish?: 'stop' | 'length' }
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | 'hangs up';

/** Writes what the model says. `lines`: how often it has spoken before. */
export type Script = (asked: {
  readonly instructions: string;
  readonly heard: string;
  readonly lines: number;
  readonly seed: number;
}) => ScriptedAnswer;

/** As those of small models. */
const mostCharacters = 16_000;

/**
 * A server with the API of OpenAI for one model, which says what a script says. It refuses what such servers refuse: another
 * address, key, model or member, and roles that do not take turns.
 */
export async function startScriptedModel(script: Script, { model = 'plays', apiKey = 'sk-customer' } = {}) {
  const requests: Json[] = [];
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: object, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    const refuse = (status: number, code: string) => answer(status, { error: { message: code, code } });
    const written = await text(request as IncomingMessage);
    if (request.method !== 'POST' || request.url !== '/v1/chat/completions') return refuse(404, 'not_found');
    if (request.headers.authorization !== `Bearer ${apiKey}`) return refuse(401, 'invalid_api_key');
    if (request.headers['content-type'] !== 'application/json') return refuse(415, 'unsupported_media_type');
    const body = parsed(written);
    const fault = body === undefined ? 'invalid_json' : faultOf(body);
    if (fault !== undefined) return refuse(400, fault);
    if (body.model !== model) return refuse(404, 'model_not_found');
    requests.push(body);
    const [{ content: instructions }] = body.messages;
    const lines = body.messages.filter(({ role }: Json) => role === 'assistant').length;
    const said = script({ instructions, heard: body.messages.at(-1).content, lines, seed: body.seed });
    if (said === 'hangs up') return request.socket.destroy();
    if ('status' in said) {
      return response.writeHead(said.status, { 'content-type': 'text/plain', ...said.headers }).end(said.body ?? '');
    }
    const message = { role: 'assistant', content: said.writes };
    const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
    const choices = [{ index: 0, message, finish_reason: said.finish ?? 'stop' }];
    return answer(200, { id: 'c', object: 'chat.completion', created: 1, model, choices, usage });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    /** Those that were accepted. */
    requests,
    connection: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, model, apiKey },
    stop(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}

function parsed(body: string): Json {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const members: readonly string[] = ['model', 'messages', 'max_tokens', 'temperature', 'seed'];

/** Why a request is refused. Undefined: it is not. Pure. */
function faultOf(body: Json): string | undefined {
  const { messages, max_tokens, temperature, seed } = body;
  if (Object.keys(body).some((member) => !members.includes(member))) return 'unknown_parameter';
  if (!Number.isSafeInteger(max_tokens) || max_tokens < 1 || !Number.isSafeInteger(seed)) return 'invalid_number';
  if (!(temperature >= 0 && temperature <= 2)) return 'invalid_temperature';
  if (!Array.isArray(messages) || messages.length === 0) return 'no_messages';
  if (messages.some(({ content }) => typeof content !== 'string' || content === '')) return 'empty_message';
  if (messages.reduce((all, { content }) => all + content.length, 0) > mostCharacters) return 'context_length_exceeded';
  const [first, ...rest] = messages;
  const isInTurn = rest.every(({ role }, place) => role === (place % 2 === 0 ? 'user' : 'assistant'));
  return first.role === 'system' && isInTurn && rest.length % 2 === 1 ? undefined : 'roles_must_alternate';
}
