import { randomInt } from 'node:crypto';
import { startRadicale } from '@mostrador/testing/providers/caldav/servers';
import type { Locator, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { addresses, admin, daysAhead, eventually, type Json, request } from '../platform.ts';
import { fits, inBrowser, newPerson, open, tabTo, title, violations } from './browser.ts';
import { connectSandbox } from './conversations.ts';

async function newLead(key: string): Promise<Json> {
  const customer_phone = `55119${randomInt(10_000_000, 99_999_999)}`;
  return (await request('POST', '/leads', { key, body: { name: 'Bruna Lima', customer_phone } })).body;
}
const newAppointment = async (key: string, more: object = {}): Promise<Json> => {
  const body = { title: 'Haircut', scheduled_at: daysAhead(1).toISOString(), ...more };
  return (await request('POST', '/appointments', { key, body })).body;
};
/** Gives the store rules, a seller who can be booked, and a service of theirs. */
async function newBooking(key: string) {
  const whatsapp_id = `55119${randomInt(10_000_000, 99_999_999)}`;
  const person = { name: 'Camila Rocha', whatsapp_id, bookable: true };
  const { id: seller_id } = (await request('POST', '/sellers', { key, body: person })).body;
  const offer = { name: 'Cut and wash', duration_minutes: 45, seller_ids: [seller_id] };
  const { id: service_id } = (await request('POST', '/services', { key, body: offer })).body;
  const rules = { overlap: 'reject', capacity: 1 };
  expect((await request('PUT', '/booking/rules', { key, body: rules })).status).toBe(200);
  return { seller_id, service_id };
}
const remindersOf = async (key: string, appointmentId: string): Promise<Json[]> =>
  (await request('GET', `/followups/scheduled?appointment_id=${appointmentId}`, { key })).body.data;
const read = async (key: string, path: string): Promise<Json> => (await request('GET', path, { key })).body;
/** A coming day on the clock of the store, and a moment of it. */
async function dayAhead(key: string) {
  const { timezone } = await read(key, '/store');
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: timezone }).format(daysAhead(1));
  const offset = new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName: 'longOffset' })
    .formatToParts(daysAhead(1))
    .find(({ type }) => type === 'timeZoneName')
    ?.value.replace('GMT', '');
  return { day, at: (time: string) => `${day}T${time}:00${offset || 'Z'}` };
}

/** A moment as iCalendar has it. */
const compact = (at: string): string => `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;

type Way = { readonly x: number; readonly y: number };

/** Drags an event of the grid. What happens while it is held does not end the drag. */
async function drag(page: Page, event: Locator, way: Way, meanwhile?: () => Promise<void>): Promise<void> {
  const { x, y } = await boxOf(event);
  await page.mouse.move(x + 30, y + 4);
  await page.mouse.down();
  await page.mouse.move(x + 30, y + 16, { steps: 4 });
  await meanwhile?.();
  await page.mouse.move(x + 30 + way.x, y + 4 + way.y, { steps: 8 });
  await page.mouse.up();
}
async function boxOf(event: Locator) {
  const box = await event.boundingBox();
  if (!box) throw new Error('the appointment is not in sight');
  return box;
}

inBrowser(() => {
  test('an appointment is created, moved and cancelled by keyboard alone', async () => {
    const { page, loginUrl, store } = await newPerson();
    const lead = await newLead(store.key);
    await open(page, loginUrl, '/calendar?view=agenda');
    await page.getByText('No appointments in these days').waitFor();
    await tabTo(page, 'button', 'New appointment');
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('textbox', { name: 'What for' }).waitFor();
    await page.keyboard.type('Haircut');
    await page.keyboard.press('Escape');
    const question = page.getByRole('alertdialog', { name: 'Discard what is not saved?' });
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    expect(await drawer.getByRole('textbox', { name: 'What for' }).inputValue()).toBe('Haircut');
    await tabTo(page, 'combobox', 'Customer');
    await page.keyboard.type('bruna');
    await page.getByRole('option', { name: /Bruna Lima/ }).waitFor();
    await page.keyboard.press('Enter');
    await tabTo(page, 'button', 'Create appointment');
    await page.keyboard.press('Enter');
    await page.getByText('Appointment created').waitFor();
    const [made] = (await read(store.key, '/appointments')).data;
    expect(made).toMatchObject({ title: 'Haircut', lead_id: lead.id, duration_minutes: 60, status: 'scheduled' });

    await tabTo(page, 'button', /^Bruna Lima Haircut$/);
    await page.keyboard.press('Enter');
    await drawer.getByText('No calendar connected').waitFor();
    await drawer.getByText('The store has not connected a calendar.').waitFor();
    await tabTo(page, 'button', 'Edit');
    await page.keyboard.press('Enter');
    await drawer.getByLabel('Minutes').fill('90');
    await page.keyboard.press('Enter');
    await page.getByText('Appointment saved').waitFor();
    expect(await read(store.key, `/appointments/${made.id}`)).toMatchObject({ duration_minutes: 90 });

    await tabTo(page, 'button', 'Cancel appointment');
    await page.keyboard.press('Enter');
    await page.getByText('Appointment cancelled').waitFor();
    await eventually(
      () => read(store.key, `/appointments/${made.id}`),
      ({ status }) => status === 'cancelled',
    );
  });

  test('a cancellation that is taken back in time does not happen', async () => {
    const { page, loginUrl, store } = await newPerson();
    const { id } = await newAppointment(store.key);
    await open(page, loginUrl, `/calendar?view=agenda&appointment=${id}`);
    await page.getByRole('button', { name: 'Cancel appointment' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.goto('about:blank');
    expect(await read(store.key, `/appointments/${id}`)).toMatchObject({ status: 'scheduled' });
  });

  test('an appointment is dragged to another time, and back with one click', async () => {
    const { page, loginUrl, store } = await newPerson('owner', { viewport: { width: 1280, height: 1100 } });
    const { day, at } = await dayAhead(store.key);
    const made = await newAppointment(store.key, { scheduled_at: at('10:00') });
    await open(page, loginUrl, `/calendar?view=day&date=${day}`);
    const event = page.getByRole('button', { name: /Haircut/ });
    await event.waitFor();
    await drag(page, event, { x: 0, y: (await boxOf(event)).height });
    await page.getByText('“Haircut” was moved').waitFor();
    const moved = await read(store.key, `/appointments/${made.id}`);
    expect(Date.parse(moved.scheduled_at) - Date.parse(made.scheduled_at)).toBe(3_600_000);
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(
      () => read(store.key, `/appointments/${made.id}`),
      ({ scheduled_at }) => scheduled_at === made.scheduled_at,
    );
  });

  test('an appointment with seconds keeps its beginning when its title or its length changes', async () => {
    const { page, loginUrl, store } = await newPerson('owner', { viewport: { width: 1280, height: 1100 } });
    const { day, at } = await dayAhead(store.key);
    const scheduled_at = new Date(Date.parse(at('10:00')) + 42_500).toISOString();
    const { id } = await newAppointment(store.key, { scheduled_at });
    await open(page, loginUrl, `/calendar?view=day&date=${day}&appointment=${id}`);
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('button', { name: 'Edit' }).click();
    await drawer.getByRole('textbox', { name: 'What for' }).fill('Shave');
    await drawer.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Appointment saved').waitFor();
    expect(await read(store.key, `/appointments/${id}`)).toMatchObject({ title: 'Shave', scheduled_at });

    await page.goto(`${addresses.console_url}/calendar?view=day&date=${day}`);
    const event = page.getByRole('button', { name: /Shave/ });
    await event.waitFor();
    const { x, y, width, height } = await boxOf(event);
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.move(x + width / 2, y + height - 2, { steps: 4 });
    await page.mouse.down();
    await page.mouse.move(x + width / 2, y + height * 1.5, { steps: 8 });
    await page.mouse.up();
    await eventually(
      () => read(store.key, `/appointments/${id}`),
      (now) => now.duration_minutes === 90,
    );
    expect(await read(store.key, `/appointments/${id}`)).toMatchObject({ scheduled_at });
  });

  test('of a time that autumn repeats a person chooses the pass, and of no other time', async () => {
    const { page, loginUrl, store } = await newPerson();
    await admin(['store', 'update', '--store', store.id, '--timezone', 'Europe/Madrid']);
    const [first, second] = ['2027-10-31T00:30:00.000Z', '2027-10-31T01:30:00.000Z'];
    const { id } = await newAppointment(store.key, { scheduled_at: first });
    await open(page, loginUrl, `/calendar?view=agenda&date=2027-10-31&appointment=${id}`);
    const drawer = page.getByRole('dialog');
    const pass = drawer.getByRole('combobox', { name: 'Which pass' });
    const start = drawer.getByLabel('Begins');
    const shown = () => pass.locator('option:checked').textContent();
    await drawer.getByRole('button', { name: 'Edit' }).click();
    expect(await pass.locator('option').allTextContents()).toEqual(['2:30 AM GMT+2', '2:30 AM GMT+1']);
    expect(await shown()).toBe('2:30 AM GMT+2');
    await pass.selectOption('2:30 AM GMT+1');
    await drawer.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Appointment saved').waitFor();
    expect(await read(store.key, `/appointments/${id}`)).toMatchObject({ scheduled_at: second });
    await drawer.getByRole('button', { name: 'Edit' }).click();
    expect(await shown()).toBe('2:30 AM GMT+1');
    await start.fill('2027-10-31T04:00');
    await pass.waitFor({ state: 'detached' });
    await start.fill('2027-10-31T02:45');
    expect(await shown()).toBe('2:45 AM GMT+2');
  });

  test('a taken time is said before it is booked, refused with other times, and refused to a drag', async () => {
    const { page, loginUrl, store } = await newPerson('owner', { viewport: { width: 1280, height: 1100 } });
    const booking = await newBooking(store.key);
    const davi = { name: 'Davi Reis', whatsapp_id: `55119${randomInt(10_000_000, 99_999_999)}`, bookable: true };
    const { id: seller_id } = (await request('POST', '/sellers', { key: store.key, body: davi })).body;
    const { day, at } = await dayAhead(store.key);
    const made = await newAppointment(store.key, { scheduled_at: at('10:00'), duration_minutes: 60, ...booking });
    await open(page, loginUrl, `/calendar?view=day&date=${day}`);
    await page.getByRole('button', { name: 'New appointment' }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByLabel('Service').selectOption('Cut and wash');
    await drawer.getByLabel('With').selectOption('Camila Rocha');
    await drawer
      .getByRole('group', { name: /^Free times on/ })
      .getByRole('button', { name: '9:00 AM' })
      .click();
    expect(await drawer.getByLabel('Begins').inputValue()).toBe(`${day}T09:00`);
    await drawer.getByLabel('Begins').fill(`${day}T09:05`);
    await drawer.getByText('This is not one of the free times.').waitFor();
    await drawer.getByLabel('Begins').fill(`${day}T10:15`);
    await drawer.getByText('Camila Rocha already has “Haircut”').waitFor();
    expect(await violations(page), 'free times').toEqual([]);
    await drawer.getByRole('button', { name: 'Create appointment' }).click();
    await drawer.getByText('This time is already taken.').waitFor();
    await drawer.getByRole('group', { name: 'Free instead' }).getByRole('button').first().click();
    await drawer.getByRole('button', { name: 'Create appointment' }).click();
    await page.getByText('Appointment created').waitFor();
    const { data } = await read(store.key, `/appointments?seller_id=${booking.seller_id}`);
    const next = { title: 'Cut and wash', duration_minutes: 45, ...booking };
    expect(data[1]).toMatchObject({ ...next, scheduled_at: new Date(at('11:00')).toISOString() });

    // The notification comes while the drawer still fades, above what is to be dragged.
    await page.getByRole('dialog', { name: 'New appointment' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /Cut and wash$/ }).waitFor();
    const event = page.getByRole('button', { name: /Haircut/ });
    const walkIn = page.getByRole('button', { name: /Walk-in/ });
    const before = await boxOf(event);
    const more = { title: 'Walk-in', scheduled_at: at('13:00'), seller_id };
    await drag(page, event, { x: 0, y: before.height }, async () => {
      await newAppointment(store.key, more);
      await walkIn.waitFor();
    });
    await page.getByRole('region', { name: 'Notifications' }).getByText('This time is already taken.').waitFor();
    await expect.poll(() => event.boundingBox()).toEqual(before);
    expect(await read(store.key, `/appointments/${made.id}`)).toMatchObject({ scheduled_at: made.scheduled_at });

    // The column of another person gives it to that person, unless the time is taken there.
    const after = await boxOf(walkIn);
    const x = before.x - after.x;
    const answer = page.waitForResponse((response) => response.request().method() === 'PATCH');
    await drag(page, walkIn, { x, y: before.y - after.y });
    expect((await answer).status()).toBe(409);
    await expect.poll(() => walkIn.boundingBox()).toEqual(after);
    await drag(page, walkIn, { x, y: 0 });
    await page.getByText('“Walk-in” was moved').waitFor();
    const appointments = (await read(store.key, `/appointments?seller_id=${booking.seller_id}`)).data;
    expect(appointments.at(-1)).toMatchObject({
      title: 'Walk-in',
      scheduled_at: new Date(more.scheduled_at).toISOString(),
    });
  });

  test('a person books from the conversation, and the appointment shows its reminders and that the customer confirmed', async () => {
    const { page, loginUrl, store } = await newPerson();
    const sandbox = await connectSandbox(store);
    const reminders = [
      { minutes_before: 1440, message: '{{time}}' },
      { minutes_before: 5, message: '{{name}}?', ask_confirmation: true },
    ];
    const put = await request('PUT', '/booking/rules', { key: store.key, body: { overlap: 'allow', reminders } });
    expect(put.status).toBe(200);
    const lead = await sandbox.newCustomer('Bruna Lima', 'Hi');
    await open(page, loginUrl, `/inbox/${lead.id}`);
    await page.getByRole('button', { name: 'Book' }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('textbox', { name: 'What for' }).fill('Haircut');
    const { day } = await dayAhead(store.key);
    await drawer.getByLabel('Begins').fill(`${day}T23:00`);
    await drawer.getByRole('button', { name: 'Create appointment' }).click();
    await page.getByText('Appointment created').waitFor();
    const [made] = (await read(store.key, '/appointments')).data;
    expect(made).toMatchObject({ title: 'Haircut', lead_id: lead.id });

    await page.goto(`${addresses.console_url}/calendar?view=agenda&appointment=${made.id}`);
    const ofAppointment = drawer.getByRole('region', { name: 'Reminders' });
    await ofAppointment.getByText('Waits').first().waitFor();
    expect(await ofAppointment.getByRole('listitem').count()).toBe((await remindersOf(store.key, made.id)).length);
    expect(await violations(page), 'reminders').toEqual([]);

    // More time than a machine may stand still, or the reminder is left out.
    const soon = new Date(Date.now() + (5 * 60 + 10) * 1000).toISOString();
    const next = await newAppointment(store.key, { title: 'Colour', scheduled_at: soon, lead_id: lead.id });
    await eventually(
      () => remindersOf(store.key, next.id),
      ([reminder]) => reminder?.status === 'sent',
    );
    await sandbox.write(lead.name, lead.phone, '1');
    await page.goto(`${addresses.console_url}/calendar?view=agenda`);
    const row = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('button', { name: 'Bruna Lima Colour' }) })
      .first();
    await row.getByText('Confirmed').waitFor();
    await row.getByRole('button').click();
    await ofAppointment.getByText('Sent').waitFor();
  });

  test('a change by another person meanwhile is explained, and what the person wrote stays', async () => {
    const { page, loginUrl, store } = await newPerson();
    const { id } = await newAppointment(store.key);
    await open(page, loginUrl, `/calendar?view=agenda&appointment=${id}`);
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('button', { name: 'Edit' }).click();
    await drawer.getByRole('textbox', { name: 'What for' }).fill('Mine');
    await request('PATCH', `/appointments/${id}`, { key: store.key, body: { notes: 'Theirs' } });
    await drawer.getByRole('button', { name: 'Save' }).click();
    await drawer.getByText('Someone else changed this appointment').waitFor();
    expect(await drawer.getByRole('textbox', { name: 'What for' }).inputValue()).toBe('Mine');
    await drawer.getByRole('button', { name: 'Save mine' }).click();
    await page.getByText('Appointment saved').waitFor();
    expect(await read(store.key, `/appointments/${id}`)).toMatchObject({ title: 'Mine' });

    await drawer.getByRole('button', { name: 'Edit' }).click();
    await drawer.getByRole('textbox', { name: 'What for' }).fill('Given up');
    await drawer.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await drawer.getByRole('button', { name: 'Edit' }).click();
    expect(await drawer.getByRole('textbox', { name: 'What for' }).inputValue()).toBe('Mine');
  });

  test('an appointment that goes on over midnight stands on both days, also in columns of people', async () => {
    const { page, loginUrl, store } = await newPerson('owner', { viewport: { width: 1280, height: 1100 } });
    const { day, at } = await dayAhead(store.key);
    const next = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
    await newAppointment(store.key, { scheduled_at: at('23:30'), duration_minutes: 90 });
    const event = page.getByRole('button', { name: /Haircut/ });
    await open(page, loginUrl, `/calendar?view=agenda&date=${day}`);
    await expect.poll(() => event.count()).toBe(2);
    await page.goto(`${addresses.console_url}/calendar?view=agenda&date=${next}`);
    await expect.poll(() => event.count()).toBe(1);
    await page.goto(`${addresses.console_url}/calendar?view=day&date=${next}`);
    await event.waitFor();
    const { height } = await boxOf(event);
    // The library sees a column of a person as a day, and would go on with the night in the next column.
    await newBooking(store.key);
    await page.reload();
    await page.getByRole('columnheader', { name: 'Camila Rocha' }).waitFor();
    await event.waitFor();
    await expect.poll(async () => (await boxOf(event)).height).toBeCloseTo(height, 0);
  });

  test('every view and an appointment are accessible, with busy times that show no title', async () => {
    const { page, loginUrl, store } = await newPerson('owner', { viewport: { width: 1280, height: 1100 } });
    const booking = await newBooking(store.key);
    const { id: lead_id } = await newLead(store.key);
    const { day, at } = await dayAhead(store.key);
    await newAppointment(store.key, { scheduled_at: at('14:00') });
    const { id } = await newAppointment(store.key, { lead_id, scheduled_at: at('16:00'), ...booking });
    const radicale = await startRadicale();
    onTestFinished(() => radicale.dispose());
    const credentials = Buffer.from(`${radicale.username}:${radicale.password}`).toString('base64');
    const event = [
      ...['BEGIN:VEVENT', 'UID:dentist', 'DTSTAMP:20261101T000000Z', 'SUMMARY:Dentist'],
      ...[`DTSTART:${compact(at('10:00'))}`, `DTEND:${compact(at('12:30'))}`, 'END:VEVENT'],
    ];
    const document = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:test', ...event, 'END:VCALENDAR', ''];
    const headers = { authorization: `Basic ${credentials}`, 'content-type': 'text/calendar' };
    const body = document.join('\r\n');
    const put = await fetch(new URL('dentist.ics', radicale.collectionUrl), { method: 'PUT', headers, body });
    expect(put.status).toBe(201);
    const connect = ['calendar', 'connect', '--store', store.id, '--provider', 'caldav', '--secrets-stdin'];
    const to = ['--url', radicale.collectionUrl, '--username', String(radicale.username)];
    await admin([...connect, ...to], JSON.stringify({ password: radicale.password }));
    const query = new URLSearchParams({ from: at('00:00'), to: at('23:00') });
    const { data } = await eventually(
      () => read(store.key, `/calendar/busy-times?${query}`),
      ({ data: found }) => found.length > 0,
    );
    const [start, end] = ['10:00', '12:30'].map((time) => new Date(at(time)).toISOString());
    expect(data).toEqual([{ start, end }]);

    await open(page, loginUrl, `/calendar?view=agenda&date=${day}`);
    const rows = page.getByRole('listitem');
    await rows.filter({ hasText: 'Busy in the connected calendar' }).getByText('10:00 AM – 12:30 PM').waitFor();
    const booked = page.getByRole('button', { name: /Bruna Lima Haircut/ });
    await rows.filter({ has: booked }).getByText('Cut and wash · Camila Rocha').waitFor();
    expect(await violations(page), 'agenda').toEqual([]);
    await page.getByRole('radio', { name: 'Month' }).check();
    await booked.waitFor();
    const lines = page.locator(`[data-date="${day}"]`).getByRole('listitem');
    // The appointments are later, but stand before.
    await expect
      .poll(() => lines.allInnerTexts())
      .toEqual(['2:00 PM Haircut', expect.stringMatching(/^4:00 PM/), 'Busy · 10:00 AM – 12:30 PM']);
    expect(await violations(page), 'Month').toEqual([]);
    await page.getByText('Busy · 10:00 AM').click({ force: true });
    await page.getByRole('dialog', { name: 'New appointment' }).waitFor();
    await page.keyboard.press('Escape');
    for (const view of ['Week', 'Day']) {
      await page.getByRole('radio', { name: view }).check();
      await booked.waitFor();
      if (view === 'Day') await page.getByRole('columnheader', { name: 'Camila Rocha' }).waitFor();
      else await page.getByRole('list', { name: 'People' }).getByText('Camila Rocha').waitFor();
      // One for each column: the person, and the places of the store.
      await expect.poll(() => page.getByText('Busy in the connected calendar').count()).toBe(view === 'Day' ? 2 : 1);
      expect(await violations(page), view).toEqual([]);
    }
    await booked.press('Enter');
    const popover = page.getByRole('dialog', { name: 'Haircut' });
    await popover.getByText('In the connected calendar').first().waitFor();
    expect(await popover.getByRole('link', { name: 'Message' }).getAttribute('href')).toContain(`/inbox/${lead_id}`);
    expect(page.url()).toContain(id);
    expect(await violations(page), 'an appointment').toEqual([]);
    expect(await page.content()).not.toContain('Dentist');
  });

  test('without appointments the keyboard scrolls the hours, on every day and in columns of people', async () => {
    const { page, loginUrl, store } = await newPerson('owner', { viewport: { width: 1280, height: 900 } });
    await newBooking(store.key);
    const { day } = await dayAhead(store.key);
    await open(page, loginUrl, `/calendar?view=week&date=${day}`);
    const hours = page.locator('[role=cell][tabindex="0"]');
    const top = () =>
      page.evaluate<number>(`(() => {
        let at = document.activeElement;
        while (getComputedStyle(at).overflowY !== 'auto') at = at.parentElement;
        return at.scrollTop;
      })()`);
    for (const step of ['Week', 'Day', 'Later', 'Later']) {
      const button = page.getByRole(step === 'Later' ? 'button' : 'radio', { name: step, exact: true });
      await button.click();
      if (step !== 'Week') await page.getByRole('columnheader', { name: 'Camila Rocha' }).waitFor();
      await expect.poll(() => hours.count(), { message: step }).toBe(1);
      // The later days look the same to axe.
      if (step !== 'Later') expect(await violations(page), step).toEqual([]);
      for (let pressed = 0; pressed < 60 && !(await hours.and(page.locator(':focus')).count()); pressed += 1) {
        await page.keyboard.press('Tab');
      }
      await page.keyboard.press('End');
      await expect.poll(top, { message: step }).toBeGreaterThan(400);
      await page.keyboard.press('Home');
      await expect.poll(top, { message: step }).toBe(0);
    }
  });

  test('an appointment that appears by itself leaves the hours where the person has scrolled them', async () => {
    const { page, loginUrl, store } = await newPerson('owner', { viewport: { width: 1280, height: 900 } });
    const { seller_id } = await newBooking(store.key);
    const { day, at } = await dayAhead(store.key);
    await open(page, loginUrl, `/calendar?view=week&date=${day}`);
    for (const view of ['Week', 'Day']) {
      await page.getByRole('radio', { name: view }).check();
      if (view === 'Day') await page.getByRole('columnheader', { name: 'Camila Rocha' }).waitFor();
      const midnight = page.getByText('12:00 AM', { exact: true }).first();
      await midnight.scrollIntoViewIfNeeded();
      const before = await boxOf(midnight);
      const scheduled_at = at(view === 'Week' ? '01:00' : '03:00');
      await newAppointment(store.key, { title: `Early ${view}`, scheduled_at, seller_id });
      await page.getByRole('button', { name: `Early ${view}` }).waitFor();
      expect(await boxOf(midnight), view).toEqual(before);
    }
  });

  test('on a telephone a list of days stands in the place of the grid', async () => {
    const narrow = { width: 320, height: 800 };
    const { page, loginUrl, store } = await newPerson('owner', { viewport: narrow });
    const { title: hostile } = await newAppointment(store.key, {
      title: `<img src=x onerror=alert(1)>${'W'.repeat(150)}`,
    });
    await open(page, loginUrl, '/calendar');
    await title(page, 'Calendar').waitFor();
    const event = page.getByRole('button', { name: hostile });
    for (const width of [390, 320]) {
      await page.setViewportSize({ ...narrow, width });
      await event.waitFor();
      await expect.poll(() => fits(page)).toBe(true);
    }
    await event.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Edit' }).waitFor();
    for (const width of [320, 390]) {
      await page.setViewportSize({ ...narrow, width });
      await expect.poll(() => fits(page)).toBe(true);
    }
  });
});
