// A components folder of a test's own, and what people do to one: drop a file in, replace it in several ways, take it
// out again.
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { writeWhole } from './whole_file.mjs';

const fixtures = process.env.MCP_FIXTURES;

export function fixture(name) {
  return join(fixtures, `${name}.so`);
}

export class Components {
  static async create(...plugins) {
    const components = new Components(await mkdtemp(join(tmpdir(), 'mcp-integration-')));
    await mkdir(components.file('.'), { recursive: true });
    for (const plugin of plugins) await components.add(plugin);
    return components;
  }

  constructor(folder) {
    this.folder = folder;
  }

  // `name` is relative to the folder for tools, unless it begins with another one: "../prompts/x.so".
  file(name) {
    return join(this.folder, 'components', 'tools', name);
  }
  get root() {
    return join(this.folder, 'components');
  }
  get data() {
    return join(this.folder, 'data');
  }

  async add(plugin, name = `${plugin}.so`) {
    await mkdir(dirname(this.file(name)), { recursive: true });
    await copyFile(fixture(plugin), this.file(name));
  }

  // One of the plugins that this project ships, "resources/files", with its configuration, if any.
  async addShipped(plugin, configuration) {
    const file = this.file(join('..', `${plugin}.so`));
    await mkdir(dirname(file), { recursive: true });
    if (configuration) await writeFile(file.replace(/\.so$/, '.json'), JSON.stringify(configuration));
    await copyFile(join(process.env.MCP_COMPONENTS, `${plugin}.so`), file);
  }

  // As cp does: the same file, its bytes written anew.
  async overwrite(name, plugin) {
    await writeFile(this.file(name), await readFile(fixture(plugin)));
  }

  // As an editor, rsync or `mv` does: another file takes the name.
  async renameOver(name, plugin) {
    const aside = this.file(`.${name}.new`);
    await copyFile(fixture(plugin), aside);
    await rename(aside, this.file(name));
  }

  // The name becomes a link to a file elsewhere, atomically, as deployments switch between releases.
  async switchLink(name, plugin) {
    const release = join(this.root, 'releases', `${plugin}.so`);
    await mkdir(dirname(release), { recursive: true });
    await copyFile(fixture(plugin), release);
    const aside = this.file(`.${name}.link`);
    await symlink(release, aside);
    await rename(aside, this.file(name));
  }

  async write(name, content) {
    await writeWhole(this.file(name), content);
  }

  async read(name) {
    return readFile(this.file(name));
  }

  async removeFile(name) {
    await rm(this.file(name));
  }

  // Also while a host still writes there.
  async discard() {
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
