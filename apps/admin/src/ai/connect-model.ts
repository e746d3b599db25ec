import { connectModel, misfitsOf, modelProviders } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, callForStore, printResult, verb } from '../admin.ts';
import { checked } from '../check.ts';
import { UsageError } from '../exit.ts';
import { readSecrets, withSecrets } from '../secrets.ts';

type Options = {
  store?: string;
  provider?: string;
  url?: string;
  model?: string;
  secretsStdin?: boolean;
  json?: boolean;
};

export const connectModelCommand = (admin: Admin): Command =>
  withSecrets(
    verb('connect', 'Connect a provider of models, which becomes the default of the store; demo needs no account', [
      'ai connect --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --provider demo',
      'ai connect --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --provider openai_compatible \\\n      --url http://127.0.0.1:11434/v1 --model qwen3:8b',
      'ai connect --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --provider gemini --secrets-stdin < secrets.json',
    ]),
    '{ "api_key" }',
  )
    .option('--store <id>', 'the store (required)')
    .option('--provider <name>', `${modelProviders.join(' or ')} (required)`)
    .option('--url <url>', 'the address of the API up to its version (required for openai_compatible)')
    .option('--model <name>', 'the name of the model at the provider (required for openai_compatible)')
    .action(async (options: Options) => {
      const { store, provider, url, model } = options;
      refuseMisfits(options);
      const secrets = options.secretsStdin ? await readSecrets(admin.terminal, '{"api_key":"…"}') : undefined;
      const request = checked(connectModel, { provider, url, model, secrets });
      const connected = await callForStore(admin, connectModel, request, store);
      printResult(
        admin,
        options,
        connected,
        (shown) =>
          `The store has the model ${shown.model === null ? shown.provider : `${shown.provider}/${shown.model}`}. It answers while \`store update --ai\` is on.`,
      );
    });

const written = { url: '--url', model: '--model', secrets: '--secrets-stdin' };

/** Throws UsageError when the options do not fit the provider, before the command reads secrets or calls the platform. */
function refuseMisfits({ provider, url, model, secretsStdin: secrets }: Options): void {
  const known = modelProviders.find((name) => name === provider);
  if (!known) return;
  const { missing, unused } = misfitsOf(known, { url, model, secrets });
  const faults = [
    ...missing.map((name) => `${written[name]} is required for --provider ${known}`),
    ...unused.map((name) => `${written[name]} is not for --provider ${known}`),
  ];
  if (url !== undefined && !unused.includes('url') && (!/^https?:\/\//i.test(url) || !URL.canParse(url))) {
    faults.push('--url must be a full address that begins with https:// or http://');
  }
  if (faults.length > 0) throw new UsageError(faults);
}
