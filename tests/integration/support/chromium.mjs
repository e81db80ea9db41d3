// Debian's Chromium, for what is shown in a browser.
import { existsSync } from 'node:fs';

import puppeteer from 'puppeteer-core';

const program = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

// Options of a test that needs it.
export const withChromium = { skip: !program && 'there is no Chromium: install chromium' };

// For the length of the test that `context` belongs to.
export async function launchChromium(context) {
  const browser = await puppeteer.launch({ executablePath: program, args: ['--no-sandbox'], timeout: 90_000 });
  context.after(() => browser.close());
  return browser;
}
