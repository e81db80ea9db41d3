// Classes stay small: at most 25 functions and 20 members, unless the comment at the head of the file says why its
// functions or members are more. Counts what stands between the braces of each class and struct of the headers, but for
// constructors. With --all it lists what it counted.
// usage: classes.mjs SOURCE_DIR [--all]
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const maxFunctions = 25;
const maxMembers = 20;
const root = process.argv[2];
const folders = ['host', 'worker', 'symbolizer', 'rules', 'plugin-api', 'plugins'];

function* headers(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* headers(file);
    else if (/\.hpp$/.test(entry.name)) yield file;
  }
}

// Comments, texts and lines of the preprocessor have braces and semicolons that mean nothing.
const withoutWords = (text) =>
  text
    .replace(/\/\/.*|\/\*[^]*?\*\//g, '')
    .replace(/R"(\w*)\([^]*?\)\1"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)'/g, '""')
    .replace(/^#(?:.*\\\n)*.*$/gm, '');

// Each with its statements, those of the classes within it left out.
function* classesOf(code) {
  const open = [];
  let statement = '';
  for (let at = 0; at < code.length; ++at) {
    const sign = code[at];
    if (sign === '{') {
      const name = /\b(?:class|struct)\s+(?:\[\[\w+\]\]\s*)?(\w+)(?:<[^>]*>)?(?:\s+final)?\s*(?::[^:][^;]*)?$/.exec(statement)?.[1];
      open.push({ name: /\benum\b|\)/.test(statement) ? undefined : name, statement, statements: [] });
      statement = '';
    } else if (sign === '}') {
      const closed = open.pop();
      statement = closed?.name ? '' : `${closed?.statement ?? ''}{}`;
      if (closed?.name) yield closed;
      // The body of a function ends its statement; a value in braces goes on.
      if (/\)[^()]*\{\}$/.test(statement) && !/^\s*[;,)]/.test(code.slice(at + 1))) {
        open.at(-1)?.statements.push(statement);
        statement = '';
      }
    } else if (sign === ';') {
      open.at(-1)?.statements.push(statement);
      statement = '';
    } else {
      statement += sign;
    }
  }
}

const bare = (statement) =>
  statement
    .replace(/\b(public|private|protected)\s*:/g, '')
    .replace(/\b(GUARDED_BY|PT_GUARDED_BY|REQUIRES|EXCLUDES|ACQUIRE|RELEASE)\([^()]*(\([^()]*\))*[^()]*\)/g, '')
    .trim();
const isNone = /^$|^(using|friend|typedef|static_assert|enum|template[^;]*\b(class|struct)\s+\w+$|class|struct|static\s+(inline\s+)?constexpr|static\s+constinit)\b/;

function countsOf(statements) {
  const counts = { functions: 0, members: 0 };
  for (const each of statements.map(bare)) {
    if (isNone.test(each) && !/^(static\s+constexpr).*\)\s*(const)?\s*(\{\})?$/.test(each)) continue;
    if (/=\s*(default|delete)$/.test(each) || /^(explicit\s+)?~?\w+\(/.test(each)) continue; // not what it does
    const value = each.search(/[={]/);
    const parenthesis = each.replace(/<[^<>]*(<[^<>]*(<[^<>]*>)?[^<>]*>)*[^<>]*>/g, (all) => ' '.repeat(all.length)).indexOf('(');
    if (parenthesis >= 0 && (value < 0 || parenthesis < value || /\boperator/.test(each))) ++counts.functions;
    else ++counts.members;
  }
  return counts;
}

const faults = [];
let classes = 0;
for (const folder of folders) {
  for (const file of headers(path.join(root, folder))) {
    const text = readFileSync(file, 'utf8');
    const head = /^(?:\/\/.*\n)*/.exec(text)[0];
    for (const { name, statements } of classesOf(withoutWords(text))) {
      ++classes;
      const { functions, members } = countsOf(statements);
      if (process.argv[3] === '--all') console.log(`${functions}\t${members}\t${name}\t${path.relative(root, file)}`);
      const isLarge = functions > maxFunctions || members > maxMembers;
      if (!isLarge || /\b(functions?|members?)\b/.test(head)) continue;
      faults.push(`${path.relative(root, file)}: ${name} has ${functions} functions and ${members} members; ` +
                  `make it smaller, or say at the head of the file why its functions or members are more`);
    }
  }
}
for (const fault of faults) console.log(fault);
console.log(`${classes} classes, ${faults.length} too large without a reason`);
process.exit(faults.length > 0 || classes === 0 ? 1 : 0);
