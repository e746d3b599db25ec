import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { Failure, wordsOf } from '../api/failure.ts';
import { dataOf, type Lead, platform, type Versioned } from '../api/platform.ts';
import { queries } from '../api/queries.ts';
import { LeadPicker } from '../leads/lead-picker.tsx';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { nameOfZone } from '../ui/clock.ts';
import { TextArea, TextField } from '../ui/field.tsx';
import { filledWith, MomentField } from '../ui/moment-field.tsx';
import { Bad } from '../ui/page.tsx';
import { momentWords } from '../ui/time.ts';
import { say } from '../ui/toasts.tsx';
import { useLeave, useUnsaved } from '../ui/unsaved.tsx';
import { momentOf } from '../ui/zone.ts';
import styles from './appointment.module.css';
import { type Appointment, appointmentQuery, changeAppointment, refresh } from './appointment-queries.ts';
import type { Service } from './booking.ts';
import { BookingFields, peopleOf } from './booking-fields.tsx';
import { useBooking } from './booking-queries.ts';
import { FreeTimes, type Wish } from './free-times.tsx';

type AppointmentFormProps = {
  readonly timeZone: string;
  /** What is changed. Without it, a new one is made. */
  readonly version?: Versioned<Appointment>;
  /** When a new one begins, on the clock of the store, and for how long. */
  readonly start?: string;
  readonly minutes?: number;
  /** With whom, in a store with booking rules. */
  readonly sellerId?: string | null;
  /** Whose new appointment it is, when that is fixed. */
  readonly lead?: Lead;
  readonly onClose: () => void;
};

type Given = {
  title: string;
  scheduled_at: string;
  duration_minutes: number;
  notes: string | null;
  service_id?: string | null;
  seller_id?: string | null;
};
type Faults = { title?: string; start?: string; minutes?: string };

/** What an appointment is about, when and how long it is, and with whom. */
export function AppointmentForm(props: AppointmentFormProps) {
  const { timeZone, version, lead, onClose } = props;
  const [etag, setEtag] = useState(version?.etag);
  const [isStale, setStale] = useState(false);
  const [picked, setPicked] = useState<Lead | null>(lead ?? null);
  const [faults, setFaults] = useState<Faults>({});
  const title = useRef<HTMLInputElement>(null);
  const appointment = version?.data;
  const booking = useBooking();
  const [wish, setWish] = useState<Wish>({
    start: appointment ? filledWith(appointment.scheduled_at, timeZone) : { wall: props.start ?? '' },
    minutes: appointment?.duration_minutes ?? props.minutes ?? 60,
    serviceId: appointment?.service_id ?? null,
    sellerId: appointment?.seller_id ?? props.sellerId ?? null,
  });
  const change = (part: Partial<Wish>) => setWish((before) => ({ ...before, ...part }));
  const changeService = (service: Service | null) => {
    const before = booking?.services.find(({ id }) => id === wish.serviceId);
    const field = title.current;
    // What the person wrote stays.
    if (field && (field.value.trim() === '' || field.value === before?.name)) field.value = service?.name ?? '';
    const gives = booking && wish.sellerId && peopleOf(booking, service).some(({ id }) => id === wish.sellerId);
    change({
      serviceId: service?.id ?? null,
      ...(service && { minutes: service.duration_minutes }),
      ...(!gives && { sellerId: null }),
    });
  };

  const save = useMutation({
    mutationFn: ({ scheduled_at, ...given }: Given) =>
      appointment
        ? changeAppointment(
            appointment.id,
            { ...given, ...(scheduled_at !== appointment.scheduled_at && { scheduled_at }) },
            etag,
          )
        : dataOf(platform.POST('/appointments', { body: { ...given, scheduled_at, lead_id: picked?.id ?? null } })),
    onSuccess: async () => {
      await refresh(appointment?.id);
      say(appointment ? m.calendar_saved() : m.calendar_created());
      onClose();
    },
    onError: async (error) => {
      if (error instanceof Failure && error.code === 'appointment_conflict') void refresh();
      if (!(error instanceof Failure) || error.status !== 412 || !appointment) return;
      // The next try is about the version that is there now, with the text that stands in the form.
      const now = await queries.fetchQuery({ ...appointmentQuery(appointment.id), staleTime: 0 });
      setEtag(now.etag);
      setStale(true);
    },
  });

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (save.isPending) return;
    const form = new FormData(event.currentTarget);
    const text = (field: string) => String(form.get(field) ?? '').trim();
    const scheduled_at = momentOf(wish.start.wall, timeZone, wish.start.filled);
    const duration_minutes = Number(text('minutes'));
    const isDuration = Number.isInteger(duration_minutes) && duration_minutes >= 1 && duration_minutes <= 1440;
    const wrong: Faults = {
      ...(text('title') === '' && { title: m.calendar_title_missing() }),
      ...(!scheduled_at && { start: m.calendar_start_missing() }),
      ...(!isDuration && { minutes: m.calendar_minutes_wrong() }),
    };
    setFaults(wrong);
    if (wrong.title) title.current?.focus();
    if (!scheduled_at || Object.keys(wrong).length > 0) return;
    const { serviceId, sellerId } = wish;
    save.mutate({
      ...{ title: text('title'), scheduled_at, duration_minutes, notes: text('notes') || null },
      ...(serviceId !== (appointment?.service_id ?? null) && { service_id: serviceId }),
      ...(sellerId !== (appointment?.seller_id ?? null) && { seller_id: sellerId }),
    });
  };

  const leave = useLeave();
  const unsaved = useUnsaved({ busy: save.isPending });
  const isConflict = isStale && save.error instanceof Failure && save.error.status === 412;
  return (
    <form className={styles.form} onSubmit={submit} noValidate {...unsaved}>
      <TextField
        ref={title}
        name="title"
        label={m.calendar_what()}
        maxLength={200}
        defaultValue={appointment?.title}
        error={faults.title}
        autoFocus
      />
      {booking && (
        <BookingFields
          {...{ booking, ...wish }}
          onService={changeService}
          onSeller={(sellerId) => change({ sellerId })}
        />
      )}
      <div className={styles.when}>
        <MomentField
          name="start"
          label={m.calendar_start()}
          hint={nameOfZone(timeZone)}
          timeZone={timeZone}
          value={wish.start}
          onChange={(start) => change({ start })}
          error={faults.start}
        />
        <TextField
          name="minutes"
          type="number"
          min={1}
          max={1440}
          step={5}
          label={m.calendar_minutes()}
          value={Number.isNaN(wish.minutes) ? '' : wish.minutes}
          onChange={({ target }) => change({ minutes: target.valueAsNumber })}
          error={faults.minutes}
        />
      </div>
      {booking && (
        <FreeTimes
          {...{ booking, timeZone, wish }}
          own={appointment}
          onChoose={(start) => change({ start: filledWith(start, timeZone) })}
        />
      )}
      {!appointment && !lead && <LeadPicker label={m.calendar_lead()} value={picked} onChoose={setPicked} />}
      <TextArea name="notes" label={m.calendar_notes()} maxLength={5000} defaultValue={appointment?.notes ?? ''} />
      {save.error && <Bad>{isConflict ? m.calendar_conflict() : wordsOf(save.error)}</Bad>}
      <Alternatives
        error={save.error}
        timeZone={timeZone}
        onChoose={(at) => {
          save.reset();
          change({ start: filledWith(at, timeZone) });
        }}
      />
      <div className={styles.buttons}>
        <Button onClick={() => leave(onClose)}>{m.cancel()}</Button>
        <Button type="submit" kind="main" busy={save.isPending}>
          {isConflict ? m.calendar_save_mine() : appointment ? m.calendar_save() : m.calendar_create()}
        </Button>
      </div>
    </form>
  );
}

type AlternativesProps = {
  readonly error: Error | null;
  readonly timeZone: string;
  readonly onChoose: (start: string) => void;
};

/** The times that the store offers in the place of one that is taken. */
function Alternatives({ error, timeZone, onChoose }: AlternativesProps) {
  if (!(error instanceof Failure) || error.alternatives.length === 0) return null;
  return (
    <fieldset className={styles.free} aria-label={m.calendar_alternatives()}>
      <p className={styles.freeTitle}>{m.calendar_alternatives()}</p>
      <div className={styles.times}>
        {error.alternatives.map((start) => (
          <button key={start} type="button" className={styles.time} onClick={() => onChoose(start)}>
            {momentWords(start, timeZone)}
          </button>
        ))}
      </div>
    </fieldset>
  );
}
