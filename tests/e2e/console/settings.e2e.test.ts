import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { admin, eventually, request } from '../platform.ts';
import {
  inBrowser,
  invitePerson,
  newPage,
  newPerson,
  open,
  type TestStore,
  tabTo,
  title,
  tooNarrow,
  violations,
} from './browser.ts';

const path = '/settings';

/** Asks as the page's own person. */
const ask = (page: Page, method: string, body?: object, at = path): Promise<Record<string, unknown>> => {
  const options = { method, headers: { 'content-type': 'application/json' }, body: body && JSON.stringify(body) };
  return page.evaluate(`fetch('/platform/v1${at}', ${JSON.stringify(options)}).then((answer) => answer.json())`);
};
const storeOf = async ({ key }: TestStore) => (await request('GET', '/store', { key })).body;

async function openSettings(page: Page, loginUrl: string): Promise<void> {
  await open(page, loginUrl, path);
  await page.getByRole('combobox', { name: 'Time zone' }).waitFor();
}
const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click();

inBrowser(() => {
  test('an owner finds a time zone and saves it by keyboard alone, and nothing else changes', async () => {
    const { page, loginUrl, store } = await newPerson();
    await openSettings(page, loginUrl);
    await title(page, 'Store settings').waitFor();
    const before = await ask(page, 'GET');
    await tabTo(page, 'combobox', 'Time zone');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('são paulo');
    await page.getByRole('option', { name: /^America\/Sao Paulo/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Not saved yet: Time zone').waitFor();
    await tabTo(page, 'button', 'Save');
    const sent = page.waitForRequest((one) => one.method() === 'PATCH');
    await page.keyboard.press('Enter');
    expect((await sent).postDataJSON()).toEqual({ timezone: 'America/Sao_Paulo' });
    await page.getByText('The settings are saved').first().waitFor();
    await page.getByText('Everything is saved.').waitFor();
    expect(await storeOf(store)).toMatchObject({ name: store.name, timezone: 'America/Sao_Paulo' });
    expect(await ask(page, 'GET')).toEqual({ ...before, timezone: 'America/Sao_Paulo', country: 'BR' });
  });

  test('the name in the navigation is the one that was saved, shown as text', async () => {
    const { page, loginUrl, store } = await newPerson();
    await openSettings(page, loginUrl);
    const hostile = '<img src=x onerror=alert(1)>\u202eabc\u200b';
    await page.getByLabel('Name', { exact: true }).fill(hostile);
    await save(page);
    await page.locator('header').getByText('<img src=x onerror=alert(1)>').waitFor();
    expect((await storeOf(store)).name).toBe(hostile);
  });

  test('sending times, waiting times and choices are saved together', async () => {
    const { page, loginUrl } = await newPerson();
    await openSettings(page, loginUrl);
    await page.getByText('They are sent at any hour.').waitFor();
    await page.getByRole('button', { name: 'Add a sending time' }).click();
    const window = page.getByRole('group', { name: 'Sending time 1' });
    await window.getByRole('checkbox', { name: 'Saturday' }).check();
    await window.getByRole('checkbox', { name: 'Monday' }).uncheck();
    await window.getByLabel('To').selectOption('24:00');
    await page.getByLabel('A session ends without messages after').selectOption('2');
    await page.getByRole('checkbox', { name: /^Events show the name/ }).check();
    await save(page);
    await page.getByText('Everything is saved.').waitFor();
    const weekdays = ['tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
    expect(await ask(page, 'GET')).toMatchObject({
      sending_windows: [{ weekdays, from: '09:00', to: '24:00' }],
      session_idle_hours: 2,
      calendar_customer: true,
    });
  });

  test('what cannot be saved is said in words where it is, and nothing is sent', async () => {
    const { page, loginUrl, store } = await newPerson();
    await openSettings(page, loginUrl);
    await page.getByLabel('Name', { exact: true }).fill(' ');
    await page.getByRole('button', { name: 'Add a sending time' }).click();
    const window = page.getByRole('group', { name: 'Sending time 1' });
    await window.getByLabel('From').selectOption('20:00');
    await save(page);
    await page.getByText('Give the store a name.').waitFor();
    await window.getByText('The end must be later than the start.').waitFor();
    for (const day of await window.getByRole('checkbox').all()) await day.uncheck();
    await save(page);
    await window.getByText('Choose at least one day.').waitFor();
    expect((await storeOf(store)).name).toBe(store.name);
    // What is not saved is lost only after a question: within the page, with it, and by signing out.
    const question = page.getByRole('alertdialog', { name: 'Discard what is not saved?' });
    const stay = async () => {
      await question.getByRole('button', { name: 'Keep editing' }).click();
      await question.waitFor({ state: 'detached' });
      await window.getByText('Choose at least one day.').waitFor();
    };
    await page.getByRole('link', { name: 'Customers' }).click();
    await question.waitFor();
    expect(await violations(page)).toEqual([]);
    await stay();
    await page.getByRole('button', { name: /^Ana Souza/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await stay();
    const asked = page.waitForEvent('dialog');
    const closed = page.close({ runBeforeUnload: true });
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await closed;
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('Everything is saved.').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe(store.name);
    await page.getByRole('link', { name: 'Customers' }).click();
    await title(page, 'Customers').waitFor();
  });

  test('what another owner changed meanwhile is said before it is replaced', async () => {
    const { page, loginUrl, store } = await newPerson();
    const other = await newPage();
    await openSettings(other, (await invitePerson(store, 'owner', 'Rui Alves')).loginUrl);
    await openSettings(page, loginUrl);
    await page.getByLabel('Name', { exact: true }).fill('Ótica Norte');
    await ask(other, 'PATCH', { name: 'Ótica Sul', session_idle_hours: 8 });
    await save(page);
    await page.getByText('Somebody else has changed this meanwhile: Name.').waitFor();
    expect((await storeOf(store)).name).toBe('Ótica Sul');
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Ótica Norte');
    await page.getByRole('button', { name: 'Save mine' }).click();
    await page.getByText('Everything is saved.').waitFor();
    expect(await ask(page, 'GET')).toMatchObject({ name: 'Ótica Norte', session_idle_hours: 8 });
  });

  test('a change that is refused is said in words and stays in the form', async () => {
    const { page, loginUrl, store } = await newPerson();
    const other = await newPage();
    await openSettings(other, (await invitePerson(store, 'owner', 'Rui Alves')).loginUrl);
    await openSettings(page, loginUrl);
    await page.getByLabel('Name', { exact: true }).fill('Ótica Norte');
    const { user } = (await ask(page, 'GET', undefined, '/session')) as { user: { id: string } };
    await ask(other, 'PATCH', { role: 'manager' }, `/users/${user.id}`);
    await save(page);
    await page.getByText('Your role in the store does not allow this').waitFor();
    await page.getByText('Not saved yet: Name').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Ótica Norte');
    expect((await storeOf(store)).name).toBe(store.name);
  });

  test('a change without a connection is saved once the connection is back', async () => {
    const { page, loginUrl, store } = await newPerson();
    await openSettings(page, loginUrl);
    await page.getByLabel('Name', { exact: true }).fill('Ótica Norte');
    await page.context().setOffline(true);
    await save(page);
    await page.getByText('Not saved yet: Name').waitFor();
    await page.context().setOffline(false);
    await page.getByText('Everything is saved.').waitFor();
    expect((await storeOf(store)).name).toBe('Ótica Norte');
  });

  test('what the operator changes appears when the person comes back to the page', async () => {
    const { page, loginUrl, store } = await newPerson();
    await openSettings(page, loginUrl);
    await admin(['store', 'update', '--store', store.id, '--name', 'Ótica Leste']);
    await eventually(
      async () => {
        await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);
        return page.getByLabel('Name', { exact: true }).inputValue();
      },
      (name) => name === 'Ótica Leste',
    );
  });

  test('a manager reads the settings and changes none, and a seller sees nothing of them', async () => {
    const manager = await newPerson('manager');
    await openSettings(manager.page, manager.loginUrl);
    await manager.page.getByText('Only owners change these settings.').waitFor();
    expect(await manager.page.getByLabel('Name', { exact: true }).isDisabled()).toBe(true);
    expect(await manager.page.getByRole('combobox', { name: 'Time zone' }).isDisabled()).toBe(true);
    expect(await manager.page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    const seller = await newPerson('seller');
    await open(seller.page, seller.loginUrl, path);
    await seller.page.getByText('Your role in the store does not allow this').waitFor();
    expect(await seller.page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    expect(await seller.page.getByRole('link', { name: 'Store settings' }).count()).toBe(0);
  });

  test('axe finds nothing on the settings, and nothing is cut off at any width', async () => {
    const { page, loginUrl, store } = await newPerson('owner', { reducedMotion: 'reduce' });
    await admin(['store', 'update', '--store', store.id, '--name', `<b>${'x'.repeat(150)}`]);
    await openSettings(page, loginUrl);
    await page.getByRole('button', { name: 'Add a sending time' }).click();
    expect(await tooNarrow(page)).toEqual([]);
    await page.getByLabel('Name', { exact: true }).fill('');
    await page.getByLabel('To', { exact: true }).selectOption('00:30');
    await save(page);
    await page.getByText('Give the store a name.').waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('a manager sets up booking, and the calendar follows', async () => {
    const { page, loginUrl, store } = await newPerson('manager', { reducedMotion: 'reduce' });
    const person = { name: 'Camila Rocha', whatsapp_id: '5511987654321' };
    await request('POST', '/sellers', { key: store.key, body: person });
    const rules = async () => (await request('GET', '/booking/rules', { key: store.key })).body;
    await open(page, loginUrl, '/settings/booking');
    await page.getByRole('button', { name: /^Begin with Monday/ }).click();
    const form = page.getByRole('form', { name: 'Booking rules' });
    const hours = form.getByRole('group', { name: 'Opening hours 1' });
    await hours.getByRole('checkbox', { name: 'Friday' }).uncheck();
    await form.getByRole('button', { name: 'Add a day' }).click();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Choose a date.').waitFor();
    expect(await violations(page), 'rules').toEqual([]);
    await form.getByLabel('Date').fill('2030-12-25');
    // Another person is faster.
    await request('PUT', '/booking/rules', { key: store.key, body: { ...(await rules()), horizon_days: 90 } });
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Someone else changed the rules meanwhile').waitFor();
    await form.getByRole('button', { name: 'Save mine' }).click();
    await form.getByText('Everything is saved.').waitFor();
    const saved = await rules();
    expect(saved).toMatchObject({ horizon_days: 90, exceptions: [{ date: '2030-12-25', hours: [] }] });
    expect(saved.hours.map(({ weekday }: { weekday: number }) => weekday)).toEqual([1, 2, 3, 4]);

    await form.getByRole('button', { name: 'Add a reminder' }).click();
    const reminder = form.getByRole('group', { name: 'Reminder 1' });
    await reminder.getByLabel('Message', { exact: true }).fill('{{hour}}? 1 yes, 2 no');
    await reminder.getByRole('checkbox', { name: /^Ask for/ }).check();
    await form.getByRole('button', { name: 'Save' }).click();
    await reminder.getByText('Use only {{name}}, {{service}}, {{time}} and {{calendar_link}}.').waitFor();
    expect(await violations(page), 'a reminder').toEqual([]);
    await reminder.getByLabel('Message', { exact: true }).fill('{{time}}? 1 yes, 2 no');
    // A word that the server refuses is said at its field, also when no reminder asks.
    await form.getByLabel('Answers that confirm').fill('stop');
    await reminder.getByRole('checkbox', { name: /^Ask for/ }).uncheck();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('must not be `stop`, which opts the customer out').waitFor();
    await reminder.getByRole('checkbox', { name: /^Ask for/ }).check();
    await form.getByLabel('Answers that confirm').fill('1, yes');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Everything is saved.').waitFor();
    expect(await rules()).toMatchObject({
      reminders: [{ minutes_before: 1440, message: '{{time}}? 1 yes, 2 no', template: null, ask_confirmation: true }],
      ...{ confirm_words: ['1', 'yes'], cancel_words: ['2'] },
    });

    await page.getByRole('button', { name: 'Edit Camila Rocha' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('checkbox', { name: /^Customers can book/ }).check();
    expect(await violations(page), 'a person').toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Create a service' }).click();
    await dialog.getByLabel('Name').fill('Cut and wash');
    await dialog.getByLabel('Minutes').fill('45');
    await dialog.getByRole('checkbox', { name: 'Camila Rocha' }).check();
    expect(await violations(page), 'a service').toEqual([]);
    await dialog.getByRole('button', { name: 'Create a service' }).click();
    await page.getByText('45 minutes · Camila Rocha').waitFor();
    expect(await tooNarrow(page)).toEqual([]);

    await page.getByRole('link', { name: 'Calendar' }).click();
    await page.getByRole('radio', { name: 'Day' }).check();
    await page.getByRole('columnheader', { name: 'Camila Rocha' }).waitFor();
    await page.getByRole('button', { name: 'New appointment' }).click();
    await page.getByLabel('Service').selectOption('Cut and wash');
  });
});
