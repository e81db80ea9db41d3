// A JSON value that can be opened level by level. Of what is long the beginning is shown, and the rest when it is asked
// for.
import { button, element } from './elements.js';
import { count, plural } from './words.js';

const maxEntries = 100;
const maxTreeText = 10_000;

const scalar = (value) => element('span', { class: `json ${value === null ? 'null' : typeof value}` },
  typeof value === 'string' ? JSON.stringify(value.length > maxTreeText ? `${value.slice(0, maxTreeText)}…` : value) : String(value));

function entriesElement(entries, from = 0) {
  const list = element('ul', { class: 'plain tree' }, entries.slice(from, from + maxEntries).map(([key, value]) =>
    element('li', {}, nodeElement(value, key))));
  const rest = entries.length - from - maxEntries;
  if (rest > 0) {
    const item = element('li');
    item.append(button(`${count(rest)} more`, () => {
      const more = [...entriesElement(entries, from + maxEntries).children];
      item.replaceWith(...more);
      more[0].tabIndex = -1;
      more[0].focus();
    }, { class: 'link' }));
    list.append(item);
  }
  return list;
}

function nodeElement(value, key, isOpen = false) {
  const label = key === undefined ? null : [element('span', { class: 'key' }, String(key)), ': '];
  if (value === null || typeof value !== 'object') return element('span', {}, label, scalar(value));
  const entries = Object.entries(value);
  const words = Array.isArray(value) ? `[${plural(entries.length, 'item')}]` : `{${plural(entries.length, 'member')}}`;
  if (entries.length === 0) return element('span', {}, label, words);
  const made = element('details', { open: isOpen }, element('summary', {}, label, element('span', { class: 'dim' }, words)));
  // Only when somebody looks.
  const open = () => made.open && made.children.length === 1 && made.append(entriesElement(entries));
  made.addEventListener('toggle', open);
  open();
  return made;
}

export const jsonTree = (value) => element('div', { class: 'json-tree' }, nodeElement(value, undefined, true));
