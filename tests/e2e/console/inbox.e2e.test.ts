import { openLoginLink } from '@mostrador/testing/login-link';
import { startTcpProxy, type TcpProxy } from '@mostrador/testing/proxy/tcp-proxy';
import type { Page } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import { addresses, admin, eventually, gatewayUrl, request } from '../platform.ts';
import {
  fits,
  inBrowser,
  invitePerson,
  keyTo,
  newPage,
  newPerson,
  open,
  type Role,
  tabTo,
  title,
  violations,
} from './browser.ts';
import { composer, connectSandbox, messageOf, rowOf } from './conversations.ts';

/** A person of a store with a sandbox. */
async function newInbox(role: Role = 'owner', options: Parameters<typeof newPerson>[1] = {}, replyWindow?: number) {
  const person = await newPerson(role, options);
  return { ...person, sandbox: await connectSandbox(person.store, replyWindow) };
}

const isFocused = (page: Page, leadId: string) =>
  rowOf(page, leadId).evaluate((row) => row === row.ownerDocument.activeElement);
const colourOf = (page: Page, text: string) =>
  messageOf(page, text)
    .locator('> div')
    .evaluate((element) => element.ownerDocument.defaultView?.getComputedStyle(element).borderTopColor);

inBrowser(() => {
  let proxy: TcpProxy | undefined;
  afterEach(async () => {
    await proxy?.close();
    proxy = undefined;
  });

  test('a person finds, reads and answers a conversation by keyboard alone, and comes back to the list', async () => {
    const { page, loginUrl, sandbox } = await newInbox();
    const helena = await sandbox.newCustomer('Helena Prado', 'Are my glasses ready?');
    const bruno = await sandbox.newCustomer('Bruno Azevedo', 'Are you open on Saturday?');
    await open(page, loginUrl, '/inbox');
    await rowOf(page, helena.id).getByText('1 unread').waitFor();

    await page.keyboard.press('j');
    await eventually(() => isFocused(page, bruno.id), Boolean);
    await page.keyboard.press('j');
    await eventually(() => isFocused(page, helena.id), Boolean);
    await page.keyboard.press('Enter');
    await messageOf(page, 'Are my glasses ready?').waitFor();
    await rowOf(page, helena.id).getByText('1 unread').waitFor({ state: 'detached' });

    await page.keyboard.press('r');
    await page.keyboard.type('They are.');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('Until 7 pm.');
    await page.keyboard.press('Enter');
    await messageOf(page, 'Until 7 pm.').getByText('Sent', { exact: true }).waitFor();
    expect(await sandbox.messages(helena.id)).toMatchObject([
      { source: 'lead' },
      { source: 'seller', body: 'They are.\nUntil 7 pm.', status: 'sent' },
    ]);
    expect(await composer(page).inputValue()).toBe('');

    await page.keyboard.press('Escape');
    await eventually(() => isFocused(page, helena.id), Boolean);
    await page.keyboard.press('?');
    const help = page.getByRole('alertdialog', { name: 'Keyboard shortcuts' });
    await help.waitFor();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.keyboard.type('bruno');
    await rowOf(page, helena.id).waitFor({ state: 'detached' });
    expect(page.url()).toContain('q=bruno');
    await rowOf(page, bruno.id).waitFor();
  });

  test('of those who wait for an answer the longest wait is first, and who gets one leaves the list', async () => {
    const { page, loginUrl, sandbox } = await newInbox();
    const [helena, bruno, clara] = [
      await sandbox.newCustomer('Helena', 'Hello'),
      await sandbox.newCustomer('Bruno', 'Hello'),
      await sandbox.newCustomer('Clara', 'Hello'),
    ];
    const shown = () => page.locator('[data-lead]').evaluateAll((rows) => rows.map((row) => row.dataset.lead));
    const shows = (...customers: { id: string }[]) =>
      eventually(shown, (ids) => ids.join() === customers.map(({ id }) => id).join());
    await open(page, loginUrl, '/inbox');
    await shows(clara, bruno, helena);
    await page.getByRole('button', { name: 'Unanswered' }).click();
    await shows(helena, bruno, clara);
    await page.getByText('Longest wait first').waitFor();
    await rowOf(page, helena.id)
      .getByText(/^Waits \d+ min$/)
      .waitFor();

    // Who writes more keeps the place, and a new customer is the last.
    await sandbox.write('Helena', helena.phone, 'Anybody there?');
    await rowOf(page, helena.id).getByText('Anybody there?').waitFor();
    const dora = await sandbox.newCustomer('Dora', 'Hello');
    await shows(helena, bruno, clara, dora);
    await rowOf(page, helena.id).click();
    await messageOf(page, 'Anybody there?').waitFor();
    await composer(page).fill('Here I am');
    await page.keyboard.press('Enter');
    await shows(bruno, clara, dora);
    await sandbox.write('Helena', helena.phone, 'Thanks');
    await shows(bruno, clara, dora, helena);
    await page.getByRole('button', { name: 'Unanswered' }).click();
    await shows(helena, dora, clara, bruno);
    expect(await page.getByText('Longest wait first').count()).toBe(0);
  });

  test('a message of the API is purple and says so, and no other message is purple', async () => {
    const { page, loginUrl, sandbox } = await newInbox('owner', { timezoneId: 'Asia/Kathmandu' });
    const { id } = await sandbox.newCustomer('Helena', 'Hello');
    await sandbox.send(id, 'Your order is ready');
    const { created_at } = (await sandbox.messages(id)).at(-1);
    await open(page, loginUrl, `/inbox/${id}`);
    await messageOf(page, 'Your order is ready').getByText('via API').waitFor();
    // The clock is that of the store, and the page says so, because it is not that of the person.
    await page.getByText('Times are those of the store: UTC').waitFor();
    const time = new Intl.DateTimeFormat('en', { timeStyle: 'short', timeZone: 'UTC' });
    await messageOf(page, 'Your order is ready')
      .getByText(time.format(new Date(created_at)), { exact: true })
      .waitFor();
    await rowOf(page, id)
      .getByText(time.format(new Date(created_at)), { exact: true })
      .waitFor();
    await composer(page).fill('Anything else?');
    await page.keyboard.press('Enter');
    await messageOf(page, 'Anything else?').waitFor();
    const purple = await page.locator('body').evaluate((body) => {
      const probe = body.appendChild(body.ownerDocument.createElement('i'));
      probe.style.color = 'var(--api)';
      const color = body.ownerDocument.defaultView?.getComputedStyle(probe).color;
      probe.remove();
      return color;
    });
    expect(await colourOf(page, 'Your order is ready')).toBe(purple);
    for (const text of ['Hello', 'Anything else?']) expect(await colourOf(page, text)).not.toBe(purple);
  });

  test('a draft belongs to its lead and outlives a reload, and what is too long is not sent', async () => {
    const { page, loginUrl, sandbox } = await newInbox();
    const helena = await sandbox.newCustomer('Helena', 'Hello');
    const bruno = await sandbox.newCustomer('Bruno', 'Hello');
    await open(page, loginUrl, `/inbox/${helena.id}`);
    await composer(page).fill('Half a sent');
    await page.reload();
    await eventually(
      () => composer(page).inputValue(),
      (text) => text === 'Half a sent',
    );
    await rowOf(page, bruno.id).click();
    await page.getByRole('textbox', { name: 'Message to Bruno' }).waitFor();
    expect(await composer(page).inputValue()).toBe('');
    await composer(page).fill('x'.repeat(4_090));
    await page.getByText('Characters left: 6').waitFor();
    await page.keyboard.press('End');
    await page.keyboard.type('1234567');
    await page.getByText('Characters too many: 1').waitFor();
    await page.keyboard.press('Enter');
    expect(await composer(page).inputValue()).toHaveLength(4_097);
    expect(await sandbox.messages(bruno.id)).toHaveLength(1);
  });

  test('a message whose answer was lost is sent once, also over a reload', async () => {
    const { page, loginUrl, sandbox } = await newInbox();
    const { id } = await sandbox.newCustomer('Helena', 'Hello');
    proxy = await startTcpProxy(new URL(gatewayUrl).host);
    const behindProxy = (url: string) => url.replace(gatewayUrl, `http://127.0.0.1:${proxy?.port}`);
    await openLoginLink(page, behindProxy(loginUrl));
    await title(page, 'Inbox').waitFor();
    await page.goto(behindProxy(`${addresses.console_url}/inbox/${id}`));
    await messageOf(page, 'Hello').waitFor();

    const held = proxy.holdAnswer(`POST /platform/v1/leads/${id}/messages`);
    await composer(page).fill('Once');
    await page.keyboard.press('Enter');
    await held.reached;
    proxy.cut();
    await eventually(
      () => sandbox.messages(id),
      (messages) => messages.some(({ body }) => body === 'Once'),
    );
    await composer(page).fill('Twice');
    await page.keyboard.press('Enter');
    await messageOf(page, 'Twice').waitFor();
    proxy.mend();
    await page.reload();
    await messageOf(page, 'Twice').getByText('Sent', { exact: true }).waitFor();
    await messageOf(page, 'Once').getByText('Sent', { exact: true }).waitFor();
    expect(await messageOf(page, 'Once').count()).toBe(1);
    expect((await sandbox.messages(id)).map(({ body }) => body)).toEqual(['Hello', 'Once', 'Twice']);
  });

  test('when the reply window is closed, the page says so and sends a template', async () => {
    const { page, loginUrl, sandbox } = await newInbox('owner', {}, 60);
    const id = await sandbox.newLead('Helena');
    await sandbox.write('Helena', (await sandbox.lead(id)).customer_phone, 'Hello');
    await open(page, loginUrl, `/inbox/${id}`);
    await page.getByText(/Time to reply: (60|59) min|Time to reply: 1 hr/).waitFor();

    const silent = await sandbox.newLead('Bruno');
    await page.goto(`${addresses.console_url}/inbox/${silent}`);
    await page.getByText('Free text is not accepted now').waitFor();
    expect(await composer(page).count()).toBe(0);
    // The page asks each time before it discards what was typed.
    for (const typed of ['order', 'appointment']) {
      await page.getByRole('button', { name: 'Use a template' }).click();
      await page.keyboard.type(typed);
      await page.getByRole('option', { name: typed }).click();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Discard changes' }).click();
    }
    await tabTo(page, 'button', 'Use a template');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Send template' }).click();
    await page.getByRole('alert').getByText('Choose a template').waitFor();
    // Only what can be sent is offered, and found by its text, too.
    const template = page.getByRole('combobox', { name: 'Template' });
    await template.fill('sale');
    await page.getByText('No approved template').waitFor();
    await template.fill('is ready');
    await page.getByRole('option', { name: 'order_ready' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Send template' }).click();
    await page.getByRole('alert').getByText('Fill this in').waitFor();
    await page.getByRole('textbox', { name: 'Value of {{1}}' }).fill('Bruno');
    await page.getByRole('region', { name: 'Preview' }).getByText('Hello, Bruno! Your order is ready.').waitFor();
    await page.getByRole('button', { name: 'Send template' }).click();
    const sent = messageOf(page, 'Hello, Bruno! Your order is ready.');
    await sent.getByText('Sent', { exact: true }).waitFor();
    await sent.getByText('Template “order_ready”').waitFor();
    expect(await sandbox.messages(silent)).toMatchObject([{ source: 'seller', status: 'sent' }]);
  });

  test('a template has a field for each value that it needs, and a picture is an address', async () => {
    const { page, loginUrl, sandbox } = await newInbox('owner', {}, 60);
    const id = await sandbox.newLead('Bruno');
    await open(page, loginUrl, `/inbox/${id}`);
    await page.getByRole('button', { name: 'Use a template' }).click();
    await page.keyboard.type('new_col');
    await page.getByRole('option', { name: 'new_collection' }).click();
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByText('The new collection is here, {{1}}.').waitFor();
    await preview.getByText('See it').waitFor();
    const picture = page.getByRole('textbox', { name: 'Address of the picture' });
    await picture.fill('picture.png');
    await page.getByRole('textbox', { name: 'Value of {{1}}' }).fill('Bruno');
    await page.getByRole('textbox', { name: 'End of the address that “See it” opens' }).fill('shoes');
    await page.getByRole('button', { name: 'Send template' }).click();
    await page.getByRole('alert').getByText('https://').waitFor();
    await picture.fill('https://example.com/picture.png');
    await page.getByRole('button', { name: 'Send template' }).click();
    await messageOf(page, 'The new collection is here, Bruno.').getByText('Sent', { exact: true }).waitFor();
    // Values have names in another template. The form asks for them, and the text has them.
    await page.getByRole('button', { name: 'Use a template' }).click();
    await page.keyboard.type('appointment');
    await page.getByRole('option', { name: 'appointment_reminder' }).click();
    await page.getByRole('textbox', { name: 'Value of {{name}}' }).fill('Bruno');
    await page.getByRole('textbox', { name: 'Value of {{time}}' }).fill('15h');
    await page.getByRole('button', { name: 'Send template' }).click();
    await messageOf(page, 'Olá, Bruno! Seu horário é às 15h.').getByText('Sent', { exact: true }).waitFor();
  });

  test('a message that failed says why and what to do, and is found by its filter', async () => {
    const { page, loginUrl, sandbox } = await newInbox();
    const id = await sandbox.newLead('Wrong number', '12015550121');
    const other = await sandbox.newCustomer('Helena', 'Hello');
    await sandbox.send(id, 'Tomorrow at 10');
    await open(page, loginUrl, '/inbox');
    await rowOf(page, other.id).waitFor();
    await page.getByRole('button', { name: 'Needs attention' }).click();
    await rowOf(page, other.id).waitFor({ state: 'detached' });
    await rowOf(page, id).getByText('Not sent').waitFor();
    await rowOf(page, id).click();
    await messageOf(page, 'Tomorrow at 10').getByText('Check the phone').waitFor();
    expect(page.url()).toContain('needs_attention=true');
  });

  test('a message that is still queued is cancelled', async () => {
    const { page, loginUrl, sandbox } = await newInbox();
    const id = await sandbox.newLead('Never reached', '12015550112');
    await open(page, loginUrl, `/inbox/${id}`);
    await composer(page).fill('Hello?');
    await page.keyboard.press('Enter');
    await messageOf(page, 'Hello?').getByRole('button', { name: 'Cancel message' }).click();
    await messageOf(page, 'Hello?').getByText('Cancelled').waitFor();
    expect(await sandbox.messages(id)).toMatchObject([{ status: 'cancelled' }]);
  });

  test('a person assigns a lead, pauses the AI and takes both back', async () => {
    const { page, loginUrl, sandbox, store } = await newInbox();
    const { sellerId } = await invitePerson(store, 'seller', 'Bia Lima');
    const { id } = await sandbox.newCustomer('Helena', 'Hello');
    await open(page, loginUrl, `/inbox/${id}`);

    await tabTo(page, 'button', 'Seller: No seller');
    await page.keyboard.press('Enter');
    await keyTo(page, 'End', page.getByRole('menuitemradio', { name: 'Bia Lima' }));
    await page.keyboard.press('Enter');
    await page.getByText('Assigned to Bia Lima').waitFor();
    expect(await sandbox.lead(id)).toMatchObject({ seller_id: sellerId });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Seller: No seller' }).waitFor();
    await eventually(
      () => sandbox.lead(id),
      ({ seller_id }) => seller_id === null,
    );

    // Nothing says that the AI answers.
    expect(await page.getByRole('button', { name: /AI/ }).filter({ hasNotText: 'AI paused' }).count()).toBe(0);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Pause the AI for 4 hours' }).click();
    await page.getByRole('button', { name: 'The AI is paused' }).waitFor();
    await eventually(
      () => sandbox.lead(id),
      ({ ai_paused_until }) => ai_paused_until !== null,
    );
    await page.getByText(/^Paused by /).waitFor();
    await page.getByRole('button', { name: 'The AI is paused' }).click();
    const pause = page.getByRole('group', { name: /^Paused by .+ · Paused until / });
    await pause.getByRole('menuitem', { name: 'Resume the AI' }).click();
    await page.getByRole('button', { name: 'The AI is paused' }).waitFor({ state: 'detached' });
    await eventually(
      () => sandbox.lead(id),
      ({ ai_paused_until }) => ai_paused_until === null,
    );
    await page.getByRole('button', { name: 'Unanswered' }).click();
    await rowOf(page, id).waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Close the session' }).click();
    await page.getByText('The session is closed').waitFor();
    await page.getByRole('heading', { name: 'No conversation matches' }).waitFor();
  });

  test('an answer of the AI says who wrote it, why, and from what, by keyboard alone', async () => {
    const { page, loginUrl, sandbox, store } = await newInbox('manager', { reducedMotion: 'reduce' });
    await admin(['ai', 'connect', '--store', store.id, '--provider', 'demo']);
    await admin(['store', 'update', '--store', store.id, '--ai', 'on', '--ai-quiet-seconds', '0']);
    const lost = [{ condition_type: 'lead_status', operator: '=', value: 'lost' }];
    for (const body of [
      { name: 'Bia', priority: 2, is_default: true },
      { name: 'Win back', priority: 1, condition_groups: [{ group_index: 0, conditions: lost }] },
    ]) {
      await request('POST', '/agents', { key: store.key, body });
    }
    const content = '# Prices\n\nA haircut costs 60 reais.';
    await request('POST', '/knowledge/documents', { key: store.key, body: { title: 'Prices', content } });
    const { id } = await sandbox.newCustomer('Helena', 'How much is a haircut?');
    await open(page, loginUrl, `/inbox/${id}`);
    await messageOf(page, 'A haircut costs 60 reais.').getByText('Sent', { exact: true }).waitFor();
    await tabTo(page, 'button', 'Why this answer');
    await page.keyboard.press('Enter');
    const why = page.getByRole('dialog', { name: 'Why this answer' });
    await why.getByText('Bia answers: no other agent’s conditions hold, so the default agent does.').waitFor();
    await why.getByText('Win back Its conditions do not hold: the customer is “Lost”').waitFor();
    await why.getByText('Cost').waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('a seller sees their own leads and those without a seller, and reads in words why not another', async () => {
    const { loginUrl, sandbox, store } = await newInbox('seller');
    const other = await invitePerson(store, 'seller', 'Bia Lima');
    const free = await sandbox.newCustomer('Free', 'Hello');
    const taken = await sandbox.newCustomer('Taken', 'Hello');
    const owner = await newPage();
    await open(owner, (await invitePerson(store, 'owner', 'Olga')).loginUrl, `/inbox/${taken.id}`);
    await owner.getByRole('button', { name: 'Seller: No seller' }).click();
    await owner.getByRole('menuitemradio', { name: 'Bia Lima' }).click();
    await eventually(
      () => sandbox.lead(taken.id),
      ({ seller_id }) => seller_id === other.sellerId,
    );
    const page = await newPage();
    await open(page, loginUrl, '/inbox');
    await rowOf(page, free.id).waitFor();
    await eventually(
      () => rowOf(page, taken.id).count(),
      (count) => count === 0,
    );
    expect(await page.getByRole('combobox', { name: 'Seller' }).count()).toBe(0);
    await page.goto(`${addresses.console_url}/inbox/${taken.id}`);
    await page.getByText('another seller has it now').waitFor();
  });

  test('hostile text is shown as text', async () => {
    const { page, loginUrl, sandbox } = await newInbox('owner', { viewport: { width: 390, height: 800 } });
    const evil = '<img src=x onerror="document.title=1">\u202e\u200b';
    const { id, name, phone } = await sandbox.newCustomer(`${evil}${'n'.repeat(100)}`, `${evil}${'W'.repeat(4_000)}`);
    const ad = { source_url: 'javascript:document.title=1', headline: `${evil}${'H'.repeat(900)}` };
    await sandbox.write(name, phone, 'From here', { referral: ad });
    await open(page, loginUrl, '/inbox');
    await rowOf(page, id).getByText('<img src=x').first().waitFor();
    expect(await fits(page)).toBe(true);
    await rowOf(page, id).click();
    await messageOf(page, 'WWWW').waitFor();
    const fromAd = messageOf(page, 'From an ad');
    await fromAd.getByText('HHHH').waitFor();
    expect(await fromAd.getByRole('link').count()).toBe(0);
    expect(await page.locator('img').count()).toBe(0);
    expect(await fits(page)).toBe(true);
    const overflow = await messageOf(page, 'WWWW').evaluate((element) => element.scrollWidth > element.clientWidth);
    expect(overflow).toBe(false);
  });

  test('axe finds nothing', async () => {
    const { page, loginUrl, sandbox } = await newInbox('owner', { reducedMotion: 'reduce' });
    await open(page, loginUrl, '/inbox');
    await page.getByRole('heading', { name: 'No conversations yet' }).waitFor();
    expect(await violations(page)).toEqual([]);
    const { id, name, phone } = await sandbox.newCustomer('Helena', 'Hello');
    const ad = { source_type: 'post', source_url: 'https://fb.me/cut', headline: 'Cut and wash' };
    await sandbox.write(name, phone, 'How much is it?', { referral: ad });
    await sandbox.send(id, 'Your order is ready');
    const failed = await sandbox.newLead('Wrong number', '12015550121');
    await sandbox.send(failed, 'Tomorrow at 10');
    await rowOf(page, failed).click();
    await messageOf(page, 'Tomorrow at 10').getByText('Check the phone').waitFor();
    expect(await violations(page)).toEqual([]);
    await rowOf(page, id).click();
    await messageOf(page, 'Your order is ready').waitFor();
    const fromPost = messageOf(page, 'From a post').filter({ hasText: 'How much is it?' });
    expect(await fromPost.getByRole('link', { name: 'Open it' }).getAttribute('href')).toBe(ad.source_url);
    await composer(page).fill('Hm');
    expect(await violations(page)).toEqual([]);
  });

  test('at no width anything is cut off, and a narrow page shows list or thread', async () => {
    const { page, loginUrl, sandbox } = await newInbox();
    const { id } = await sandbox.newCustomer('Helena Maria do Prado Albuquerque', 'Hello');
    await open(page, loginUrl, '/inbox');
    for (const width of [320, 390, 2560]) {
      await page.setViewportSize({ width, height: 800 });
      await rowOf(page, id).waitFor();
      await expect.poll(() => fits(page), { message: `the list at ${width} px` }).toBe(true);
      await rowOf(page, id).click();
      await messageOf(page, 'Hello').waitFor();
      await expect.poll(() => fits(page), { message: `the thread at ${width} px` }).toBe(true);
      expect(await rowOf(page, id).isVisible()).toBe(width > 720);
      if (width < 720) await page.getByRole('link', { name: 'Back to the list' }).click();
    }
  });

  test('a long list and a long thread render only what is in view, and older messages come without a jump', async () => {
    const { page, loginUrl, sandbox } = await newInbox();
    const { id, phone } = await sandbox.newCustomer('Helena', 'Message 0');
    // Three pages of messages, and two of conversations.
    for (let from = 1; from <= 140; from += 20) {
      await Promise.all(Array.from({ length: 20 }, (_, at) => sandbox.write('Helena', phone, `Message ${from + at}`)));
    }
    for (let from = 0; from < 60; from += 20) {
      await Promise.all(Array.from({ length: 20 }, (_, at) => sandbox.newCustomer(`Customer ${from + at}`, 'Hello')));
    }
    await eventually(
      () => sandbox.lead(id),
      ({ interaction_count }) => interaction_count === 141,
    );
    // Older messages arrive when the test says so.
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/[/]messages[?].*cursor=/, async (route) => {
      await released;
      await route.continue();
    });
    await open(page, loginUrl, `/inbox/${id}`);
    await page.getByRole('article').first().waitFor();
    const list = page.getByRole('group', { name: 'Conversations' });
    const thread = page.getByRole('region', { name: 'Messages' });
    const most = { rows: 0, messages: 0 };
    const count = async () => {
      most.rows = Math.max(most.rows, await page.locator('[data-lead]').count());
      most.messages = Math.max(most.messages, await page.getByRole('article').count());
    };
    const toTop = async () => {
      await thread.evaluate((element) => element.scrollTo(0, 0));
      const top = page.getByRole('article').first().locator('p').first();
      return { text: (await top.textContent()) ?? '', y: (await top.boundingBox())?.y };
    };
    // The list measures its rows after it has shown them, and may move them until then.
    let above = await toTop();
    await eventually(toTop, (top) => {
      const isSame = top.text === above.text && top.y === above.y;
      above = top;
      return isSame;
    });
    const first = thread.getByText(above.text, { exact: true });
    const before = await first.boundingBox();
    release();
    await eventually(
      () => thread.evaluate((element) => element.scrollTop),
      (top) => top > 500,
    );
    const after = await first.boundingBox();
    expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThanOrEqual(2);
    await eventually(async () => {
      await thread.evaluate((element) => element.scrollBy(0, -1_500));
      await count();
      return thread.getByText('Message 0', { exact: true }).count();
    }, Boolean);
    await eventually(async () => {
      await list.evaluate((element) => element.scrollBy(0, 1_500));
      await count();
      return rowOf(page, id).count();
    }, Boolean);
    expect(most.rows).toBeLessThan(50);
    expect(most.messages).toBeLessThan(60);
    await page.getByRole('button', { name: 'To the newest message' }).click();
    await thread
      .getByText(/^Message 1[234]\d$/)
      .last()
      .waitFor();
  });
});
