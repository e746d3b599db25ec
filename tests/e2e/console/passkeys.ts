import type { Page } from 'playwright-core';

/** Browsers make no passkeys for an IP address. */
export const atLocalhost = (url: string) => url.replace('//127.0.0.1:', '//localhost:');

/** Gives the browser a device that has passkeys and unlocks itself. */
export async function addDevice(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
  } as const;
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
  });
}
