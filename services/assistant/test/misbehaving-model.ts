import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a call is answered. A status and a body, or a text that the model writes. */
type Behaviour =
  | { readonly writes: string; readonly finish?: string; readonly after?: () => Promise<void> }
  | { readonly refuses: string }
  | { readonly calls: readonly { readonly name: string; readonly input: string }[] }
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body: string }
  | 'never answers';

export type MisbehavingModel = Awaited<ReturnType<typeof startMisbehavingModel>>;

/** A server with the API of OpenAI that answers each call as the test says, in order; the last behaviour stays. */
export async function startMisbehavingModel() {
  const behaviours = new Map<string, Behaviour[]>();
  const requests: { name: string; headers: NodeJS.Dict<string | string[]>; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const [, name = '', ...rest] = (request.url ?? '').split('/');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    requests.push({ name, headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
    const queue = behaviours.get(name) ?? [];
    const behaviour = queue.length > 1 ? queue.shift() : queue[0];
    // The last one is that of Gemini, which a test answers with a status and a body.
    const isKnown = rest.join('/') === 'v1/chat/completions' || rest.at(-1)?.endsWith(':generateContent');
    if (behaviour === undefined || !isKnown) return void response.writeHead(404).end();
    if (behaviour === 'never answers') return;
    if ('status' in behaviour) {
      return void response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body);
    }
    if ('writes' in behaviour) await behaviour.after?.();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(completion(behaviour)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    /** The address of a model with this behaviour. */
    model(name: string, ...answers: Behaviour[]): string {
      behaviours.set(name, answers);
      return `http://127.0.0.1:${port}/${name}/v1`;
    },
    calls: (name: string): number => requests.filter((request) => request.name === name).length,
    stop(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}

function completion(behaviour: Exclude<Behaviour, string | { status: number }>) {
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  const message =
    'writes' in behaviour
      ? { role: 'assistant', content: behaviour.writes }
      : 'refuses' in behaviour
        ? { role: 'assistant', content: null, refusal: behaviour.refuses }
        : {
            ...{ role: 'assistant', content: null },
            tool_calls: behaviour.calls.map(({ name, input }, index) => ({
              ...{ id: `call_${index}`, type: 'function', function: { name, arguments: input } },
            })),
          };
  const finish_reason =
    'writes' in behaviour ? (behaviour.finish ?? 'stop') : 'refuses' in behaviour ? 'stop' : 'tool_calls';
  return {
    ...{
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message, finish_reason }],
      usage,
    },
  };
}
