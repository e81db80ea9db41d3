// A form for what a JSON Schema describes. What the form cannot show of a schema is a field for JSON, at that place and
// not for the whole. It checks nothing: the host does, by the same schema, and says where something is wrong.
import { button, element, replaceChildren } from './elements.js';

const maxDepth = 8;
const maxFields = 400;
// Schemas that are looked into, and entries of choices. A short schema can stand for more than anybody waits for.
const maxLooks = 10_000;
const maxReferences = 64;
// What says more of a value than a field could show.
const beyond = ['not', 'if', 'dependentSchemas', 'patternProperties', 'unevaluatedProperties', 'prefixItems', 'contains', '$dynamicRef', '$recursiveRef'];

// Where a value is not what the field must hold: a JSON text that is none, or a number that would become another.
export class FormError extends Error {}

// Also a member that is called __proto__.
const put = (object, name, value) => Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

// Members in whatever order.
export function isEqual(a, b) {
  const inOrder = (_, value) => (isObject(value) ? Object.fromEntries(Object.entries(value).sort()) : value);
  return JSON.stringify(a, inOrder) === JSON.stringify(b, inOrder);
}

// A number as it is written; none that JavaScript would make another integer of, or infinite.
function numberOf(text, name) {
  const value = Number(text);
  if (!Number.isFinite(value)) throw new FormError(`${name} has ${text}, which is more than a browser can hold`);
  if (/^[-+]?\d+$/.test(text) && !Number.isSafeInteger(value)) {
    throw new FormError(`${name} has ${text}, and a browser would change digits beyond ${Number.MAX_SAFE_INTEGER}. `
      + 'Send it with another client');
  }
  return value;
}

// The value of a JSON text whose integers stay as they are.
export function readJson(text, name) {
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new FormError(`${name} is no JSON: ${error.message}`);
  }
  const outsideOfTexts = text.replace(/\\./g, '').replace(/"[^"]*"/g, '');
  for (const number of outsideOfTexts.match(/-?\d[\d.eE+-]*/g) ?? []) numberOf(number, name);
  return value;
}

// What a local reference leads to.
function target(root, ref) {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return undefined;
  let at = root;
  for (const part of ref.slice(2).split('/')) {
    let key = part;
    try {
      key = decodeURIComponent(part);
    } catch { /* then it is meant as it stands */ }
    at = at?.[key.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return at;
}

// One schema of two that hold together; nothing where a form could not show what that means.
function merged(a, b) {
  const both = { ...a, ...b };
  for (const key of Object.keys(a)) {
    if (!(key in b) || JSON.stringify(a[key]) === JSON.stringify(b[key])) continue;
    if (key === 'properties' && isObject(a.properties) && isObject(b.properties)) {
      if (Object.keys(a.properties).some((name) => name in b.properties)) return undefined;
      both.properties = { ...a.properties, ...b.properties };
    } else if (key === 'required' && Array.isArray(a.required) && Array.isArray(b.required)) {
      both.required = [...new Set([...a.required, ...b.required])];
    } else if (!['title', 'description', '$comment', '$defs', 'default', 'examples'].includes(key)) {
      return undefined;
    }
  }
  return both;
}

// A field: `element`, `value()` (undefined: it is left out) and `fill(value)`.
class Fields {
  #made = 0;
  #looks = 0;

  constructor(root) {
    this.root = root;
    this.prefix = `f${Math.random().toString(36).slice(2, 8)}`;
  }

  // The schema without references and allOf; nothing: only JSON will do.
  settle(schema, seen = new Set()) {
    if (schema === true) return {};
    if (++this.#looks > maxLooks || !isObject(schema) || beyond.some((key) => key in schema)) return undefined;
    if (typeof schema.$ref === 'string') {
      if (seen.has(schema.$ref) || seen.size > maxReferences) return undefined;
      const { $ref, ...rest } = schema;
      const found = this.settle(target(this.root, $ref), new Set([...seen, $ref]));
      return found && merged(found, rest);
    }
    if (!Array.isArray(schema.allOf)) return schema;
    const { allOf, ...rest } = schema;
    return allOf.reduce((all, part) => {
      const settled = all && this.settle(part, seen);
      return settled && merged(all, settled);
    }, rest);
  }

  field(schema, { name, required, depth }) {
    const settled = this.settle(schema);
    const about = { name, required, depth, ...this.#words(settled ?? (isObject(schema) ? schema : {})) };
    if (!settled || depth > maxDepth || ++this.#made > maxFields) return this.json(schema, about);
    if ('const' in settled) return this.choice([settled.const], settled, about);
    if (Array.isArray(settled.enum) && (this.#looks += settled.enum.length) > maxLooks) return this.json(schema, about);
    if (Array.isArray(settled.enum)) return this.choice(settled.enum, settled, about);
    const alternatives = settled.oneOf ?? settled.anyOf;
    if (Array.isArray(alternatives)) return this.alternatives(settled, alternatives, about);
    if (Array.isArray(settled.type)) {
      const { type: types, ...rest } = settled;
      return this.alternatives(rest, types.map((type) => ({ type })), about);
    }
    switch (settled.type ?? (isObject(settled.properties) ? 'object' : undefined)) {
      case 'string': return this.text(settled, about);
      case 'number': case 'integer': return this.number(settled, about);
      case 'boolean': return this.boolean(settled, about);
      case 'null': return this.choice([null], settled, about);
      case 'array': return this.array(settled, about);
      case 'object': return this.object(settled, about);
      default: return this.json(schema, about);
    }
  }

  #words(schema) {
    const text = (value) => (typeof value === 'string' ? value : undefined);
    return { title: text(schema.title), description: text(schema.description) };
  }

  #id() {
    this.#made += 1;
    return `${this.prefix}-${this.#made}`;
  }

  // An input with its label and what is said of it.
  #labelled(input, about, hint = '') {
    const id = this.#id();
    input.id = id;
    if (about.required) input.setAttribute('aria-required', 'true');
    const words = [about.description, hint].filter(Boolean);
    const note = words.length > 0 && element('p', { class: 'hint', id: `${id}-hint` }, words.map((each) => element('span', {}, each)));
    if (note) input.setAttribute('aria-describedby', note.id);
    const label = about.title && about.title !== about.name ? [about.title, element('span', { class: 'dim' }, ` ${about.name}`)] : [about.name];
    return element('div', { class: 'field' }, element('label', { for: id }, label, about.required && element('span', { class: 'required', title: 'required' }, ' *')), input, note);
  }

  json(schema, about) {
    const input = element('textarea', { rows: 3, spellcheck: 'false', class: 'code', placeholder: 'JSON' });
    if (isObject(schema) && 'default' in schema) input.value = JSON.stringify(schema.default, null, 1);
    return {
      element: this.#labelled(input, about, 'As JSON.'),
      value() {
        if (input.value.trim() === '') return undefined;
        try {
          return readJson(input.value, about.name);
        } catch (error) {
          input.focus();
          throw error;
        }
      },
      fill: (value) => { input.value = value === undefined ? '' : JSON.stringify(value, null, 1); },
    };
  }

  choice(values, schema, about) {
    const fallback = values.findIndex((each) => JSON.stringify(each) === JSON.stringify(schema.default));
    const options = values.map((each, i) => element('option', { value: i, selected: i === fallback }, typeof each === 'string' ? each : JSON.stringify(each)));
    const input = element('select', {}, !about.required && element('option', { value: '' }, '–'), options);
    return {
      element: this.#labelled(input, about),
      value: () => (input.value === '' ? undefined : values[Number(input.value)]),
      fill: (value) => { input.value = String(values.findIndex((each) => JSON.stringify(each) === JSON.stringify(value))).replace('-1', ''); },
    };
  }

  text(schema, about) {
    const types = { date: 'date', time: 'text', 'date-time': 'text', email: 'email', uri: 'url' };
    const isLong = (schema.maxLength ?? 0) > 200 || schema.contentMediaType !== undefined;
    const input = isLong ? element('textarea', { rows: 2 }) : element('input', { type: types[schema.format] ?? 'text', spellcheck: 'false' });
    const examples = Array.isArray(schema.examples) ? schema.examples.filter((each) => typeof each === 'string') : [];
    if (examples.length > 0) input.placeholder = examples[0];
    const isGiven = typeof schema.default === 'string';
    if (isGiven) input.value = schema.default;
    const hints = [schema.format && `Format ${schema.format}.`, schema.pattern && `Pattern ${schema.pattern}.`];
    // By what the form was filled with, until somebody writes here.
    let isLeftOut = false;
    input.addEventListener('input', () => { isLeftOut = false; });
    return {
      element: this.#labelled(input, about, hints.filter(Boolean).join(' ')),
      // An empty text is one where it must be there, or was a text before.
      value: () => (isLeftOut || (input.value === '' && !about.required && !isGiven) ? undefined : input.value),
      fill: (value) => {
        input.value = value ?? '';
        isLeftOut = value === undefined;
      },
    };
  }

  number(schema, about) {
    const input = element('input', { type: 'text', inputmode: 'decimal', spellcheck: 'false' });
    if (typeof schema.default === 'number') input.value = schema.default;
    const bounds = [
      ['minimum', 'at least'], ['exclusiveMinimum', 'more than'], ['maximum', 'at most'], ['exclusiveMaximum', 'less than'], ['multipleOf', 'a multiple of'],
    ].filter(([key]) => typeof schema[key] === 'number').map(([key, words]) => `${words} ${schema[key]}`);
    const kind = schema.type === 'integer' ? 'A whole number' : 'A number';
    return {
      element: this.#labelled(input, about, `${kind}${bounds.length > 0 ? `, ${bounds.join(', ')}` : ''}.`),
      value: () => {
        const text = input.value.trim();
        if (text === '') return undefined;
        // What is no number goes as it is, and the host says so.
        return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? numberOf(text, about.name) : text;
      },
      fill: (value) => { input.value = value ?? ''; },
    };
  }

  boolean(schema, about) {
    return this.choice([true, false], about.required && schema.default === undefined ? { default: false } : schema, about);
  }

  object(schema, about) {
    const required = new Set(Array.isArray(schema.required) ? schema.required : []);
    const names = Object.keys(isObject(schema.properties) ? schema.properties : {});
    if (names.length === 0) {
      if (schema.additionalProperties === false || about.depth === 0) return this.#emptyObject(schema, about);
      return this.json(schema, about);
    }
    const fields = names.map((name) => [name, this.field(schema.properties[name], { name, required: required.has(name), depth: about.depth + 1 })]);
    const isOpen = isObject(schema.additionalProperties) || schema.additionalProperties === true;
    const more = isOpen ? this.json({}, { name: 'further members', required: false, depth: about.depth, description: 'An object.' }) : null;
    const inner = [...fields.map(([, field]) => field.element), more?.element];
    return {
      element: about.depth === 0 ? element('div', {}, inner) : element('fieldset', {}, element('legend', {}, about.title ?? about.name, about.required && ' *'), about.description && element('p', { class: 'hint' }, about.description), inner),
      value() {
        const all = {};
        for (const [name, field] of fields) {
          const each = field.value();
          if (each !== undefined) put(all, name, each);
        }
        const others = more?.value() ?? {};
        if (!isObject(others)) throw new FormError('further members must be an object, such as {"name": 1}');
        for (const [name, each] of Object.entries(others)) put(all, name, each);
        return Object.keys(all).length === 0 && !about.required && about.depth > 0 ? undefined : all;
      },
      fill(value) {
        for (const [name, field] of fields) field.fill(value?.[name]);
        const rest = Object.entries(value ?? {}).filter(([name]) => !names.includes(name));
        more?.fill(rest.length > 0 ? Object.fromEntries(rest) : undefined);
      },
    };
  }

  // Of the top, or of what can have no members.
  #emptyObject(schema, about) {
    if (about.depth === 0 && schema.additionalProperties !== false && schema.additionalProperties !== undefined) return this.json(schema, { ...about, name: 'arguments' });
    return { element: element('p', { class: 'hint' }, about.depth === 0 ? 'There is nothing to fill in.' : `${about.name}: an empty object`), value: () => (about.required || about.depth === 0 ? {} : undefined), fill: () => {} };
  }

  array(schema, about) {
    if (schema.items === undefined || typeof schema.items === 'boolean' || !this.settle(schema.items)) return this.json(schema, about);
    const items = [];
    const list = element('div', { class: 'items' });
    const adder = button('Add', () => add(), { 'aria-label': `Add to ${about.name}` });
    const place = (item) => {
      const remove = button('Remove', () => {
        items.splice(items.indexOf(item), 1);
        (row.nextElementSibling?.lastElementChild ?? adder).focus();
        row.remove();
      }, { 'aria-label': `Remove this entry of ${about.name}` });
      const row = element('div', { class: 'item' }, item.element, remove);
      list.append(row);
    };
    const add = (value) => {
      const item = this.field(schema.items, { name: `${about.name}[${items.length}]`, required: true, depth: about.depth + 1 });
      if (value !== undefined) item.fill(value);
      items.push(item);
      place(item);
    };
    const least = Math.min(Number.isInteger(schema.minItems) ? schema.minItems : 0, 5);
    const fill = (values) => {
      items.length = 0;
      replaceChildren(list);
      for (const value of values ?? []) add(value);
    };
    if (Array.isArray(schema.default)) fill(schema.default);
    else for (let i = 0; i < least; ++i) add();
    return {
      element: element('fieldset', {}, element('legend', {}, about.title ?? about.name, about.required && ' *'), about.description && element('p', { class: 'hint' }, about.description), list, adder),
      value: () => (items.length === 0 && !about.required ? undefined : items.map((item) => item.value() ?? null)),
      fill,
    };
  }

  // One of several forms: a select says which, and what all have in common is in each.
  alternatives(schema, all, about) {
    const { oneOf, anyOf, ...common } = schema;
    const settled = all.map((each) => this.settle(each)).map((each) => each && merged(common, each));
    if (settled.some((each) => !each)) return this.json(schema, about);
    // Constants with words for each are one choice.
    if (settled.every((each) => 'const' in each)) return this.#titledChoice(settled, schema, about);
    const nameOf = (each, i) => each.title ?? (typeof each.type === 'string' ? each.type : `form ${i + 1}`);
    const place = element('div');
    let chosen = null;
    const choose = (i) => {
      chosen = i < 0 ? null : this.field(settled[i], { ...about, name: about.name });
      replaceChildren(place, chosen?.element);
    };
    const select = element('select', { 'aria-label': `Kind of ${about.name}`, change: () => choose(Number(select.value)) },
      !about.required && element('option', { value: -1 }, '–'), settled.map((each, i) => element('option', { value: i }, nameOf(each, i))));
    choose(about.required ? 0 : -1);
    return {
      element: element('fieldset', {}, element('legend', {}, about.title ?? about.name, about.required && ' *'), select, place),
      value: () => chosen?.value(),
      fill: (value) => {
        const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
        const fitting = settled.findIndex((each) => each.type === type || (each.type === 'integer' && Number.isInteger(value)));
        select.value = String(value === undefined ? -1 : Math.max(fitting, 0));
        choose(Number(select.value));
        chosen?.fill(value);
      },
    };
  }

  #titledChoice(settled, schema, about) {
    const field = this.choice(settled.map((each) => each.const), schema, about);
    for (const option of field.element.querySelectorAll('option')) {
      const title = settled[Number(option.value)]?.title;
      if (option.value !== '' && typeof title === 'string') option.textContent = title;
    }
    return field;
  }
}

// The form of an object's schema: arguments of a tool, or what a plugin asks for.
export function schemaForm(schema) {
  const fields = new Fields(schema);
  const about = { name: 'arguments', required: true, depth: 0 };
  try {
    const settled = fields.settle(schema);
    const isForm = settled && (settled.type === 'object' || settled.type === undefined) && !settled.oneOf && !settled.anyOf;
    if (isForm) return fields.object(settled, about);
  } catch { /* a schema that is none */ }
  return fields.json(schema, about);
}

// The form of a prompt's arguments, or of a template's variables: each is a text.
export function textsForm(all) {
  return schemaForm({
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(all.map(({ name, title, description }) => [name, { type: 'string', title, description }])),
    required: all.filter(({ required }) => required).map(({ name }) => name),
  });
}
