import { type RequestOf, updateSeller } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, callForStore, printResult, verb } from '../admin.ts';
import { checked, idFrom, onOrOff } from '../check.ts';
import { UsageError } from '../exit.ts';
import { readRequestFile, sendRequestFile } from '../request-file.ts';
import { sellerRecord } from './seller-text.ts';

type Options = {
  store?: string;
  seller?: string;
  bookable?: unknown;
  hours?: string;
  active?: unknown;
  json?: boolean;
};

const ids = '--store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --seller 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f63';

/** An example of an hours file, for the help page. */
const example = `An hours file, in the time zone of the store:
  [ { "weekday": 1, "from": "09:00", "to": "12:00" }, { "weekday": 1, "from": "13:00", "to": "18:00" } ]

weekday 1 is Monday. An empty list means never.`;

export const updateSellerCommand = (admin: Admin): Command =>
  verb('update', 'Say whether and when customers can book a seller; what is not given stays', [
    `seller update ${ids} --bookable on --hours hours.json`,
    `seller update ${ids} --hours store`,
  ])
    .option('--store <id>', 'the store (required)')
    .option('--seller <id>', 'the seller; `seller list` shows the ids (required)')
    .option('--bookable <on|off>', 'whether customers can book the seller, who then is a place of their own', onOrOff)
    .option('--hours <file>', 'when the seller can be booked, as JSON; `store`: whenever the store is open')
    .option('--active <on|off>', 'whether leads can be assigned to the seller', onOrOff)
    .addHelpText('after', `\n${example}`)
    .action(async (options: Options) => {
      const { bookable, hours, active } = options;
      const sellerId = idFrom(options.seller, { option: '--seller', of: 'a seller; `seller list` shows the ids' });
      if (bookable === undefined && hours === undefined && active === undefined)
        throw new UsageError(['give at least one of --bookable, --hours or --active']);
      const send = (request: RequestOf<typeof updateSeller>) =>
        callForStore(admin, updateSeller, request, options.store);
      // The file is no part of this: its faults are named by their place in it.
      const members = { bookable, is_active: active, hours: hours === undefined ? undefined : null };
      const request = checked(updateSeller, members, { is_active: '--active' }, { sellerId });
      const changed =
        hours === undefined || hours === 'store'
          ? await send(request)
          : await sendRequestFile(
              updateSeller,
              { ...request.body, hours: await readRequestFile(hours) },
              { file: hours, within: 'hours', whole: 'the list', params: { sellerId }, send },
            );
      printResult(admin, options, changed, sellerRecord);
    });
