import { channelProviders, connectChannel } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, callForStore, printResult, verb } from '../admin.ts';
import { checked, decimalNumber, wholeNumber } from '../check.ts';
import { UsageError } from '../exit.ts';
import { readSecrets, withSecrets } from '../secrets.ts';
import { record } from '../terminal.ts';

type Options = {
  store?: string;
  provider?: string;
  phoneNumberId?: string;
  businessAccountId?: string;
  phone?: string;
  apiUrl?: string;
  numberRate?: unknown;
  pairInterval?: unknown;
  pairBurst?: unknown;
  replyWindow?: unknown;
  rotate?: true;
  secretsStdin?: boolean;
  json?: boolean;
};

export const connectChannelCommand = (admin: Admin): Command =>
  withSecrets(
    verb(
      'connect',
      "Connect a store's messaging channel in place of the previous one; this does not call the provider",
      [
        'channel connect --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --provider sandbox',
        'channel connect --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --provider whatsapp_cloud \\\n      --phone-number-id 106540352242922 --phone 15550783881 --secrets-stdin < secrets.json',
      ],
    ),
    '{ "access_token", "app_secret", "verify_token" }',
  )
    .option('--store <id>', 'the store (required)')
    .option('--provider <name>', `${channelProviders.join(' or ')} (required)`)
    .option('--phone-number-id <id>', "whatsapp_cloud: Meta's id of the number")
    .option('--business-account-id <id>', "whatsapp_cloud: Meta's id of the account, whose templates are then known")
    .option('--phone <digits>', 'the phone number, E.164 without the plus sign')
    .option('--api-url <url>', 'whatsapp_cloud: the API with its version (default: https://graph.facebook.com/v23.0)')
    .option('--number-rate <n>', 'messages per second, over all customers (default: 80)', wholeNumber)
    .option(
      '--pair-interval <seconds>',
      'time between two messages to one customer after the burst (default: 6)',
      decimalNumber,
    )
    .option('--pair-burst <n>', 'messages to one customer at once (default: 45)', wholeNumber)
    .option('--reply-window <minutes>', 'sandbox: hold a reply window, as WhatsApp does with 1440', wholeNumber)
    .option('--rotate', 'sandbox: give the telephone a new address; the previous one stops working')
    .action(async (options: Options) => {
      const { store, provider, phoneNumberId, phone, apiUrl, numberRate, pairInterval, pairBurst } = options;
      refuseMisfits(options);
      const example = '{"access_token":"…","app_secret":"…","verify_token":"…"}';
      const secrets = options.secretsStdin ? await readSecrets(admin.terminal, example) : undefined;
      const request = checked(
        connectChannel,
        {
          provider,
          phone_number_id: phoneNumberId,
          business_account_id: options.businessAccountId,
          phone,
          api_url: apiUrl,
          number_rate: numberRate,
          pair_interval_seconds: pairInterval,
          pair_burst: pairBurst,
          reply_window_minutes: options.replyWindow,
          rotate: options.rotate,
          secrets,
        },
        { pair_interval_seconds: '--pair-interval', reply_window_minutes: '--reply-window' },
      );
      const connected = await callForStore(admin, connectChannel, request, store);
      printResult(admin, options, connected, ({ channel_id, webhook_url, sandbox_url }) =>
        sandbox_url
          ? `${sandbox_url}\n\nAnyone who has this address can write to the store as a customer.\nConnect with --rotate to replace it.`
          : `${record({ channel: channel_id, webhook: webhook_url })}\n\nGive this webhook address and the verify token to Meta, for the field "messages".`,
      );
    });

/** The options that each provider needs, and those that it does not use. */
const optionsOf: Partial<Record<string, { readonly needs: readonly string[]; readonly ignores: readonly string[] }>> = {
  sandbox: { needs: [], ignores: ['--phone-number-id', '--business-account-id', '--secrets-stdin', '--api-url'] },
  whatsapp_cloud: {
    needs: ['--phone-number-id', '--secrets-stdin', '--phone'],
    ignores: ['--rotate', '--reply-window'],
  },
};

/** Throws UsageError when the options do not fit the provider, before the command calls the platform. */
function refuseMisfits(options: Options): void {
  const { provider = '', phoneNumberId, phone, apiUrl, replyWindow, rotate, secretsStdin } = options;
  const given: Record<string, unknown> = {
    '--phone-number-id': phoneNumberId,
    '--business-account-id': options.businessAccountId,
    '--secrets-stdin': secretsStdin,
    '--phone': phone,
    '--api-url': apiUrl,
    '--reply-window': replyWindow,
    '--rotate': rotate,
  };
  const { needs = [], ignores = [] } = optionsOf[provider] ?? {};
  const faults = [
    ...ignores
      .filter((name) => given[name] !== undefined)
      .map(
        (name) => `${name} is not for --provider ${provider}${needs.length === 0 ? ', which needs no account' : ''}`,
      ),
    ...needs
      .filter((name) => given[name] === undefined)
      .map((name) => `${name} is required for --provider ${provider}`),
  ];
  const takesUrl = apiUrl !== undefined && !ignores.includes('--api-url');
  if (takesUrl && !/^https?:\/\//i.test(apiUrl)) {
    faults.push('--api-url must be a full address that begins with https:// or http://');
  }
  if (faults.length > 0) throw new UsageError(faults);
}
