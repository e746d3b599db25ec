import { showCalendar } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, callForStore, printResult, verb } from '../admin.ts';
import { reasonOf, record, shown } from '../terminal.ts';

const shownOrNull = (text: string | null): string | null => (text === null ? null : shown(text));

export const showCalendarCommand = (admin: Admin): Command =>
  verb(
    'show',
    "Show a store's calendar connection and how many appointments wait for it; credentials are never shown",
    ['calendar show --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60'],
  )
    .option('--store <id>', 'the store (required)')
    .action(async (options: { store?: string; json?: boolean }) => {
      const calendar = await callForStore(admin, showCalendar, {}, options.store);
      printResult(admin, options, calendar, () =>
        record({
          provider: calendar.provider,
          status: calendar.status,
          ...reasonOf(calendar),
          url: shownOrNull(calendar.url),
          'feed address': calendar.feed_url,
          username: shownOrNull(calendar.username),
          'calendar id': shownOrNull(calendar.calendar_id),
          'last error': shownOrNull(calendar.last_error),
          read: calendar.read_at ?? null,
          'reading error': shownOrNull(calendar.reading_error ?? null),
          connected: calendar.connected_at,
          'customer in events': calendar.show_customer ? 'on' : 'off',
          'appointments pending': calendar.appointments_pending,
          'of these failing': calendar.appointments_failing,
          'appointments needing attention': calendar.appointments_needing_attention,
        }),
      );
    });
