import { expect, test } from 'vitest';
import { eventually, request } from '../platform.ts';
import {
  inBrowser,
  inDialog,
  keyTo,
  newPerson,
  open,
  type TestStore,
  tabTo,
  tooNarrow,
  violations,
} from './browser.ts';

let lastPhone = 62_000_000;
async function newLead(store: TestStore, name = 'Ana Lima'): Promise<string> {
  lastPhone += 1;
  const body = { name, customer_phone: `55119${lastPhone}` };
  return (await request('POST', '/leads', { ...store, body })).body.id;
}
async function newFollowup(store: TestStore, lead_id: string, message = 'Shall we go on?', delay_minutes = 600) {
  const made = await request('POST', '/followups/scheduled', { ...store, body: { lead_id, message, delay_minutes } });
  expect(made.status).toBe(201);
  return made.body;
}
const readFollowup = async (store: TestStore, id: string) =>
  (await request('GET', `/followups/scheduled/${id}`, store)).body;

inBrowser(() => {
  test('a person schedules and edits a follow-up by keyboard alone', async () => {
    const { page, loginUrl, store } = await newPerson();
    const leadId = await newLead(store);
    await newLead(store, 'Bruno Dias');
    await open(page, loginUrl, '/follow-ups');
    await page.getByRole('heading', { name: 'Nothing is planned' }).waitFor();

    await tabTo(page, 'button', 'New follow-up');
    await page.keyboard.press('Enter');
    await inDialog(page);
    await page.keyboard.type('ana l');
    await page.getByRole('option', { name: /Ana Lima/ }).waitFor();
    await page.getByRole('option', { name: /Bruno/ }).waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await tabTo(page, 'textbox', 'Message');
    await page.keyboard.type('Shall we go on?');
    await tabTo(page, 'checkbox', 'the customer gets an appointment before');
    await page.keyboard.press('Space');
    await tabTo(page, 'button', 'Schedule');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /Shall we go on/ }).waitFor();
    const { body } = await request('GET', '/followups/scheduled', store);
    expect(body.data).toMatchObject([
      { lead_id: leadId, message: 'Shall we go on?', cancel_on_reply: true, cancel_on_appointment: true },
    ]);

    await tabTo(page, 'button', 'Actions for “Shall we go on?”');
    await page.keyboard.press('Enter');
    await keyTo(page, 'Home', page.getByRole('menuitem', { name: 'Edit' }));
    await page.keyboard.press('Enter');
    await inDialog(page);
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('Still there?');
    await tabTo(page, 'button', 'Save');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /Still there/ }).waitFor();
    expect(await readFollowup(store, body.data[0].id)).toMatchObject({
      message: 'Still there?',
      due_at: body.data[0].due_at,
    });
  });

  test('a cancellation can be taken back, and is sent at the latest when the page goes away', async () => {
    const { page, loginUrl, store } = await newPerson();
    const { id } = await newFollowup(store, await newLead(store));
    await open(page, loginUrl, '/follow-ups');
    const cancel = async () => {
      await page.getByRole('button', { name: /^Actions for/ }).click();
      await page.getByRole('menuitem', { name: 'Cancel follow-up' }).click();
      await page.getByRole('row', { name: /Shall we go on/ }).waitFor({ state: 'detached' });
    };
    await cancel();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('row', { name: /Shall we go on/ }).waitFor();
    expect((await readFollowup(store, id)).status).toBe('pending');

    await cancel();
    await page.reload();
    await eventually(
      () => readFollowup(store, id),
      ({ status }) => status === 'cancelled',
    );
    await page.getByRole('link', { name: 'Cancelled' }).click();
    await page.getByText('It was cancelled by hand or by a program').waitFor();
  });

  test('a change by another person meanwhile is shown, and what the person wrote stays', async () => {
    const { page, loginUrl, store } = await newPerson();
    const { id } = await newFollowup(store, await newLead(store));
    await open(page, loginUrl, '/follow-ups');
    await page.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('button', { name: 'Save' }).and(page.locator(':not([aria-disabled])')).waitFor();
    await request('PATCH', `/followups/scheduled/${id}`, { ...store, body: { message: 'Theirs' } });
    await dialog.getByRole('textbox', { name: 'Message' }).fill('Mine');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').getByText('Its message is now: “Theirs”').waitFor();
    expect(await dialog.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('Mine');
    await dialog.getByRole('button', { name: 'Save mine' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await readFollowup(store, id)).message).toBe('Mine');
  });

  test('one that a lead does not want any more is refused in words', async () => {
    const { page, loginUrl, store } = await newPerson();
    const leadId = await newLead(store);
    await open(page, loginUrl, `/leads/${leadId}`);
    await page.getByRole('button', { name: 'Follow-up', exact: true }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('combobox', { name: 'When' }).selectOption('At a day and time');
    await dialog.getByLabel('Day and time', { exact: true }).fill('2020-01-01T10:00');
    await dialog.getByRole('textbox', { name: 'Message' }).fill('Hello');
    await dialog.getByRole('button', { name: 'Schedule' }).click();
    await dialog.getByText('Choose a moment in the future').waitFor();
  });

  test('a seller reads that follow-ups are with each lead', async () => {
    const { page, loginUrl } = await newPerson('seller');
    await open(page, loginUrl, '/follow-ups');
    await page.getByText('The list of all is for managers.').waitFor();
  });

  test('the lists and the form are accessible, and a long hostile message scrolls nothing sideways at any width', async () => {
    const { page, loginUrl, store } = await newPerson();
    await newFollowup(store, await newLead(store, 'x'.repeat(200)), `<b>${'y'.repeat(4_000)}`);
    await newFollowup(store, await newLead(store));
    await open(page, loginUrl, '/follow-ups');
    await page.getByText('<b>yyy').waitFor();
    await page.getByRole('row', { name: /Shall we go on/ }).waitFor();
    await page.getByRole('link', { name: 'Ana Lima' }).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await tooNarrow(page)).toEqual([]);
    await page.getByRole('button', { name: 'New follow-up' }).click();
    await page.getByRole('alertdialog').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await tooNarrow(page)).toEqual([]);
  });
});
