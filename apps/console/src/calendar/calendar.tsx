import { useQuery } from '@tanstack/react-query';
import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight, Plus } from 'lucide-react';
import { useState, useSyncExternalStore } from 'react';
import type { Store } from '../api/platform.ts';
import { sessionQuery, storeQuery } from '../api/queries.ts';
import { shownData } from '../api/shown-data.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { dayIn, nameOfZone } from '../ui/clock.ts';
import { Drawer } from '../ui/drawer.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Page } from '../ui/page.tsx';
import { Segmented } from '../ui/segmented.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { firstWeekday, rangeText } from '../ui/time.ts';
import { Toolbar } from '../ui/toolbar.tsx';
import { momentOf, nextHour } from '../ui/zone.ts';
import { Agenda } from './agenda.tsx';
import { AppointmentForm } from './appointment-form.tsx';
import { AppointmentPopover } from './appointment-popover.tsx';
import { type Appointment, appointmentsQuery, busyTimesQuery } from './appointment-queries.ts';
import { bookable } from './booking.ts';
import { useBooking } from './booking-queries.ts';
import styles from './calendar.module.css';
import { daysOf, readCalendarSearch, step, type View } from './calendar-search.ts';
import { columnsOf } from './columns.ts';
import { Grid, type Slot } from './grid.tsx';
import { useLeadNames } from './lead-names.ts';
import { Legend, namedOf } from './people.tsx';
import { partIn, spanOf } from './spans.ts';

export const route = createLazyRoute('/shell/calendar')({ component: Calendar });

function Calendar() {
  const {
    data: store,
    error,
    refetch,
  } = useQuery({
    ...storeQuery,
    staleTime: 15_000,
    // The state of a connection has no events.
    refetchInterval: ({ state: { data } }) => (data?.calendar.status === 'connected' ? 60_000 : 15_000),
  });
  if (store) return <Loaded store={store} />;
  return (
    <Page title={m.calendar_title()} about={m.calendar_about_short()}>
      {error && <LoadFailed error={error} retry={refetch} />}
    </Page>
  );
}

/** Where there is little room, a list is the only view that can be read. */
const narrow = matchMedia('(max-width: 45rem)');
const useNarrow = () =>
  useSyncExternalStore(
    (changed) => {
      narrow.addEventListener('change', changed);
      return () => narrow.removeEventListener('change', changed);
    },
    () => narrow.matches,
  );

function Loaded({ store }: { store: Store }) {
  const search = route.useSearch();
  const navigate = useNavigate();
  const isNarrow = useNarrow();
  const [slot, setSlot] = useState<Slot>();
  const { timezone: timeZone } = store;
  const today = dayIn(Date.now(), timeZone);
  const view: View = search.view ?? (isNarrow ? 'agenda' : 'week');
  const date = search.date ?? today;
  const days = daysOf(view, date, firstWeekday());
  const range = { from: momentOf(days.from, timeZone) ?? '', to: momentOf(days.to, timeZone) ?? '' };
  const query = useQuery({ ...appointmentsQuery(range), placeholderData: (known) => known });
  const { error, refetch } = query;
  const known = shownData(query);
  // Those of the last view stay until these are there, and a column of a person has no day of its own.
  const isDay = view === 'day';
  const shown = { start: Date.parse(range.from), end: Date.parse(range.to) };
  const appointments = isDay ? known?.filter((appointment) => partIn(spanOf(appointment), shown)) : known;
  const booking = useBooking();
  // Elsewhere the calendar takes no time.
  const takesTime = booking?.rules.overlap === 'reject';
  const { data: busy = [] } = useQuery({ ...busyTimesQuery(range), enabled: takesTime });
  const names = useLeadNames(appointments ?? []);
  const nameOf = (appointment: Appointment) => namedOf(appointment, booking, names);
  const hasPeople = booking ? bookable(booking).length > 0 : false;
  const columns = isDay && booking && appointments ? columnsOf(booking, appointments) : [];
  const go = (part: { view?: View; date?: string; appointment?: string | undefined }) =>
    void navigate({
      to: '/calendar',
      search: readCalendarSearch({ ...search, ...part }),
      replace: true,
      resetScroll: false,
    });
  const create = () => setSlot({ start: nextHour(timeZone, date === today ? undefined : date), minutes: 60 });
  const open = (appointment: string) => go({ appointment });
  return (
    <Page
      title={m.calendar_title()}
      about={m.calendar_about({ zone: nameOfZone(timeZone) })}
      actions={
        <Button kind="main" onClick={create}>
          <Plus size={14} aria-hidden />
          {m.calendar_new()}
        </Button>
      }
    >
      <Connection store={store} />
      <Toolbar
        end={
          <Segmented
            label={m.calendar_view()}
            value={view}
            choices={[
              ['month', m.calendar_month()],
              ['week', m.calendar_week()],
              ['day', m.calendar_day()],
              ['agenda', m.calendar_agenda()],
            ]}
            onChoose={(next) => go({ view: next })}
          />
        }
      >
        <Button onClick={() => go({ date: today })}>{m.calendar_today()}</Button>
        <div className={styles.steps}>
          <Button kind="bare" aria-label={m.calendar_before()} onClick={() => go({ date: step(view, date, -1) })}>
            <ChevronLeft size={16} aria-hidden />
          </Button>
          <Button kind="bare" aria-label={m.calendar_after()} onClick={() => go({ date: step(view, date, 1) })}>
            <ChevronRight size={16} aria-hidden />
          </Button>
        </div>
        <h2 className={styles.range} aria-live="polite">
          {rangeText(view, date, days)}
        </h2>
      </Toolbar>
      {booking && hasPeople && view !== 'agenda' && columns.length === 0 && <Legend booking={booking} />}
      {error && !appointments ? (
        <LoadFailed error={error} retry={refetch} />
      ) : view === 'agenda' ? (
        <Agenda {...{ appointments, busy, days, timeZone, nameOf }} onOpen={open} />
      ) : booking === undefined ? (
        <Skeleton width="long" />
      ) : (
        <Grid
          {...{ view, date, shown, busy, timeZone, booking, columns, nameOf }}
          appointments={appointments ?? []}
          onOpen={open}
          onCreate={setSlot}
          onMore={(day) => go({ view: 'day', date: day })}
        />
      )}
      <AppointmentPopover
        {...{ timeZone, booking }}
        appointmentId={search.appointment}
        onClose={() => go({ appointment: undefined })}
      />
      <Drawer open={slot !== undefined} onClose={() => setSlot(undefined)} title={m.calendar_new()} keep>
        {slot && <AppointmentForm timeZone={timeZone} {...slot} onClose={() => setSlot(undefined)} />}
      </Drawer>
    </Page>
  );
}

/** Says above the calendar when appointments do not reach the store's own calendar. */
function Connection({ store: { calendar } }: { store: Store }) {
  const { data: session } = useQuery(sessionQuery);
  if (calendar.status === 'connected') return null;
  const text = {
    not_connected: m.calendar_connection_none,
    degraded: m.calendar_connection_degraded,
    needs_attention: m.calendar_connection_broken,
  }[calendar.status]();
  return (
    <p className={styles.connection} data-status={calendar.status}>
      {text}{' '}
      {session?.role === 'seller' ? (
        calendar.status !== 'degraded' && m.calendar_connection_ask()
      ) : (
        <Link to="/integrations/connections">{m.calendar_connections()}</Link>
      )}
    </p>
  );
}
