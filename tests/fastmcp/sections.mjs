// The sections of the tutorial in both languages. A comment line "section: NAME" begins one; what follows, up to the next
// mark, is its code, and a name that comes again adds to it.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const languages = [
  { name: 'python', title: 'Python', file: 'tutorial.py', comment: '#' },
  { name: 'cpp', title: 'C++', file: 'tutorial.cpp', comment: '//' },
];

// By their names, in the order in which they begin. What stands before the first mark is of no section.
function sectionsOf({ file, comment }) {
  const pieces = new Map();
  let piece = [];
  for (const line of readFileSync(fileURLToPath(new URL(file, import.meta.url)), 'utf8').split('\n')) {
    const [, name] = line.trim().match(`^${comment} section: (.+)$`) ?? [];
    if (name === undefined) {
      piece.push(line);
      continue;
    }
    piece = [];
    pieces.set(name, [...(pieces.get(name) ?? []), piece]);
  }
  return new Map([...pieces].map(([name, all]) => [name, joined(all)]));
}

// With a blank line between the pieces, and at most one anywhere.
function joined(pieces) {
  const text = pieces.map((lines) => lines.join('\n')).join('\n\n');
  return `${text.replace(/\n{3,}/g, '\n\n').replace(/^\n+|\n+$/g, '')}\n`;
}

// [{ name, python, cpp }], in the order of the Python.
export function readSections() {
  const [python, cpp] = languages.map(sectionsOf);
  const lonely = [...python.keys(), ...cpp.keys()].filter((name) => !python.has(name) || !cpp.has(name));
  if (lonely.length > 0) throw new Error(`only one of the languages has the section ${lonely.join(', ')}`);
  return [...python.keys()].map((name) => ({ name, python: python.get(name), cpp: cpp.get(name) }));
}

// Lines of code: neither blank nor only a comment.
export function count(code, { comment }) {
  return code.split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith(comment)).length;
}
