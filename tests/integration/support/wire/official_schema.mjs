// The official JSON Schema of each revision, as it lies in shared/spec beside this project, and what it says of a
// method: the definitions of its request, its results and its notifications. The schema is the only source of that.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const folder = new URL('../../../../../shared/spec/', import.meta.url);

// In order, oldest first; empty where the folder is absent.
export const revisions = existsSync(folder) ? readdirSync(folder).sort() : [];

const loaded = new Map();

export function officialSchema(revision) {
  if (!loaded.has(revision)) loaded.set(revision, new OfficialSchema(revision));
  return loaded.get(revision);
}

class OfficialSchema {
  #definitions;
  #pointer;
  #ajv;

  constructor(revision) {
    this.revision = revision;
    const document = JSON.parse(readFileSync(new URL(`${revision}/schema.json`, folder), 'utf8'));
    const isDraft07 = document.$schema.startsWith('http://json-schema.org/draft-07/');
    this.#definitions = isDraft07 ? document.definitions : document.$defs;
    this.#pointer = isDraft07 ? 'schema#/definitions/' : 'schema#/$defs/';
    // Every test compiles them, so that neither is done which costs more than it saves there.
    const quickly = { validateSchema: false, code: { optimize: false } };
    this.#ajv = addFormats(new (isDraft07 ? Ajv : Ajv2020)({ allErrors: true, allowUnionTypes: true, ...quickly }));
    this.#ajv.addSchema(document, 'schema');
  }

  has(definition) {
    return definition in this.#definitions;
  }

  // Why a value does not fit; empty if it does.
  faults(definition, value) {
    const validate = this.#ajv.getSchema(this.#pointer + definition);
    if (validate(value)) return [];
    const faults = validate.errors.map(
      ({ instancePath, message, params }) => `${definition}${instancePath} ${message} ${JSON.stringify(params)}`,
    );
    return [...new Set(faults)].slice(0, 12);
  }

  // "CallTool" of "tools/call", whose definitions are CallToolRequest, CallToolResult and so on.
  nameOfRequest(method) {
    return this.#nameOf(Object.keys(this.#definitions), method, 'Request');
  }

  // The definition of a request or a notification that a server may send.
  requestOfServer(method) {
    return this.#ofServer('Request', method);
  }
  notificationOfServer(method) {
    return this.#ofServer('Notification', method);
  }

  // Whether the method's result may ask the client for input.
  mayRequireInput(name) {
    const result = this.#definitions[`${name}ResultResponse`]?.properties.result;
    return this.#refs(result).includes('InputRequiredResult');
  }

  // The definition of a whole error message, for codes that have one.
  errorWithCode(code) {
    const codeOf = ({ properties }) =>
      properties?.error?.allOf?.map((part) => part.properties?.code?.const).find((each) => each !== undefined);
    return Object.keys(this.#definitions).find((name) => codeOf(this.#definitions[name]) === code);
  }

  #ofServer(kind, method) {
    const names = this.#refs(this.#definitions[`Server${kind}`]);
    const name = this.#nameOf(names, method, kind);
    return name && name + kind;
  }

  #nameOf(names, method, kind) {
    const found = names.find(
      (name) => name.endsWith(kind) && this.#definitions[name].properties?.method?.const === method,
    );
    return found?.slice(0, -kind.length);
  }

  #refs(definition) {
    return (definition?.anyOf ?? []).map(({ $ref }) => $ref.split('/').at(-1));
  }
}
