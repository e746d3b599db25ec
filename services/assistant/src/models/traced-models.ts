import type { ModelProvider } from '@mostrador/contracts';
import { inSpan, type Tracing } from '@mostrador/kit/process/tracing';
import type { OpenModel } from './model.ts';

/** As OpenTelemetry names them: https://opentelemetry.io/docs/specs/semconv/gen-ai */
const names: Partial<Record<ModelProvider, string>> = { gemini: 'gcp.gemini' };

/**
 * Models whose calls are spans, after OpenTelemetry's conventions for generative AI. They have names, counts and codes: no
 * prompt, and nothing of the answer.
 */
export const tracedModels =
  (openModel: OpenModel, tracing: Tracing | undefined): OpenModel =>
  (storeId, connection) => {
    const opened = openModel(storeId, connection);
    if (!tracing) return opened;
    const { provider, model } = connection;
    return {
      ...opened,
      answer(request, options) {
        const span = tracing.follow(provider === 'demo' ? 'internal' : 'client', `chat ${model ?? provider}`, {
          attributes: () => ({
            'gen_ai.operation.name': 'chat',
            'gen_ai.provider.name': names[provider] ?? provider,
            'gen_ai.request.model': model ?? provider,
          }),
        });
        const onUsage: typeof options.onUsage = (usage) => {
          const { inputTokens, outputTokens } = usage;
          span?.set({ 'gen_ai.usage.input_tokens': inputTokens, 'gen_ai.usage.output_tokens': outputTokens });
          options.onUsage?.(usage);
        };
        return inSpan(tracing, span, () => opened.answer(request, { ...options, onUsage }));
      },
    };
  };
