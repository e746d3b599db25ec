import { existsSync } from 'node:fs';

const desktop = '/usr/bin/chromium';
/** The same browser without the windows of a desktop, for which a test would pay in processor time. */
const headless = '/usr/bin/chromium-headless-shell';
const args = ['--no-sandbox', '--disable-gpu'];
// Only a machine that stands still needs so long to start it.
const timeout = 120_000;

/** How tests launch Chromium. Tests in a browser are skipped when there is none at this path. */
export const chromiumOptions = {
  executablePath: process.env.CHROMIUM || (existsSync(headless) ? headless : desktop),
  args,
  timeout,
};

/** How Chromium is launched where it must be the one that people use: for measurements and pictures. */
export const desktopChromiumOptions = { executablePath: process.env.CHROMIUM || desktop, args, timeout };
