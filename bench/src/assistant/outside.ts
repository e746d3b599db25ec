import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenHere, servePeer } from '@mostrador/local-platform/peer';

// A process with what is outside of the platform: an API of WhatsApp that accepts every message at once, and a model with
// the API of OpenAI that answers every call at once.

const answerWithinMs = 5 * 60_000;

/** When the next message to a phone arrived, in milliseconds since 1970, and who waits for it. */
const arrived = new Map<string, number>();
const waiting = new Map<string, (at: number) => void>();

const completion = JSON.stringify({
  ...{ id: 'c', object: 'chat.completion', created: 1, model: 'instant' },
  choices: [
    {
      ...{ index: 0, finish_reason: 'tool_calls' },
      message: {
        ...{ role: 'assistant', content: null },
        tool_calls: [
          {
            ...{ id: 'call_0', type: 'function' },
            function: {
              name: 'answer',
              arguments: JSON.stringify({
                ...{ action: 'reply', text: 'Your glasses are ready. You can collect them today.' },
                used_passages: [],
              }),
            },
          },
        ],
      },
    },
  ],
  usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
});

const server = createServer(async (request, response) => {
  const body = await text(request);
  let answer = completion;
  if (request.url !== '/v1/chat/completions') {
    const to = /"to":"(\d+)"/.exec(body)?.[1];
    if (to !== undefined) take(to, Date.now());
    answer = JSON.stringify({ messaging_product: 'whatsapp', messages: [{ id: `wamid.${randomUUID()}` }] });
  }
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': answer.length }).end(answer);
});
server.keepAliveTimeout = 60_000;

function take(phone: string, at: number): void {
  const wanted = waiting.get(phone);
  if (!wanted) return void arrived.set(phone, at);
  waiting.delete(phone);
  wanted(at);
}

servePeer({
  listen: () => listenHere(server),
  /** When the next message to the phone has arrived. Rejects when none does. */
  answered: (phone: string) =>
    new Promise<number>((resolve, reject) => {
      const at = arrived.get(phone);
      if (at !== undefined) {
        arrived.delete(phone);
        return resolve(at);
      }
      const limit = setTimeout(() => reject(new Error('a conversation got no answer')), answerWithinMs);
      waiting.set(phone, (found) => {
        clearTimeout(limit);
        resolve(found);
      });
    }),
});
