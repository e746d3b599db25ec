import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ToolName } from '@mostrador/contracts';

/** What a model answers: a text for the lead, or the call of a tool. */
export type Answer = { readonly says: string } | { readonly uses: ToolName; readonly input: unknown };

/** Starts a server with the API of OpenAI. Undefined as an answer: the model hangs. */
export async function startModel(answer: (prompt: string) => Promise<Answer | undefined>) {
  const server = createServer(async (request, response) => {
    let prompt = '';
    for await (const chunk of request) prompt += chunk;
    const answered = await answer(prompt);
    if (!answered) return;
    const choices = [{ index: 0, message: messageOf(answered), finish_reason: 'stop' }];
    const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/v1`;
  return {
    /** How a store connects the model. */
    connection: { provider: 'openai_compatible', url, model: 'm', secrets: { api_key: 'k' } } as const,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function messageOf(answer: Answer) {
  if ('says' in answer) {
    const content = JSON.stringify({ action: 'reply', text: answer.says, used_passages: [] });
    return { role: 'assistant', content };
  }
  const call = { name: answer.uses, arguments: JSON.stringify(answer.input) };
  return { role: 'assistant', content: null, tool_calls: [{ id: 'call', type: 'function', function: call }] };
}
