// Debian's Chromium, for what is shown in a browser.
import { existsSync } from 'node:fs';

import puppeteer from 'puppeteer-core';

import { patience } from './patience.mjs';

const program = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

// Options of a test that needs it.
export const withChromium = { skip: !program && 'there is no Chromium: install chromium' };

// Whoever asks for it closes it; `more` are options of puppeteer's.
export function openChromium(more = {}) {
  const options = { executablePath: program, args: ['--no-sandbox'], timeout: 90_000, protocolTimeout: patience };
  return puppeteer.launch({ ...options, ...more });
}

// For the length of the test that `context` belongs to.
export async function launchChromium(context) {
  const browser = await openChromium();
  context.after(() => browser.close());
  return browser;
}
