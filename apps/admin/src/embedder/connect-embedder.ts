import { connectEmbedder } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, callForStore, printResult, verb } from '../admin.ts';
import { checked } from '../check.ts';
import { UsageError } from '../exit.ts';
import { readSecrets, withSecrets } from '../secrets.ts';

type Options = { store?: string; url?: string; model?: string; secretsStdin?: boolean; json?: boolean };

export const connectEmbedderCommand = (admin: Admin): Command =>
  withSecrets(
    verb('connect', 'Connect a server that turns texts into vectors, so that searches find meanings beside words', [
      'embedder connect --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 \\\n      --url http://127.0.0.1:11434/v1 --model bge-m3',
      'embedder connect --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 \\\n      --url https://api.openai.com/v1 --model text-embedding-3-small --secrets-stdin < secrets.json',
    ]),
    '{ "api_key" }',
  )
    .option('--store <id>', 'the store (required)')
    .option('--url <url>', 'the address of the API up to its version (required)')
    .option('--model <name>', 'the name of the model there (required)')
    .action(async (options: Options) => {
      const { store, url, model } = options;
      const faults = [
        ...(url === undefined ? ['--url is required'] : []),
        ...(model === undefined ? ['--model is required'] : []),
        ...(url !== undefined && (!/^https?:\/\//i.test(url) || !URL.canParse(url))
          ? ['--url must be a full address that begins with https:// or http://']
          : []),
      ];
      if (faults.length > 0) throw new UsageError(faults);
      const secrets = options.secretsStdin ? await readSecrets(admin.terminal, '{"api_key":"…"}') : undefined;
      const request = checked(connectEmbedder, { url, model, secrets });
      const connected = await callForStore(admin, connectEmbedder, request, store);
      printResult(
        admin,
        options,
        connected,
        (shown) =>
          `The store has the embedder ${shown.model}. Its passages get vectors now: \`embedder show\` says how far it is.`,
      );
    });
