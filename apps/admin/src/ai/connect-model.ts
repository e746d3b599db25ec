import { connectModel, modelProviders } from '@mostrador/contracts';
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

/** The options of each provider. */
const optionsOf: Record<
  string,
  { readonly required: readonly (keyof Options)[]; readonly more: readonly (keyof Options)[] }
> = {
  demo: { required: [], more: [] },
  openai: { required: ['secretsStdin'], more: ['url', 'model'] },
  gemini: { required: ['secretsStdin'], more: ['url', 'model'] },
  openai_compatible: { required: ['url', 'model'], more: ['secretsStdin'] },
};
const written = { url: '--url', model: '--model', secretsStdin: '--secrets-stdin' } as Record<keyof Options, string>;

/** Throws UsageError when the options do not fit the provider, before the command reads secrets or calls the platform. */
function refuseMisfits(options: Options): void {
  const { provider = '' } = options;
  const own = optionsOf[provider];
  if (!own) return;
  const faults = [
    ...own.required
      .filter((option) => options[option] === undefined)
      .map((option) => `${written[option]} is required for --provider ${provider}`),
    ...(['url', 'model', 'secretsStdin'] as const)
      .filter((option) => options[option] !== undefined && ![...own.required, ...own.more].includes(option))
      .map((option) => `${written[option]} is not for --provider ${provider}`),
  ];
  const address = own.required.includes('url') || own.more.includes('url') ? options.url : undefined;
  if (address !== undefined && (!/^https?:\/\//i.test(address) || !URL.canParse(address))) {
    faults.push('--url must be a full address that begins with https:// or http://');
  }
  if (faults.length > 0) throw new UsageError(faults);
}
