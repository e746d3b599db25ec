import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { admin, daysAhead, eventually, type Json, newStore, request } from '../platform.ts';
import { fits, inBrowser, invitePerson, newPage, open, type TestStore, violations } from './browser.ts';
import { connectSandbox, messageOf } from './conversations.ts';

/** What the AI asks a person, below its message. */
const question = (page: Page) => page.getByRole('article').getByRole('region', { name: 'May the AI do this?' });
const answer = (page: Page) => page.getByRole('article').getByRole('region', { name: 'What the AI asked for' });

const hasFocus = (element: Locator) =>
  eventually(() => element.evaluate((one) => one === one.ownerDocument.activeElement), Boolean);

inBrowser(() => {
  let store: TestStore;
  let sandbox: Awaited<ReturnType<typeof connectSandbox>>;
  beforeAll(async () => {
    store = await newStore();
    sandbox = await connectSandbox(store);
    await admin(['ai', 'connect', '--store', store.id, '--provider', 'demo']);
    const settings = ['--ai', 'on', '--ai-quiet-seconds', '0', '--ai-confirm', 'cancel'];
    await admin(['store', 'update', '--store', store.id, ...settings]);
    const body = { name: 'Bia', priority: 1, is_default: true, language: 'en' };
    await request('POST', '/agents', { key: store.key, body });
  });

  const appointmentsOf = async (leadId: string): Promise<Json[]> =>
    (await request('GET', `/appointments?lead_id=${leadId}`, { key: store.key })).body.data;
  const messagesOfAi = async (leadId: string) =>
    (await sandbox.messages(leadId)).filter(({ source }) => source === 'ai');
  /** A customer writes, and the AI answers. */
  const writeToAi = async (customer: { id: string; phone: string; name: string }, text: string) => {
    const before = await messagesOfAi(customer.id);
    await sandbox.write(customer.name, customer.phone, text);
    return await eventually(
      () => messagesOfAi(customer.id),
      (messages) => messages.length > before.length && messages.at(-1)?.status === 'sent',
    );
  };
  /** A customer whose wish to cancel an appointment waits for a person. */
  const newAsking = async (name: string, phone: string, days: number) => {
    const id = await sandbox.newLead(name, phone);
    const body = { title: 'Fitting', scheduled_at: daysAhead(days).toISOString(), lead_id: id };
    expect((await request('POST', '/appointments', { key: store.key, body })).status).toBe(201);
    const messages = await writeToAi({ id, phone, name }, 'please cancel my appointment');
    return { id, messageId: messages.at(-1)?.id as string };
  };

  /** The thread of a lead, as a seller sees it. */
  const openThread = async (leadId: string) => {
    const { loginUrl } = await invitePerson(store, 'seller', 'Bia Lima');
    const page = await newPage({ reducedMotion: 'reduce' });
    await open(page, loginUrl, `/inbox/${leadId}`);
    return page;
  };

  test('a customer books and cancels, a seller confirms it with the keyboard, and the customer is told', async () => {
    const hours = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, from: '09:00', to: '18:00' }));
    const rules = { overlap: 'reject', capacity: 1, slot_step_minutes: 60, hours, outside_hours: 'allow' };
    expect((await request('PUT', '/booking/rules', { key: store.key, body: rules })).status).toBe(200);
    const helena = await sandbox.newCustomer('Helena', 'hello');
    await eventually(
      () => messagesOfAi(helena.id),
      (messages) => messages.at(-1)?.status === 'sent',
    );
    await writeToAi(helena, 'I want to book an appointment tomorrow');
    await writeToAi(helena, 'the first one');
    const [booked] = await appointmentsOf(helena.id);
    expect(booked).toMatchObject({ status: 'scheduled' });

    const page = await openThread(helena.id);
    await messageOf(page, 'Booked:').waitFor();
    expect(await question(page).count()).toBe(0);
    await writeToAi(helena, 'please cancel my appointment');
    await question(page).getByText('Cancel an appointment').waitFor();
    await question(page).getByText(`${booked?.title} · `).waitFor();
    expect((await appointmentsOf(helena.id))[0]).toMatchObject({ status: 'scheduled' });
    // The thread stays at its end when the question appears below it.
    await page.getByRole('button', { name: 'To the newest message' }).waitFor({ state: 'detached' });
    await question(page).getByRole('button', { name: 'Confirm' }).press('Enter');
    await answer(page).getByText('Done', { exact: true }).waitFor();
    await hasFocus(answer(page));
    await messageOf(page, 'Cancelled: ').waitFor();
    expect((await appointmentsOf(helena.id))[0]).toMatchObject({ status: 'cancelled' });
    expect((await sandbox.messages(helena.id)).at(-1)).toMatchObject({
      ...{ source: 'seller', author: { kind: 'user', name: 'Bia Lima' } },
    });
    expect(await violations(page)).toEqual([]);
  });

  test('what a person declines, beside the reasons of the answer, stays as it is', async () => {
    const { id } = await newAsking('Bruno', '5511970090001', 3);
    const page = await openThread(id);
    await question(page).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Why this answer' }).last().click();
    const why = page.getByRole('dialog', { name: 'Why this answer' });
    await why.getByText('A person should answer: a person of the store confirms what it wants to do.').waitFor();
    await why.getByText('waits for a person').waitFor();
    await why.getByRole('button', { name: 'Decline' }).click();
    await why.getByText('Declined', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await answer(page).getByText('Declined', { exact: true }).waitFor();
    expect(await appointmentsOf(id)).toMatchObject([{ status: 'scheduled' }]);
    expect((await sandbox.messages(id)).at(-1)).toMatchObject({ source: 'ai' });
    await page.reload();
    await answer(page).getByText('Declined by Bia Lima').waitFor();
  });

  test('who decides second sees what the first one has decided', async () => {
    const { id, messageId } = await newAsking('Clara', '5511970090002', 4);
    const page = await openThread(id);
    await question(page).waitFor();
    const path = `/leads/${id}/messages/${messageId}/decision`;
    const declined = await request('POST', path, { key: store.key, body: { decision: 'decline' } });
    expect(declined.status, declined.text).toBe(200);
    await question(page).getByRole('button', { name: 'Confirm' }).click();
    await answer(page).getByText('Declined', { exact: true }).waitFor();
    await answer(page).getByText('Declined by a program').waitFor();
    expect(await appointmentsOf(id)).toMatchObject([{ status: 'scheduled' }]);
    expect(await fits(page)).toBe(true);
  });

  test('an accepted time is held until a person decides, and who decided is shown after a reload', async () => {
    const keep = ['--ai-confirm', 'book'];
    await admin(['store', 'update', '--store', store.id, ...keep]);
    const hours = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, from: '09:00', to: '18:00' }));
    const rules = { overlap: 'reject', capacity: 1, slot_step_minutes: 60, hours, outside_hours: 'allow' };
    expect((await request('PUT', '/booking/rules', { key: store.key, body: rules })).status).toBe(200);
    /** A customer who accepts the first free time of tomorrow. */
    const newAccepting = async (name: string) => {
      const customer = await sandbox.newCustomer(name, 'hello');
      await eventually(
        () => messagesOfAi(customer.id),
        (messages) => messages.at(-1)?.status === 'sent',
      );
      await writeToAi(customer, 'I want to book an appointment tomorrow');
      const messages = await writeToAi(customer, 'the first one');
      const { body } = await request('GET', `/leads/${customer.id}/decisions`, { key: store.key });
      expect(body.data).toMatchObject([{ message_id: messages.at(-1)?.id, decision: null }]);
      return { ...customer, messageId: messages.at(-1)?.id as string, offer: body.data[0].tools[0].offer as Json };
    };
    const book = (scheduled_at: string) =>
      request('POST', '/appointments', { key: store.key, body: { title: 'Other', scheduled_at } });

    const davi = await newAccepting('Davi');
    expect(Date.parse(davi.offer.held_until)).toBeGreaterThan(Date.now());
    expect((await book(davi.offer.scheduled_at)).body).toMatchObject({ code: 'appointment_conflict' });
    const page = await openThread(davi.id);
    await question(page).getByText('The time is kept for the customer until').waitFor();
    expect(await violations(page)).toEqual([]);
    await question(page).getByRole('button', { name: 'Confirm' }).click();
    await answer(page).getByText('Confirmed by Bia Lima').waitFor();
    await messageOf(page, 'Booked:').waitFor();
    await page.reload();
    await answer(page).getByText('Confirmed by Bia Lima').waitFor();
    await answer(page).getByText('Done', { exact: true }).waitFor();
    expect(await appointmentsOf(davi.id)).toMatchObject([{ scheduled_at: davi.offer.scheduled_at }]);

    // What is declined is free at once.
    const elisa = await newAccepting('Elisa');
    const path = `/leads/${elisa.id}/messages/${elisa.messageId}/decision`;
    const declined = await request('POST', path, { key: store.key, body: { decision: 'decline' } });
    expect(declined.status, declined.text).toBe(200);
    expect((await book(elisa.offer.scheduled_at)).status).toBe(201);

    const { loginUrl } = await invitePerson(store, 'owner', 'Otto Reis');
    const owner = await newPage();
    await open(owner, loginUrl, '/team');
    await owner.getByRole('link', { name: 'Audit log' }).click();
    const entries = owner.getByRole('row', { name: /^Request of the AI decided/ });
    for (const words of ['Decision: confirmed', 'Decision: declined']) {
      await entries.getByText(words).first().waitFor();
    }
  });
});
