import {
  effectNames,
  tiers,
  updateAssistantSettings,
  updateCalendarSettings,
  updateMessagingSettings,
  updateSendingWindows,
  updateStore,
} from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, callForStore, printResult, verb } from '../admin.ts';
import { checked, decimalNumber, onOrOff, wholeNumber } from '../check.ts';
import { UsageError } from '../exit.ts';
import { readRequestFile, sendRequestFile } from '../request-file.ts';
import { record } from '../terminal.ts';
import { storeRecord } from './store-text.ts';

type Options = {
  store?: string;
  name?: string;
  tier?: string;
  timezone?: string;
  locale?: string;
  country?: string;
  rateLimit?: unknown;
  messageWait?: unknown;
  optOutStopsApi?: unknown;
  aiPauseMinutes?: unknown;
  apiPausesAi?: unknown;
  monthlyBudget?: unknown;
  ai?: unknown;
  aiQuietSeconds?: unknown;
  aiMaxWaitSeconds?: unknown;
  aiDailyCalls?: unknown;
  aiDailyBudget?: unknown;
  aiDailyTokens?: unknown;
  aiConfirm?: string;
  sendingWindows?: string;
  calendarCustomer?: boolean;
  json?: boolean;
};

export const updateStoreCommand = (admin: Admin): Command =>
  verb('update', 'Change a store; settings that are not given stay unchanged', [
    'store update --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --tier starter',
    'store update --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --rate-limit 1200',
    'store update --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --rate-limit tier',
    'store update --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --message-wait 2.5',
    'store update --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --opt-out-stops-api on',
    'store update --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --monthly-budget 500',
    'store update --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --ai-daily-budget 5',
    'store update --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --sending-windows windows.json',
    'store update --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --calendar-customer on',
  ])
    .option('--store <id>', 'the store (required)')
    .option('--name <name>', 'a new name')
    .option('--tier <tier>', tiers.join(', '))
    .option('--timezone <zone>', 'IANA time zone, such as America/Sao_Paulo')
    .option('--locale <tag>', 'language tag, such as pt-BR')
    .option('--country <code>', 'ISO 3166 code, such as BR; it completes phones')
    .option(
      '--rate-limit <n>',
      'requests per minute for each API key; `tier` restores the limit of the tier',
      wholeNumber,
    )
    .option(
      '--message-wait <seconds>',
      'how long a request that sends a message waits for the channel, 0 to 8',
      decimalNumber,
    )
    .option(
      '--opt-out-stops-api <on|off>',
      'whether an opt-out also stops messages sent with POST /leads/{id}/messages (on in new stores)',
      onOrOff,
    )
    .option(
      '--ai-pause-minutes <n>',
      'how long the AI is paused after a seller has written (720 in new stores)',
      wholeNumber,
    )
    .option(
      '--api-pauses-ai <on|off>',
      'whether a message sent with POST /leads/{id}/messages pauses the AI, too (off in new stores)',
      onOrOff,
    )
    .option(
      '--monthly-budget <amount>',
      'what messages may cost in a month, in the currency of the rate file; `none` removes the limit',
      decimalNumber,
    )
    .option('--ai <on|off>', 'whether the AI answers leads (off in new stores); `ai connect` gives it a model', onOrOff)
    .option('--ai-quiet-seconds <n>', 'the AI answers when the lead has been quiet for this long (6)', decimalNumber)
    .option('--ai-max-wait-seconds <n>', 'and at the latest this long after the first message (30)', decimalNumber)
    .option('--ai-daily-calls <n>', 'how many calls to the model a day may have, in UTC (500)', wholeNumber)
    .option(
      '--ai-daily-budget <amount>',
      'what these calls may cost a day, in the currency of the price file; `none` removes the limit',
      decimalNumber,
    )
    .option(
      '--ai-daily-tokens <n>',
      'how many tokens these calls may read and write a day; `none` removes the limit (none)',
      wholeNumber,
    )
    .option(
      '--ai-confirm <effects>',
      `what a person confirms before the AI does it: ${effectNames.join(', ')}, with commas; \`none\` for nothing (none)`,
    )
    .option(
      '--sending-windows <file>',
      'when follow-ups may go out, as JSON: [{ "weekdays": ["monday"], "from": "09:00", "to": "18:00" }]; [] means always',
    )
    .option(
      '--calendar-customer <on|off>',
      'whether calendar events show the name and phone of the lead, from their next sync on (default: off)',
      onOrOff,
    )
    .action(async (options: Options) => {
      const { store, name, tier, timezone, locale, country, rateLimit } = options;
      const { messageWait, optOutStopsApi, aiPauseMinutes, apiPausesAi, sendingWindows, calendarCustomer } = options;
      const changes = { name, tier, timezone, locale, country, rate_limit: rateLimit === 'tier' ? null : rateLimit };
      const changesStore = Object.values(changes).some((value) => value !== undefined);
      const settingsToChange = {
        message_wait_seconds: messageWait,
        opt_out_stops_api: optOutStopsApi,
        ai_pause_minutes: aiPauseMinutes,
        api_pauses_ai: apiPausesAi,
        monthly_budget: options.monthlyBudget === 'none' ? null : options.monthlyBudget,
      };
      const changesMessaging = Object.values(settingsToChange).some((value) => value !== undefined);
      const assistantToChange = {
        ai: options.ai,
        ai_quiet_seconds: options.aiQuietSeconds,
        ai_max_wait_seconds: options.aiMaxWaitSeconds,
        ai_daily_calls: options.aiDailyCalls,
        ai_daily_budget: options.aiDailyBudget === 'none' ? null : options.aiDailyBudget,
        ai_daily_tokens: options.aiDailyTokens === 'none' ? null : options.aiDailyTokens,
        ai_confirm: options.aiConfirm === 'none' ? [] : options.aiConfirm?.split(','),
      };
      const changesAssistant = Object.values(assistantToChange).some((value) => value !== undefined);
      const changesScheduling = sendingWindows !== undefined || calendarCustomer !== undefined;
      if (!changesStore && !changesMessaging && !changesAssistant && !changesScheduling) {
        throw new UsageError([
          'give at least one of --name, --tier, --timezone, --locale, --country, --rate-limit, --message-wait, --opt-out-stops-api, --ai-pause-minutes, --api-pauses-ai, --monthly-budget, --ai, --ai-quiet-seconds, --ai-max-wait-seconds, --ai-daily-calls, --ai-daily-budget, --ai-daily-tokens, --ai-confirm, --sending-windows or --calendar-customer',
        ]);
      }
      // The command checks all changes before it sends any, because they go to several services.
      const ofStore = changesStore && checked(updateStore, { store_id: store, ...changes }, { store_id: '--store' });
      const ofMessaging =
        changesMessaging &&
        checked(updateMessagingSettings, settingsToChange, {
          message_wait_seconds: '--message-wait',
          ai_pause_minutes: '--ai-pause-minutes',
          monthly_budget: '--monthly-budget',
        });
      const ofAssistant =
        changesAssistant &&
        checked(updateAssistantSettings, assistantToChange, {
          ai_quiet_seconds: '--ai-quiet-seconds',
          ai_max_wait_seconds: '--ai-max-wait-seconds',
          ai_daily_calls: '--ai-daily-calls',
          ai_daily_budget: '--ai-daily-budget',
          ai_daily_tokens: '--ai-daily-tokens',
          ai_confirm: '--ai-confirm',
        });
      const ofCalendar =
        calendarCustomer !== undefined && checked(updateCalendarSettings, { show_customer: calendarCustomer }, {});
      const windows = sendingWindows === undefined ? undefined : await sendSendingWindows(admin, sendingWindows, store);
      const updated = ofStore ? await admin.platform.call(updateStore, ofStore) : undefined;
      const settings = ofMessaging ? await callForStore(admin, updateMessagingSettings, ofMessaging, store) : undefined;
      const assistant = ofAssistant
        ? await callForStore(admin, updateAssistantSettings, ofAssistant, store)
        : undefined;
      const calendar = ofCalendar ? await callForStore(admin, updateCalendarSettings, ofCalendar, store) : undefined;
      const shown = calendar && { calendar_customer: calendar.show_customer };
      printResult(admin, options, { ...updated, ...settings, ...assistant, ...windows, ...shown }, () =>
        [
          ...(updated ? [storeRecord(updated)] : []),
          ...(settings
            ? [
                record({
                  'message wait': `${settings.message_wait_seconds} s`,
                  'opt-out stops api': settings.opt_out_stops_api ? 'on' : 'off',
                  'ai pause': `${settings.ai_pause_minutes} minutes`,
                  'api pauses ai': settings.api_pauses_ai ? 'on' : 'off',
                  'monthly budget': settings.monthly_budget ?? 'none',
                }),
              ]
            : []),
          ...(assistant
            ? [
                record({
                  ai: assistant.ai ? 'on' : 'off',
                  'ai quiet': `${assistant.ai_quiet_seconds} s`,
                  'ai max wait': `${assistant.ai_max_wait_seconds} s`,
                  'ai daily calls': assistant.ai_daily_calls,
                  'ai daily budget': assistant.ai_daily_budget ?? 'none',
                  'ai daily tokens': assistant.ai_daily_tokens ?? 'none',
                  'a person confirms': assistant.ai_confirm.join(', ') || 'nothing',
                }),
              ]
            : []),
          ...(shown ? [record({ 'customer in calendar': shown.calendar_customer ? 'on' : 'off' })] : []),
          ...(windows ? [record({ 'sending windows': windows.windows.length || 'always' })] : []),
        ].join('\n'),
      );
    });

/** Checks the file before it sends anything. */
async function sendSendingWindows(admin: Admin, file: string, store: string | undefined) {
  return await sendRequestFile(
    updateSendingWindows,
    { windows: await readRequestFile(file) },
    {
      file,
      within: 'windows',
      whole: 'the list',
      send: (request) => callForStore(admin, updateSendingWindows, request, store),
    },
  );
}
