import type { ModelFailureKind, ModelProvider } from '@mostrador/contracts';
import { counter, histogram, type MetricDefinition, type Registered } from '@mostrador/kit/process/metrics';
import type { Usage } from './model.ts';

const provider = '`demo`, `openai`, `gemini`, `openai_compatible`';

export const modelMetrics = {
  calls: {
    name: 'mostrador_ai_model_calls_total',
    type: 'counter',
    help: 'Calls to models, by their result.',
    labels: {
      provider,
      result: '`answered`, `rate_limited`, `unavailable`, `timed_out`, `malformed`, `rejected`, `refused`',
    },
  },
  tokens: {
    name: 'mostrador_ai_model_tokens_total',
    type: 'counter',
    help: 'Tokens of calls to models, as far as their providers tell them.',
    labels: { provider, direction: '`input`, `output`' },
  },
  seconds: {
    name: 'mostrador_ai_model_call_seconds',
    type: 'histogram',
    help: 'How long a call to a model takes, in seconds, also one that fails.',
    labels: { provider },
    buckets: [0.01, 0.1, 0.5, 1, 2, 4, 8, 16, 30],
  },
  embedderCalls: {
    name: 'mostrador_ai_embedder_calls_total',
    type: 'counter',
    help: 'Calls to embedders, by their result.',
    labels: {
      result: '`answered`, `budget_reached`, `rate_limited`, `unavailable`, `timed_out`, `malformed`, `rejected`',
    },
  },
  embedderTokens: {
    name: 'mostrador_ai_embedder_tokens_total',
    type: 'counter',
    help: 'Tokens of calls to embedders, as far as they tell them.',
  },
  embedderSeconds: {
    name: 'mostrador_ai_embedder_call_seconds',
    type: 'histogram',
    help: 'How long a call to an embedder takes, in seconds, also one that fails.',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 2, 4, 8, 16],
  },
} as const satisfies Record<string, MetricDefinition>;

/** How a call ends. */
export type CallResult = 'answered' | ModelFailureKind;

export type ModelCall = Usage & {
  readonly provider: ModelProvider;
  readonly result: CallResult;
  readonly latencyMs: number;
};

/** Returns the function that counts a call. */
export function countModelCalls(metrics: Registered): (call: ModelCall) => void {
  const [calls, tokens] = [counter(metrics, modelMetrics.calls), counter(metrics, modelMetrics.tokens)];
  const seconds = histogram(metrics, modelMetrics.seconds);
  return ({ provider: name, result, latencyMs, inputTokens = 0, outputTokens = 0 }) => {
    calls.inc({ provider: name, result });
    tokens.inc({ provider: name, direction: 'input' }, inputTokens);
    tokens.inc({ provider: name, direction: 'output' }, outputTokens);
    seconds.observe({ provider: name }, latencyMs / 1000);
  };
}

export type EmbedderCall = {
  readonly result: CallResult | 'budget_reached';
  readonly tokens?: number | undefined;
  /** Undefined: it was not made. */
  readonly latencyMs?: number;
};

/** Returns the function that counts a call to an embedder. */
export function countEmbedderCalls(metrics: Registered): (call: EmbedderCall) => void {
  const [calls, tokens] = [counter(metrics, modelMetrics.embedderCalls), counter(metrics, modelMetrics.embedderTokens)];
  const seconds = histogram(metrics, modelMetrics.embedderSeconds);
  return ({ result, tokens: used = 0, latencyMs }) => {
    calls.inc({ result });
    tokens.inc(used);
    if (latencyMs !== undefined) seconds.observe(latencyMs / 1000);
  };
}
