import { randomBytes } from 'node:crypto';
import type { ModelProvider, ToolName } from '@mostrador/contracts';
import { BodyTooLarge, readBody } from '@mostrador/kit/clients/body';
import { AddressRefused, type Egress } from '@mostrador/kit/clients/egress';
import { retryAfterSeconds } from '@mostrador/kit/clients/http';
import type { ToolSet, wrapLanguageModel as wrap } from 'ai';
import { Answer, parseAnswer, toDecision } from './answer.ts';
import type { Decision, Model, ModelRequest } from './model.ts';
import { ModelFailure } from './model-failure.ts';
import { promptOf } from './prompt.ts';

/** A provider as it is called. */
export type RealConnection = {
  readonly provider: Exclude<ModelProvider, 'demo'>;
  /** Undefined: the public address of the provider. */
  readonly url: string | undefined;
  readonly model: string;
  /** Undefined: it needs none. */
  readonly apiKey: string | undefined;
};

/** More than any answer; reasoning counts too. */
export const mostTokens = 4096;
const mostAnswerBytes = 1024 * 1024;

/** The name of the tool with which a model answers where it has others, too. No tool of the platform has it. */
const answering = 'answer';

/** A model behind the Vercel AI SDK, which is loaded with the first call: it takes 26 MB. */
export const createSdkModel = (connection: RealConnection, egress: Pick<Egress, 'fetch'>): Model => ({
  async answer(request, { timeoutMs, onUsage }) {
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      return await ask(await open(connection, limitedFetch(egress)), request, { limit, onUsage });
    } catch (error) {
      // The errors of the SDK have the prompt, so nothing of them goes on.
      throw error instanceof ModelFailure ? error : await toFailure(error, limit);
    }
  },

  async tryOut({ timeoutMs }) {
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      // Without the SDK's reading of answers: any answer shows that the model can be called.
      const model = await open(connection, limitedFetch(egress));
      await model.doGenerate({
        prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
        ...{ maxOutputTokens: trialTokens, abortSignal: limit, providerOptions: { openai: { store: false } } },
      });
    } catch (error) {
      throw await toFailure(error, limit);
    }
  },
});

/** The fewest that OpenAI takes. */
const trialTokens = 16;

async function open({ provider, url, model, apiKey }: RealConnection, fetch: typeof globalThis.fetch) {
  const baseURL = url === undefined ? {} : { baseURL: url };
  switch (provider) {
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI({ ...baseURL, apiKey: apiKey ?? '', fetch })(model);
    }
    case 'gemini': {
      const { createGoogle } = await import('@ai-sdk/google');
      return createGoogle({ ...baseURL, apiKey: apiKey ?? '', fetch })(model);
    }
    case 'openai_compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const key = apiKey === undefined ? {} : { apiKey };
      const settings = { name: provider, baseURL: url ?? '', supportsStructuredOutputs: true, ...key, fetch };
      return createOpenAICompatible(settings)(model);
    }
  }
}

/** A number of tokens that a call can have. Some servers tell others, which no table takes. */
const tokensOf = (told: number | undefined): number | undefined =>
  Number.isSafeInteger(told) && told !== undefined && told >= 0 && told <= 100_000_000 ? told : undefined;

type ProviderModel = Parameters<typeof wrap>[0]['model'];
type Options = { readonly limit: AbortSignal; readonly onUsage: Parameters<Model['answer']>[1]['onUsage'] };

async function ask(provided: ProviderModel, request: ModelRequest, { limit, onUsage }: Options): Promise<Decision> {
  const {
    generateText,
    jsonSchema,
    NoObjectGeneratedError,
    Output,
    tool,
    ToolChoiceViolationError,
    wrapLanguageModel,
  } = await import('ai');
  // The errors of an answer that cannot be used do not all tell what it has used.
  const model = wrapLanguageModel({
    model: provided,
    middleware: {
      async wrapGenerate({ doGenerate }) {
        const generated = await doGenerate();
        const { inputTokens, outputTokens } = generated.usage;
        onUsage?.({ inputTokens: tokensOf(inputTokens.total), outputTokens: tokensOf(outputTokens.total) });
        return generated;
      },
    },
  });
  // It would print the warnings of providers.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const { instructions, data } = promptOf(request, randomBytes(8).toString('hex'));
  const answerSchema = jsonSchema<Answer>(Answer as object);
  const tools: ToolSet = Object.fromEntries([
    ...request.tools.map(({ name, description, input }) => [
      name,
      tool({ description, inputSchema: jsonSchema(input as object) }),
    ]),
    [answering, tool({ description: 'Ends with your action.', inputSchema: answerSchema })],
  ]);
  const call = {
    ...{ model, instructions, prompt: data, maxOutputTokens: mostTokens, maxRetries: 0, abortSignal: limit },
    providerOptions: { openai: { store: false } },
  };
  try {
    // Some servers take a schema for the answer or tools, but not both. So with tools the answer is one of them.
    const { text, toolCalls, finishReason } =
      request.tools.length === 0
        ? await generateText({ ...call, output: Output.object({ schema: answerSchema, name: answering }) })
        : await generateText({ ...call, tools, toolChoice: 'required' });
    return decisionOf({ text, toolCalls, finishReason }, request);
  } catch (error) {
    // A model that writes its answer where it was to call a tool.
    if (ToolChoiceViolationError.isInstance(error)) {
      const text = error.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      return decisionOf({ text, toolCalls: [], finishReason: error.finishReason }, request);
    }
    if (!NoObjectGeneratedError.isInstance(error)) throw error;
    return decisionOf({ text: error.text ?? '', toolCalls: [], finishReason: error.finishReason ?? 'other' }, request);
  }
}

/** More than 32 vectors of 4096 numbers take. */
const mostVectorBytes = 4 * 1024 * 1024;

/** Asks an embedder with the API of OpenAI once, for a vector of each text. `tokens`: as far as it tells them. @throws ModelFailure */
export async function embedWithSdk(
  { url, model, apiKey }: { readonly url: string; readonly model: string; readonly apiKey: string | undefined },
  egress: Pick<Egress, 'fetch'>,
  texts: readonly string[],
  timeoutMs: number,
): Promise<{ readonly embeddings: number[][]; readonly tokens: number | undefined }> {
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const [{ embedMany }, { createOpenAICompatible }] = await Promise.all([
      import('ai'),
      import('@ai-sdk/openai-compatible'),
    ]);
    const key = apiKey === undefined ? {} : { apiKey };
    const fetch = limitedFetch(egress, mostVectorBytes);
    const provider = createOpenAICompatible({ name: 'embedder', baseURL: url, ...key, fetch });
    globalThis.AI_SDK_LOG_WARNINGS = false;
    const asked = { model: provider.embeddingModel(model), values: [...texts], maxRetries: 0, abortSignal: limit };
    const { embeddings, usage } = await embedMany(asked);
    return { embeddings, tokens: tokensOf(usage.tokens) };
  } catch (error) {
    // The errors of the SDK have the texts, so nothing of them goes on.
    throw await toFailure(error, limit);
  }
}

type Ended = {
  readonly text: string;
  readonly toolCalls: readonly { readonly toolCallId: string; readonly toolName: string; readonly input: unknown }[];
  readonly finishReason: string;
};

/** Pure. @throws ModelFailure */
export function decisionOf({ text, toolCalls, finishReason }: Ended, request: ModelRequest): Decision {
  if (finishReason === 'content-filter') throw new ModelFailure('refused', 'the model does not want to answer');
  if (finishReason === 'length') throw new ModelFailure('malformed', `the answer has more than ${mostTokens} tokens`);
  const used = toolCalls.filter(({ toolName }) => toolName !== answering);
  if (used.some(({ toolName }) => !request.tools.some(({ name }) => name === toolName))) {
    throw new ModelFailure('malformed', 'the model calls a tool that it was not offered');
  }
  // An answer beside other calls is from before their results.
  if (used.length > 0) {
    const calls = used.map(({ toolCallId: id, toolName, input }) => ({ id, name: toolName as ToolName, input }));
    return { action: 'use_tools', calls };
  }
  const [answer] = toolCalls;
  return toDecision(answer ? answer.input : parseAnswer(text), request);
}

/** Reads no more of an answer than any has. */
const limitedFetch =
  ({ fetch }: Pick<Egress, 'fetch'>, mostBytes = mostAnswerBytes): typeof globalThis.fetch =>
  async (input, init) => {
    const { status, headers, body } = await fetch(input, init);
    return new Response(await readBody(body, mostBytes), { status, headers });
  };

async function toFailure(error: unknown, limit: AbortSignal): Promise<ModelFailure> {
  const causes = causesOf(error);
  if (limit.aborted) return new ModelFailure('timed_out', 'the provider did not answer in time');
  if (causes.some((cause) => cause instanceof AddressRefused)) {
    return new ModelFailure('rejected', 'the address is in a private network, or has no TLS');
  }
  if (causes.some((cause) => cause instanceof BodyTooLarge)) {
    return new ModelFailure('malformed', 'the answer is too large');
  }
  const { APICallError, InvalidResponseDataError, JSONParseError, TypeValidationError } = await import('ai');
  if (APICallError.isInstance(error)) {
    const { statusCode: status, responseHeaders, responseBody } = error;
    if (status === undefined) return new ModelFailure('unavailable', 'no connection to the provider');
    const what = `the provider answered with status ${status}`;
    const retry = { status, retryAfterSeconds: retryAfterSeconds(responseHeaders?.['retry-after'], Date.now()) };
    if (status === 429) return new ModelFailure('rate_limited', what, retry);
    if (status >= 500 || status === 408 || status === 409) return new ModelFailure('unavailable', what, retry);
    if (status < 500 && isRefusal(responseBody)) return new ModelFailure('refused', what, { status });
    // Gemini says 400 of a key that it does not know.
    const isKey = status === 400 && responseBody?.includes('API_KEY_INVALID');
    return new ModelFailure(status < 300 ? 'malformed' : 'rejected', what, { status: isKey ? 401 : status });
  }
  const unreadable = [InvalidResponseDataError, JSONParseError, TypeValidationError];
  if (unreadable.some((kind) => kind.isInstance(error))) {
    return new ModelFailure('malformed', 'the answer of the provider cannot be read');
  }
  return new ModelFailure('unavailable', `the call failed with ${error instanceof Error ? error.name : 'no error'}`);
}

/** Codes of filters that answer in place of a model, of OpenAI, Azure and servers with their API. */
const refusals =
  /content_?filter|content_?policy|responsible_?ai|safety_?(?:violation|filter|policy)|moderation|prohibited_?content/i;

/** Whether the error of a provider says that it does not want to answer. Only its codes are read: a text may quote the prompt. Pure. */
export function isRefusal(body: string | undefined): boolean {
  try {
    return codesIn(JSON.parse(body ?? '')).some((code) => refusals.test(code));
  } catch {
    return false;
  }
}

/** The values of `code`, `type`, `reason` and `status`, also of inner errors. */
function codesIn(value: unknown, depth = 0): string[] {
  if (typeof value !== 'object' || value === null || depth > 5) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    if (typeof member !== 'string') return codesIn(member, depth + 1);
    // Gemini's answer to a prompt that it blocks. `OTHER` is a reason, too.
    if (name === 'blockReason') return ['content_filter'];
    return ['code', 'type', 'reason', 'status', 'finish_reason'].includes(name) ? [member] : [];
  });
}

function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let cause = error; cause !== undefined && causes.length < 10; cause = (cause as Error | undefined)?.cause) {
    causes.push(cause);
  }
  return causes;
}
