// An authority that issues certificates for a test, with the program openssl: keys of P-256, times to the second.
import { execFileSync } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

function openssl(...args) {
  return execFileSync('openssl', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

// "20260728120000Z"
function timeText(ms) {
  return new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '');
}

const configuration = (folder) => `[ca]
default_ca = own
[own]
database = ${folder}/index.txt
new_certs_dir = ${folder}
rand_serial = yes
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = supplied
[req]
distinguished_name = none
[none]
`;

export class Authority {
  #folder = mkdtempSync(join(tmpdir(), 'mcp-authority-'));
  #issued = 0;

  constructor(name = 'authority') {
    writeFileSync(this.#file('ca.cnf'), configuration(this.#folder));
    writeFileSync(this.#file('index.txt'), '');
    openssl(
      'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2',
      '-subj', `/CN=${name}`, '-keyout', this.#file('ca.key'), '-out', this.#file('ca.pem'),
    );
    this.pem = readFileSync(this.#file('ca.pem'), 'utf8');
  }

  #file(name) {
    return join(this.#folder, name);
  }

  discard() {
    rmSync(this.#folder, { recursive: true });
  }

  // A certificate and its key, in PEM, for `seconds` from now on. `names` is a subjectAltName as openssl has it.
  issue(name, { names = 'DNS:localhost,IP:127.0.0.1', seconds = 3600, begin = -60 } = {}) {
    const at = this.#file(`${++this.#issued}`);
    openssl(
      'req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', `/CN=${name}`,
      '-keyout', `${at}.key`, '-out', `${at}.csr`,
    );
    writeFileSync(`${at}.cnf`, `subjectAltName = ${names}\n`);
    openssl(
      'ca', '-batch', '-notext', '-config', this.#file('ca.cnf'), '-cert', this.#file('ca.pem'),
      '-keyfile', this.#file('ca.key'), '-in', `${at}.csr`, '-out', `${at}.pem`, '-extfile', `${at}.cnf`,
      '-startdate', timeText(Date.now() + begin * 1000), '-enddate', timeText(Date.now() + seconds * 1000),
    );
    return { cert: readFileSync(`${at}.pem`, 'utf8'), key: readFileSync(`${at}.key`, 'utf8') };
  }
}

// "x5t#S256" (RFC 8705 section 3.1)
export function thumbprint({ cert }) {
  return createHash('sha256').update(new X509Certificate(cert).raw).digest('base64url');
}

export function writePair(folder, { cert, key }) {
  writeFileSync(join(folder, 'server.pem'), cert);
  writeFileSync(join(folder, 'server.key'), key);
  chmodSync(join(folder, 'server.key'), 0o600);
}
