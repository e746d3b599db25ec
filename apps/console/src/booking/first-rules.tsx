import { useMutation } from '@tanstack/react-query';
import { CalendarClock } from 'lucide-react';
import { dataOf, platform } from '../api/platform.ts';
import { queries } from '../api/queries.ts';
import { rulesQuery } from '../calendar/booking-queries.ts';
import { m } from '../paraglide/messages.js';
import { firstWindow } from '../settings/settings-draft.ts';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { say, sayFailure } from '../ui/toasts.tsx';
import { bookingChanged } from './changed.ts';
import { hoursOf } from './rules-draft.ts';

/** For a store without rules: what they would do, and a beginning. */
export function FirstRules({ mayChange }: { mayChange: boolean }) {
  const begin = useMutation({
    mutationFn: async () => {
      // Another person may have set some meanwhile.
      const known = await queries.fetchQuery({ ...rulesQuery, staleTime: 0 });
      if (known) return;
      await dataOf(platform.PUT('/booking/rules', { body: { overlap: 'reject', hours: hoursOf([firstWindow]) } }));
      say(m.booking_begun());
    },
    onSuccess: bookingChanged,
    onError: sayFailure,
  });
  return (
    <Empty icon={CalendarClock} title={m.booking_none_title()} text={m.booking_none_text()}>
      {mayChange && (
        <Button kind="main" busy={begin.isPending} onClick={() => begin.mutate()}>
          {m.booking_begin()}
        </Button>
      )}
    </Empty>
  );
}
