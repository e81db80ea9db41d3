// The modules of the dashboard's page without a host: in a browser, as functions of an empty page.
import { readFile } from 'node:fs/promises';

const folder = new URL('../../../host/dashboard/page/', import.meta.url);

// Runs the modules in the page of `tab`, each after those that it imports, and puts what they export into `modules`.
export async function loadModules(tab, names) {
  const texts = await Promise.all(names.map((name) => readFile(new URL(`${name}.js`, folder), 'utf8')));
  const exported = texts.flatMap((text) => [...text.matchAll(/^export (?:async )?(?:const|class|function\*?) (\w+)/gm)].map(([, name]) => name));
  const script = texts.join('\n').replace(/^import .*$/gm, '').replace(/^export /gm, '');
  await tab.goto('about:blank');
  await tab.evaluate(`(() => { ${script}\n globalThis.modules = { ${exported.join(', ')} }; })()`);
}
