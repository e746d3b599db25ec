import { putBookingRules } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, callForStore, printResult, verb } from '../admin.ts';
import { readRequestFile, sendRequestFile } from '../request-file.ts';
import { rulesRecord } from './rules-text.ts';

/** An example of a rules file, for the help page. */
const example = `A rules file:
  { "overlap": "reject", "capacity": 2, "slot_step_minutes": 30, "buffer_after_minutes": 10,
    "hours": [ { "weekday": 1, "from": "09:00", "to": "18:00" } ],
    "exceptions": [ { "date": "2027-12-25", "hours": [] } ],
    "reminders": [ { "minutes_before": 1440, "message": "{{name}}: {{service}}, {{time}}. Reply 1 to confirm, 2 to cancel.",
                     "ask_confirmation": true } ] }

A reminder’s {{calendar_link}} puts the appointment into the customer’s calendar.

overlap is required. It replaces all rules: members left out get their defaults. Without hours the store is always open.`;

export const setRulesCommand = (admin: Admin): Command =>
  verb('set', "Replace a store's booking rules with those of a JSON file", [
    'booking set --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 rules.json',
  ])
    .argument('<file>', 'the rules as JSON')
    .option('--store <id>', 'the store (required)')
    .addHelpText('after', `\n${example}`)
    .action(async (file: string, options: { store?: string; json?: boolean }) => {
      const saved = await sendRequestFile(putBookingRules, await readRequestFile(file), {
        ...{ file, within: '', whole: 'the rules' },
        send: (request) => callForStore(admin, putBookingRules, request, options.store),
      });
      printResult(admin, options, saved, rulesRecord);
    });
