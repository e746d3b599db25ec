/** How Chromium is launched. Tests in a browser are skipped when there is none at this path. */
export const chromiumOptions = {
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
};
