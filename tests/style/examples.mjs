// Compiles, parses or runs every code block of the README and the documentation, so that none of them lies:
//   cpp: a whole plugin or a whole file: compiled (syntax and types)      c: likewise, as C11
//   json: parsed      toml: checked, as a configuration of the host
//   python: served by the plugin python, if it is built, which must have nothing to complain of
//   sh: run, with the built program first in PATH, in an empty folder with the shipped plugins
//   ts, py: programs of clients; run by tests/integration/sdk_samples.test.mjs and tests/fastmcp
//   go, rust, zig: compiled by tests/languages, where their compilers are
//   a file's name behind the language: shown_files.mjs compares it with that file
//   cmake: shown only; examples/CMakeLists.txt has the like
//   console, nginx: shown only; for what runs for ever or needs a program that is not here
// usage: examples.mjs SOURCE_DIR HOST COMPONENTS_DIR CXX CC [PYTHON_PLUGIN]
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const [source, host, components, cxx, cc, pythonPlugin] = process.argv.slice(2);
const documents = ['README.md', 'CONTRIBUTING.md', 'plugin-api/ABI.md', 'bench/README.md',
  ...readdirSync(path.join(source, 'docs'), { recursive: true }).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)]
  .filter((name) => name !== 'docs/from-fastmcp.md') // has parts of two programs, see tests/fastmcp
  .filter((name) => name !== 'docs/tutorial.md'); // is followed from its beginning to its end by tests/tutorial
const folder = mkdtempSync(path.join(os.tmpdir(), 'examples-'));
symlinkSync(components, path.join(folder, 'mcp_components'));
const include = ['-I', path.join(source, 'plugin-api/include')];
const environment = { ...process.env, PATH: `${path.dirname(host)}:${process.env.PATH}` };

// Nearly all of the time would go into reading the API's header once for each block.
const header = path.join(folder, 'plugin.hpp');
writeFileSync(header, '#include <mcp/plugin.hpp>\n');
const cxxOptions = ['-std=c++20', '-Wall', '-Wextra', '-Werror', ...include];
execFileSync(cxx, [...cxxOptions, '-x', 'c++-header', header, '-o', `${header}.gch`], { stdio: 'pipe' });

const checks = {
  cpp(file) {
    if (!readFileSync(file, 'utf8').includes('#include <mcp/plugin.hpp>')) throw new Error('it does not include <mcp/plugin.hpp>');
    execFileSync(cxx, [...cxxOptions, '-include', header, '-fsyntax-only', file], { stdio: 'pipe' });
  },
  c(file) { execFileSync(cc, ['-std=c11', '-Wall', '-Wextra', '-Werror', '-fsyntax-only', ...include, file], { stdio: 'pipe' }); },
  json(file) { JSON.parse(readFileSync(file, 'utf8')); },
  toml(file) {
    execFileSync(host, ['config', 'check', '--no-files', '--config', file], { cwd: folder, env: environment, stdio: 'pipe' });
  },
  sh(file) { execFileSync('bash', ['-euo', 'pipefail', file], { cwd: folder, env: environment, stdio: 'pipe' }); },
  python(file) {
    if (!pythonPlugin) return;
    const served = path.join(folder, 'python');
    mkdirSync(served, { recursive: true });
    copyFileSync(file, path.join(served, 'example.py'));
    copyFileSync(pythonPlugin, path.join(folder, 'python.so'));
    writeFileSync(path.join(folder, 'python.json'), JSON.stringify({ folder: served }));
    const { status, stdout, stderr } = spawnSync(host, ['inspect', 'python.so'], { cwd: folder, encoding: 'utf8' });
    if (status !== 0 || stderr !== '' || !/^ {2}tool /m.test(stdout)) throw new Error(`it is not served:\n${stdout}${stderr}`);
  },
  console() {},
  ts() {}, // tests/integration/sdk_samples.test.mjs runs them
  py() {}, // tests/fastmcp/client_sample.test.mjs runs them, where FastMCP is
  zig() {}, // tests/languages/zig/project.test.mjs compiles them
  go() {}, // tests/languages/go/project.test.mjs compiles them
  nginx() {}, // tests/integration/unix_socket.test.mjs has one like it
  mermaid() {},
  cmake() {},
  rust() {}, // by the tests of the crate: languages.rust.crates
};

let passed = 0;
const failures = [];
for (const document of documents) {
  const text = readFileSync(path.join(source, document), 'utf8');
  for (const match of text.matchAll(/^```(\w*)( .+)?\n([\s\S]*?)^```$/gm)) {
    const [, language, shownFile, code] = match;
    if (shownFile) continue;
    const place = `${document}:${text.slice(0, match.index).split('\n').length}`;
    const file = path.join(folder, `block.${language}`);
    writeFileSync(file, code);
    try {
      if (!checks[language]) throw new Error(`a block of the unknown language "${language}"`);
      checks[language](file);
      ++passed;
    } catch (error) {
      failures.push(`${place}: ${error.message}\n${error.stdout ?? ''}${error.stderr ?? ''}`);
    }
  }
}
rmSync(folder, { recursive: true });
for (const failure of failures) console.error(failure);
console.log(`${passed} passed, ${failures.length} failed`);
process.exit(failures.length === 0 ? 0 : 1);
