import { readConfig, tracingConfig } from '@mostrador/kit/process/config';
import { startTracing } from '@mostrador/kit/process/start-tracing';
import { inSpan, type Tracing } from '@mostrador/kit/process/tracing';
import { silentLog } from '@mostrador/testing/context';
import { startOtlpReceiver } from '@mostrador/testing/otlp-receiver';
import { Type } from '@sinclair/typebox';
import { expect, test } from 'vitest';
import { modelRequest } from '../../test/model-request.ts';
import type { Model } from './model.ts';
import type { ConnectionRow } from './model-connection.repository.ts';
import { ModelFailure } from './model-failure.ts';
import { tracedModels } from './traced-models.ts';

test('each call of a model is a span with counts and codes, and without what anyone wrote', async () => {
  const collector = await startOtlpReceiver();
  const config = readConfig(Type.Object(tracingConfig), {
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER: 'always_on' },
  });
  const tracing = (await startTracing('assistant', config, silentLog())) as Tracing;
  const planted = 'Maria, 5511961234567';
  const answers: Model['answer'][] = [
    async (_request, { onUsage }) => {
      onUsage?.({ inputTokens: 100, outputTokens: 20 });
      return { action: 'reply', text: planted, usedPassages: [] };
    },
    async () => {
      throw new ModelFailure('rate_limited', planted);
    },
  ];
  const openModel = tracedModels(
    () => ({ answer: answers.shift() as Model['answer'], tryOut: async () => {} }),
    tracing,
  );
  const connection = { provider: 'gemini', model: 'gemini-flash-latest' } as ConnectionRow;
  const ask = () => openModel('store', connection).answer(modelRequest({ text: planted }), { timeoutMs: 1_000 });
  const root = tracing.begin('internal', 'step advanceTurn', {});
  await inSpan(tracing, root, async () => {
    expect(await ask()).toMatchObject({ action: 'reply' });
    await expect(ask()).rejects.toThrow('rate_limited');
  });
  await tracing.stop(10_000);
  const call = {
    ...{ 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'gcp.gemini' },
    'gen_ai.request.model': 'gemini-flash-latest',
  };
  expect(collector.spans.slice(0, 2)).toMatchObject([
    {
      name: 'chat gemini-flash-latest',
      failed: false,
      attributes: { ...call, 'gen_ai.usage.input_tokens': 100, 'gen_ai.usage.output_tokens': 20 },
    },
    { name: 'chat gemini-flash-latest', failed: true, attributes: { ...call, 'error.type': 'model_rate_limited' } },
  ]);
  expect(JSON.stringify(collector.spans)).not.toContain('Maria');
  await collector.close();
});
