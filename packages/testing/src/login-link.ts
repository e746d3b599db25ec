/** What of Playwright's page is needed here. */
type Page = {
  goto(url: string): Promise<unknown>;
  locator(selector: string): { click(): Promise<void> };
};

/** Opens a login link in a browser, and signs in there: the page of a link waits for a click, in every language. */
export async function openLoginLink(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.locator('main button[data-kind="main"]').click();
}
