// Files that a host may read at any time: it sees what was there before, or all of what is new.
import { rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

// Writes it beside, under a name that hosts do not look at, and renames it.
export async function writeWhole(file, content) {
  const aside = join(dirname(file), `.${basename(file)}.new`);
  await writeFile(aside, content);
  await rename(aside, file);
}
