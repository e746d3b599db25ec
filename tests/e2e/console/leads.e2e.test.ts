import { expect, test } from 'vitest';
import { addresses, eventually, request } from '../platform.ts';
import {
  inBrowser,
  inDialog,
  invitePerson,
  keyTo,
  newPage,
  newPerson,
  open,
  type TestStore,
  tabTo,
  title,
  tooNarrow,
  violations,
} from './browser.ts';
import { connectSandbox, messageOf, send } from './conversations.ts';

let lastPhone = 61_000_000;
function newPhone(): string {
  lastPhone += 1;
  return `55119${lastPhone}`;
}

async function newLead(store: TestStore, body: Record<string, unknown> = {}): Promise<{ id: string; name: string }> {
  const made = await request('POST', '/leads', {
    key: store.key,
    body: { name: 'Ana Lima', customer_phone: newPhone(), ...body },
  });
  expect(made.status).toBe(201);
  return made.body;
}
const readLead = async (store: TestStore, id: string) => (await request('GET', `/leads/${id}`, store)).body;

const hostile = `<img src=x onerror="document.title='hacked'">`;

inBrowser(() => {
  test('a person creates a lead, finds it and edits it by keyboard alone', async () => {
    const { page, loginUrl, store } = await newPerson();
    await open(page, loginUrl, '/leads');
    await page.getByRole('heading', { name: 'No customers yet' }).waitFor();
    const inks = await page.getByRole('button', { name: 'New customer' }).evaluate((button) => {
      const view = button.ownerDocument.defaultView;
      return [button, ...button.querySelectorAll('svg')].map((one) => view?.getComputedStyle(one).color);
    });
    expect(inks).toEqual([inks[0], inks[0]]);

    await tabTo(page, 'button', /^New customer$/);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('alertdialog');
    await inDialog(page);
    await page.keyboard.press('Enter');
    await dialog.getByText('Give the customer a name.').waitFor();
    await page.keyboard.type('Ana Lima');
    await page.keyboard.press('Tab');
    await page.keyboard.type('+55 (11) 96123-4567');
    await tabTo(page, 'textbox', 'Tags');
    await page.keyboard.type('vip, new client');
    await page.keyboard.press('Enter');
    await title(page, 'Ana Lima').waitFor();
    const { body } = await request('GET', '/leads?tag=vip', store);
    expect(body.data).toMatchObject([
      { name: 'Ana Lima', customer_phone: '5511961234567', tags: ['vip', 'new client'] },
    ]);

    await tabTo(page, 'button', 'Edit');
    await page.keyboard.press('Enter');
    await inDialog(page);
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('Ana Souza');
    await page.keyboard.press('Enter');
    await title(page, 'Ana Souza').waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect((await readLead(store, body.data[0].id)).name).toBe('Ana Souza');

    await tabTo(page, 'combobox', 'Status');
    await page.keyboard.press('ArrowDown');
    await page.getByText('Status: In progress').waitFor();
    await eventually(
      () => readLead(store, body.data[0].id),
      ({ status }) => status === 'in_progress',
    );
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(
      () => readLead(store, body.data[0].id),
      ({ status }) => status === 'pending',
    );
  });

  test('a lead who hides the phone is told apart by the username, and is edited like any other', async () => {
    const { page, loginUrl, store } = await newPerson();
    const sandbox = await connectSandbox(store);
    await sandbox.write('Sheena Nelson', '@sheena.n', 'Are you open?');
    const found = await eventually(
      async () => (await request('GET', '/leads?q=sheena.n', store)).body,
      ({ data }) => data.length === 1,
    );
    const { id } = found.data[0];
    await open(page, loginUrl, '/leads');
    await page.getByText('@sheena.n').waitFor();
    await page.getByRole('link', { name: 'Sheena Nelson' }).first().click();
    await title(page, 'Sheena Nelson').waitFor();
    await page.getByText('No phone number').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Sheena N.');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await title(page, 'Sheena N.').waitFor();
    expect(await readLead(store, id)).toMatchObject({ name: 'Sheena N.', customer_phone: null });
    await page.goto(`${addresses.console_url}/inbox/${id}`);
    await page.getByRole('heading', { name: 'Sheena N.' }).waitFor();
    await page.getByText('@sheena.n').first().waitFor();
    await send(page, 'We are.');
    await messageOf(page, 'We are.').getByText('Sent', { exact: true }).waitFor();
  });

  test('search and filters are in the address, and the address alone shows the same leads', async () => {
    const { page, loginUrl, store } = await newPerson();
    await newLead(store, { name: 'Ana Lima', tags: ['vip'], status: 'lost' });
    await newLead(store, { name: 'Bruno Lima', tags: ['vip'] });
    await newLead(store, { name: 'Carla Dias' });
    await open(page, loginUrl, '/leads');
    await page.getByText('Customers: 3').waitFor();
    await page.getByRole('searchbox', { name: 'Search customers' }).fill('lima');
    await page.getByText('Customers: 2').waitFor();
    await page.getByRole('combobox', { name: 'Status' }).selectOption('Lost');
    await page.getByText('1 customer', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'vip' }).click();
    await page.waitForURL(/tag=vip/);
    // The date is the one by which the list is ordered.
    await page.getByRole('columnheader', { name: 'Created' }).waitFor();
    await page.getByRole('combobox', { name: 'Order' }).selectOption({ index: 2 });
    await page.getByRole('columnheader', { name: 'Last change' }).waitFor();
    await page.getByRole('combobox', { name: 'Order' }).selectOption({ index: 0 });

    const { searchParams } = new URL(page.url());
    expect(Object.fromEntries(searchParams)).toEqual({ q: 'lima', status: 'lost', tag: 'vip' });
    await page.reload();
    await page.getByText('1 customer', { exact: true }).waitFor();
    await page.getByRole('searchbox', { name: 'Search customers' }).fill('no such name');
    await page.getByRole('button', { name: 'Show all customers' }).click();
    await page.getByText('Customers: 3').waitFor();
  });

  test('of what two people changed at once, the second one chooses what stays', async () => {
    const { page, loginUrl, store } = await newPerson();
    const { id } = await newLead(store);
    await open(page, loginUrl, `/leads/${id}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Ana Mine');
    await dialog.getByRole('textbox', { name: 'Email' }).fill('mine@example.com');
    const body = { name: 'Ana Theirs', email: 'theirs@example.com', tags: ['theirs'] };
    expect((await request('PATCH', `/leads/${id}`, { ...store, body })).status).toBe(200);

    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByRole('heading', { name: 'Another person changed this customer too' }).waitFor();
    const name = dialog.getByRole('group', { name: 'Name' });
    await name.getByText('Ana Theirs').waitFor();
    await name.getByText('Ana Mine').waitFor();
    expect(await violations(page)).toEqual([]);
    await name.getByRole('radio', { name: /Take theirs/ }).check();
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await readLead(store, id)).toMatchObject({
      name: 'Ana Theirs',
      email: 'mine@example.com',
      tags: ['theirs'],
    });
  });

  test('changes of two people to different things are both kept, without a question', async () => {
    const { page, loginUrl, store } = await newPerson();
    const { id } = await newLead(store);
    await open(page, loginUrl, `/leads/${id}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Ana Mine');
    await request('PATCH', `/leads/${id}`, { ...store, body: { tags: ['theirs'] } });
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await readLead(store, id)).toMatchObject({ name: 'Ana Mine', tags: ['theirs'] });
  });

  test('a phone that another lead has is explained at its field', async () => {
    const { page, loginUrl, store } = await newPerson();
    const phone = newPhone();
    await newLead(store, { customer_phone: phone });
    await open(page, loginUrl, '/leads');
    await page.getByRole('button', { name: 'New customer' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Ana Lima');
    await dialog.getByRole('textbox', { name: 'Phone' }).fill(phone);
    await dialog.getByRole('button', { name: 'New customer' }).click();
    await dialog.getByText('There is a customer with this phone already.').waitFor();
  });

  test('the timeline has messages of the API in words, appointments, follow-ups and changes of status', async () => {
    const { page, loginUrl, store } = await newPerson();
    const { id } = await newLead(store);
    const at = new Date(Date.now() + 86_400_000).toISOString();
    await request('POST', '/appointments', { ...store, body: { title: 'Haircut', scheduled_at: at, lead_id: id } });
    await request('POST', '/followups/scheduled', {
      ...store,
      body: { lead_id: id, message: 'Again?', delay_minutes: 60 },
    });
    await request('PATCH', `/leads/${id}`, { ...store, body: { status: 'converted' } });
    await eventually(
      async () => (await request('GET', `/events?types=lead.updated&entity_id=${id}`, store)).body.data,
      (events) => events.length === 1,
    );
    await open(page, loginUrl, `/leads/${id}`);
    const planned = page.getByRole('region', { name: 'Planned' });
    await planned.getByText('Haircut').waitFor();
    await planned.getByText('Again?').waitFor();
    await page.getByRole('region', { name: 'Timeline' }).getByText('Pending → Converted').waitFor();

    await page.getByRole('button', { name: 'Appointment', exact: true }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('textbox', { name: 'What for' }).fill('Colour');
    await drawer.getByRole('button', { name: 'Create appointment' }).click();
    await planned.getByText('Colour').waitFor();
    const { body } = await request('GET', `/appointments?lead_id=${id}`, store);
    expect(body.data.map((one: { title: string }) => one.title).sort()).toEqual(['Colour', 'Haircut']);
  });

  test('a seller sees their own leads, without the choice of a seller, and not those of others', async () => {
    const { store } = await newPerson();
    const { loginUrl, sellerId } = await invitePerson(store, 'seller', 'Bia');
    const other = await invitePerson(store, 'seller', 'Caio');
    await newLead(store, { name: 'Own', seller_id: sellerId });
    const { id } = await newLead(store, { name: 'Of Caio', seller_id: other.sellerId });
    const page = await newPage();
    await open(page, loginUrl, '/leads');
    await page.getByRole('link', { name: 'Own' }).waitFor();
    expect(await page.getByRole('link', { name: 'Of Caio' }).count()).toBe(0);
    expect(await page.getByRole('combobox', { name: 'Seller' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Follow-ups' }).count()).toBe(0);
    await open(page, (await invitePerson(store, 'manager')).loginUrl, `/leads/${id}`);
    await title(page, 'Of Caio').waitFor();
  });

  test('each seller can be chosen, also when there are more than one page of the list holds', async () => {
    const { page, loginUrl, store } = await newPerson();
    const { id } = await newLead(store);
    const newSeller = (number: number) =>
      request('POST', '/sellers', {
        key: store.key,
        body: { name: `Seller ${number}`, whatsapp_id: `55119720${10_000 + number}` },
      });
    for (let first = 1; first <= 200; first += 20)
      await Promise.all(Array.from({ length: 20 }, (_, more) => newSeller(first + more)));
    const { body: last } = await newSeller(201);
    await open(page, loginUrl, `/leads/${id}`);
    await page.getByRole('combobox', { name: 'Seller' }).selectOption({ label: 'Seller 201' });
    await eventually(
      () => readLead(store, id),
      ({ seller_id }) => seller_id === last.id,
    );
    await open(page, (await invitePerson(store)).loginUrl, `/inbox/${id}`);
    await page.getByRole('button', { name: 'Seller: Seller 201' }).click();
    await keyTo(page, 'End', page.getByRole('menuitemradio').last());
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await eventually(
      () => readLead(store, id),
      ({ seller_id }) => seller_id !== last.id,
    );
  });

  test('a lead that is not there is explained', async () => {
    const { page, loginUrl } = await newPerson();
    await open(page, loginUrl, '/leads/018f6b1e-7c3a-7d0e-9b1a-2f4c5d6e7f80');
    await page.getByRole('heading', { name: 'This customer is not here' }).waitFor();
  });

  test('the list and a lead are accessible, and of hostile and long texts nothing scrolls sideways at any width', async () => {
    const { page, loginUrl, store } = await newPerson();
    await newLead(store, { name: hostile, tags: ['x'.repeat(40), '\u202Eתג\u200B'] });
    const { id } = await newLead(store, { name: 'x'.repeat(200), tags: ['vip'], status: 'converted' });
    const message = `${hostile}${'y'.repeat(4_000)}`;
    await request('POST', '/followups/scheduled', { ...store, body: { lead_id: id, message, delay_minutes: 60 } });
    await open(page, loginUrl, '/leads');
    await page.getByRole('link', { name: hostile }).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await tooNarrow(page)).toEqual([]);
    await page.getByRole('link', { name: 'xxx' }).click();
    await page.getByText(message.slice(0, 100)).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await tooNarrow(page)).toEqual([]);
    expect(await page.title()).not.toContain('hacked');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('alertdialog').waitFor();
    expect(await violations(page)).toEqual([]);
  });
});
