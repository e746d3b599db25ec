import type { Command } from 'commander';
import { onOrOff, wholeNumber } from '../check.ts';

/** What the options of `service create` and `service update` give. */
export type ServiceOptions = {
  name?: string;
  minutes?: unknown;
  bufferBefore?: unknown;
  bufferAfter?: unknown;
  sellers?: string[];
  price?: string;
  active?: unknown;
};

/** Ids separated by commas, or `none`. */
const sellerIds = (typed: string): string[] => (typed === 'none' ? [] : typed.split(',').map((id) => id.trim()));

export const addServiceOptions = (command: Command): Command =>
  command
    .option('--buffer-before <minutes>', 'minutes before it that its place is taken, or `rules`', wholeNumber)
    .option('--buffer-after <minutes>', 'minutes after it that its place is taken, or `rules`', wholeNumber)
    .option('--sellers <ids>', 'who gives it, separated by commas, or `none`; `seller list` shows the ids', sellerIds)
    .option('--price <text>', 'what it costs, as customers read it, or `none`')
    .option('--active <on|off>', 'whether it can be booked', onOrOff);

/** The members of a request. Those whose options are not given are undefined. */
export const serviceMembers = (options: ServiceOptions) => ({
  name: options.name,
  duration_minutes: options.minutes,
  buffer_before_minutes: options.bufferBefore === 'rules' ? null : options.bufferBefore,
  buffer_after_minutes: options.bufferAfter === 'rules' ? null : options.bufferAfter,
  seller_ids: options.sellers,
  price_text: options.price === 'none' ? null : options.price,
  is_active: options.active,
});

/** The options by which faults are named. */
export const serviceOptionNames = {
  duration_minutes: '--minutes',
  buffer_before_minutes: '--buffer-before',
  buffer_after_minutes: '--buffer-after',
  seller_ids: '--sellers',
  price_text: '--price',
  is_active: '--active',
};
