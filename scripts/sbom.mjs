// Says of what the packages in FOLDER consist, as SPDX 2.3: FOLDER/mcp-plugin-host_VERSION.spdx.json. Each library that a
// program or a plugin is linked with is named with the Debian package and the version that the build machine has it from,
// and so are those that are compiled in.
// usage: sbom.mjs FOLDER
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const [folder] = process.argv.slice(2);
const source = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const run = (...command) => execFileSync(command[0], command.slice(1), { encoding: 'utf8' });
const changelog = (field) => run('dpkg-parsechangelog', '-l', path.join(source, 'debian/changelog'), '-S', field).trim();
const version = changelog('Version');

// Where /lib is /usr/lib, the package may know the file by either name.
function packageOf(file) {
  const real = realpathSync(file);
  for (const name of [real, real.replace(/^\/usr/, '')]) {
    const { status, stdout } = spawnSync('dpkg-query', ['--search', name], { encoding: 'utf8' });
    if (status === 0) return stdout.split(/[:,]/)[0];
  }
  throw new Error(`${file} is of no package; install it with the package manager`);
}
// Of which only headers are used.
const compiledIn = [packageOf('/usr/include/boost/version.hpp'), 'libcli11-dev', 'libtomlplusplus-dev',
  'nlohmann-json3-dev', 'pybind11-dev'];
const system = /^ID="?([a-z]+)/m.exec(readFileSync('/etc/os-release', 'utf8'))[1]; // debian or ubuntu
function described(name) {
  const fields = run('dpkg-query', '--show', '--showformat=${Package}\t${Version}\t${Architecture}\t${Maintainer}\n', name);
  const [found, packageVersion, architecture, maintainer] = fields.split('\n')[0].split('\t');
  return { name: found, version: packageVersion, architecture, maintainer };
}

const work = mkdtempSync(path.join(os.tmpdir(), 'mcp-sbom-'));
for (const deb of readdirSync(folder).filter((name) => name.endsWith(`.deb`) && !name.includes('-dbgsym_')).sort()) {
  run('dpkg-deb', '--extract', path.join(folder, deb), work);
}
const ours = [];
const files = readdirSync(work, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name)).sort();
for (const file of files) {
  const bytes = readFileSync(file);
  if (bytes.subarray(0, 4).toString('latin1') !== '\x7fELF') continue;
  const needed = [...run('readelf', '--dynamic', file).matchAll(/\(NEEDED\).*\[(.*)\]/g)].map(([, name]) => name);
  // A line is "name => path (address)", or, of the loader itself, "path (address)".
  const found = new Map([...run('ldd', file).matchAll(/^\s*(?:\S+ => )?(\/\S+)/gm)].map(([, at]) => [path.basename(at), at]));
  const digests = ['sha1', 'sha256'].map((algorithm) => createHash(algorithm).update(bytes).digest('hex'));
  const libraries = needed.map((name) => ({ name, from: packageOf(found.get(name)) }));
  ours.push({ file: path.relative(work, file), digests, libraries });
}
rmSync(work, { recursive: true });

const idOf = (text) => `SPDXRef-${text.replace(/[^A-Za-z0-9.]+/g, '-')}`;
const debian = [...new Set([...ours.flatMap((each) => each.libraries.map(({ from }) => from)), ...compiledIn])].sort().map(described);
const whole = idOf('mcp-plugin-host');
// Section 7.9 of the specification.
const verificationCode = createHash('sha1').update(ours.map(({ digests }) => digests[0]).sort().join('')).digest('hex');
const packages = [
  {
    SPDXID: whole, name: 'mcp-plugin-host', versionInfo: version, downloadLocation: 'NOASSERTION', filesAnalyzed: true,
    packageVerificationCode: { packageVerificationCodeValue: verificationCode }, licenseInfoFromFiles: ['Apache-2.0'],
    licenseConcluded: 'Apache-2.0', licenseDeclared: 'Apache-2.0', copyrightText: 'NOASSERTION',
  },
  ...debian.map((each) => ({
    SPDXID: idOf(`deb-${each.name}`), name: each.name, versionInfo: each.version, downloadLocation: 'NOASSERTION',
    filesAnalyzed: false, licenseConcluded: 'NOASSERTION', licenseDeclared: 'NOASSERTION', copyrightText: 'NOASSERTION',
    supplier: `Organization: ${each.maintainer.replace(/ <.*/, '')}`,
    externalRefs: [{
      referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl',
      referenceLocator: `pkg:deb/${system}/${encodeURIComponent(each.name)}@${encodeURIComponent(each.version)}?arch=${each.architecture}`,
    }],
  })),
];
const relation = (from, relationshipType, to, comment) => ({
  spdxElementId: from, relationshipType, relatedSpdxElement: to, ...(comment && { comment }),
});
const document = {
  spdxVersion: 'SPDX-2.3', dataLicense: 'CC0-1.0', SPDXID: 'SPDXRef-DOCUMENT', name: `mcp-plugin-host-${version}`,
  creationInfo: {
    created: new Date(Number(changelog('Timestamp')) * 1000).toISOString().replace('.000Z', 'Z'),
    creators: ['Organization: The mcp-plugin-host authors', 'Tool: mcp-plugin-host-sbom'],
  },
  packages,
  files: ours.map(({ file, digests: [sha1, sha256] }) => ({
    SPDXID: idOf(`file-${file}`), fileName: `./${file}`, fileTypes: ['BINARY'],
    checksums: [{ algorithm: 'SHA1', checksumValue: sha1 }, { algorithm: 'SHA256', checksumValue: sha256 }],
    licenseConcluded: 'Apache-2.0', licenseInfoInFiles: ['Apache-2.0'], copyrightText: 'NOASSERTION',
  })),
  relationships: [
    relation('SPDXRef-DOCUMENT', 'DESCRIBES', whole),
    ...compiledIn.map((name) => relation(whole, 'STATIC_LINK', idOf(`deb-${name}`))),
    ...ours.flatMap(({ file, libraries }) => [
      relation(whole, 'CONTAINS', idOf(`file-${file}`)),
      ...libraries.map(({ name, from }) => relation(idOf(`file-${file}`), 'DYNAMIC_LINK', idOf(`deb-${from}`), name)),
    ]),
  ],
};
const digest = createHash('sha256').update(JSON.stringify(document)).digest('hex');
document.documentNamespace = `https://spdx.org/spdxdocs/mcp-plugin-host-${version}-${digest.slice(0, 32)}`;
const target = path.join(folder, `mcp-plugin-host_${version}.spdx.json`);
writeFileSync(target, `${JSON.stringify(document, undefined, 2)}\n`);
const links = ours.reduce((sum, { libraries }) => sum + libraries.length, 0);
console.log(`${target}: ${ours.length} programs and libraries, ${links} links to ${debian.length} packages`);
