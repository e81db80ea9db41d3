// Try: every tool, resource, template and prompt, called through the MCP endpoint itself.
import { announce, button, element, replaceChildren, section, setText } from './elements.js';
import { AppFrame } from './app_frame.js';
import { FormError, isEqual, readJson, schemaForm, textsForm } from './form.js';
import { jsonTree } from './json_tree.js';
import { curlOf, McpClient, McpError, parameterHeaders } from './mcp.js';
import { answersTo } from './questions.js';
import { errorElements, resultElements } from './result_view.js';
import { duration, plural } from './words.js';

const maxMessages = 200;
const maxSaid = 20;
// Before what an app asks can be allowed: whoever has just pressed something in it has to read this first.
const allowAfterMs = 700;

const plainName = (name) => name.replace(/(\*|:\d+)$/, '');

// Of a template such as "notes://{folder}/{name}": its variables, without operators and modifiers. That of "docs://*"
// is "*".
export function variablesOf(template) {
  const names = [...template.matchAll(/\{([^}]*)\}|\*/g)].flatMap(([, inside]) =>
    inside === undefined ? ['*'] : inside.replace(/^[+#./;?&]/, '').split(',').map(plainName));
  return [...new Set(names)];
}

// The URI that it stands for with these values: RFC 6570, of which plugins use the simple forms, and "*".
export function expand(template, values) {
  return template.replace(/\{([+#./;?&]?)([^}]*)\}|\*/g, (_, operator, inside) => {
    if (inside === undefined) return encodeURI(values['*'] ?? '');
    const starts = { '#': '#', '.': '.', '/': '/', ';': ';', '?': '?', '&': '&' };
    const between = { '.': '.', '/': '/', ';': ';', '?': '&', '&': '&' }[operator] ?? ',';
    const encode = '+#'.includes(operator) && operator ? encodeURI : encodeURIComponent;
    const parts = inside.split(',').map(plainName).filter((name) => values[name] !== undefined && values[name] !== '')
      .map((name) => (';?&'.includes(operator) && operator ? `${name}=` : '') + encode(values[name]));
    return parts.length > 0 ? (starts[operator] ?? '') + parts.join(between) : '';
  });
}

// What there is of each kind: how it is listed, called and filled in.
const kinds = {
  tools: {
    title: 'Tools', list: 'tools/list', method: 'tools/call', key: ({ name }) => name,
    form: (tool) => schemaForm(tool.inputSchema ?? { type: 'object' }),
    params: (tool, value) => ({ name: tool.name, arguments: value }),
    headers: (tool, value) => Object.fromEntries(parameterHeaders(tool.inputSchema, value)),
  },
  resources: {
    title: 'Resources', list: 'resources/list', method: 'resources/read', key: ({ uri }) => uri,
    form: () => textsForm([]), params: ({ uri }) => ({ uri }),
  },
  templates: {
    title: 'Templates', list: 'resources/templates/list', member: 'resourceTemplates', method: 'resources/read', key: ({ uriTemplate }) => uriTemplate,
    form: ({ uriTemplate }) => textsForm(variablesOf(uriTemplate).map((name) => ({ name }))),
    params: ({ uriTemplate }, value) => ({ uri: expand(uriTemplate, value) }),
  },
  prompts: {
    title: 'Prompts', list: 'prompts/list', method: 'prompts/get', key: ({ name }) => name,
    form: (prompt) => textsForm(prompt.arguments ?? []), params: (prompt, value) => ({ name: prompt.name, arguments: value }),
  },
};

// One component: its form, and what comes of it.
class Trial {
  #running = null;
  #app = null;
  #filled = '';
  #asked = null;
  #hasRefused = false;

  constructor(client, kind, component, show, mcpUrl) {
    Object.assign(this, { client, kind, component, show, mcpUrl });
    this.form = kind.form(component);
    this.json = element('textarea', { class: 'code', rows: 10, spellcheck: 'false', 'aria-label': 'Arguments as JSON', hidden: true });
    this.asJson = element('input', { type: 'checkbox', change: () => this.#switchForm() });
    this.run = element('button', { type: 'submit', class: 'first' }, 'Run');
    this.cancel = button('Cancel', () => this.#running?.abort(), { hidden: true });
    this.copy = button('Copy as curl', () => this.#copyCurl());
    this.problem = element('p', { class: 'problem', role: 'alert', hidden: true });
    this.state = element('p', { class: 'dim', role: 'status' });
    this.progress = element('progress', { hidden: true, 'aria-label': 'Progress of the call' });
    this.questions = element('div');
    this.result = element('div', { class: 'result' });
    this.messages = element('div', { class: 'messages' });
    const submit = (event) => {
      event.preventDefault();
      this.start();
    };
    this.element = element('article', { class: 'trial' },
      element('h2', { tabindex: -1 }, String(component.title ?? component.annotations?.title ?? kind.key(component))),
      element('p', { class: 'dim' }, kind.key(component)),
      component.description && element('p', { class: 'description' }, String(component.description)),
      element('form', { submit, novalidate: true }, this.form.element, this.json,
        element('p', { class: 'actions' }, this.run, this.cancel, this.copy, element('label', { class: 'check' }, this.asJson, 'As JSON'))),
      this.problem, this.state, this.progress, this.questions, this.result,
      element('details', { class: 'raw' }, element('summary', {}, 'Messages'), this.messages),
      element('details', { class: 'raw' }, element('summary', {}, 'Description'), jsonTree(component)));
  }

  value() {
    return this.asJson.checked ? readJson(this.json.value || '{}', 'The text') : this.form.value();
  }

  #switchForm() {
    const isJson = this.asJson.checked;
    try {
      if (isJson) this.json.value = this.#filled = JSON.stringify(this.form.value(), null, 2) ?? '';
      else if (this.json.value !== this.#filled) this.#fillForm(readJson(this.json.value || '{}', 'The text'));
    } catch (error) {
      this.asJson.checked = !isJson;
      return this.#complain(error.message);
    }
    this.json.hidden = !isJson;
    this.form.element.hidden = isJson;
    this.#complain('');
  }

  #fillForm(value) {
    this.form.fill(value);
    if (!isEqual(this.form.value(), value)) throw new FormError('The form cannot show all of this');
  }

  #complain(words) {
    this.problem.hidden = words === '';
    setText(this.problem, words);
  }

  #request() {
    const value = this.value();
    return { value, params: this.kind.params(this.component, value), headers: this.kind.headers?.(this.component, value) ?? {} };
  }

  async #copyCurl() {
    try {
      const { params, headers } = this.#request();
      await navigator.clipboard.writeText(curlOf(this.mcpUrl(), this.client.compose(this.kind.method, params, { headers })));
      announce('Copied');
      setText(this.state, 'Copied. It asks the endpoint that clients use; where that wants a credential, add one.');
    } catch (error) {
      this.#complain(error.message);
    }
  }

  async start() {
    if (this.#running) return;
    let request;
    try {
      request = this.#request();
    } catch (error) {
      if (!(error instanceof FormError)) throw error;
      return this.#complain(error.message);
    }
    this.#begin();
    const began = performance.now();
    try {
      const result = await this.#settled(await this.#ask(this.kind.method, request.params, request.headers), request);
      replaceChildren(this.result, resultElements(result, this.show));
      setText(this.state, `${result.isError ? 'Failed' : 'Done'} after ${duration((performance.now() - began) * 1000)}`);
      await this.#showApp(request.value, result).catch(({ message }) =>
        this.result.append(...errorElements({ message: `Its app cannot be shown: ${message}` })));
    } catch (error) {
      const isCancelled = error.name === 'AbortError';
      setText(this.state, isCancelled ? 'Cancelled' : 'Failed');
      replaceChildren(this.result, isCancelled ? [] : errorElements(error));
      if (!(error instanceof McpError) && !isCancelled && !(error instanceof TypeError)) throw error;
    } finally {
      this.#end();
    }
  }

  #begin() {
    this.#running = new AbortController();
    this.#hasRefused = false;
    this.#complain('');
    this.#app?.close();
    replaceChildren(this.result);
    replaceChildren(this.questions);
    replaceChildren(this.messages);
    setText(this.state, 'Running');
    Object.assign(this.cancel, { hidden: false });
    Object.assign(this.run, { disabled: true });
  }

  #end() {
    this.#running = null;
    this.cancel.hidden = true;
    this.run.disabled = false;
    this.progress.hidden = true;
    replaceChildren(this.questions);
  }

  close() {
    this.#running?.abort();
    this.#app?.close();
    this.#asked?.close();
  }

  #ask(method, params, headers = {}) {
    return this.client.request(method, params, { headers, signal: this.#running.signal, heard: (message, way) => this.#hear(message, way) });
  }

  #hear(message, way) {
    if (this.messages.children.length < maxMessages)
      this.messages.append(element('div', { class: `message ${way}` }, element('span', { class: 'dim' }, way === 'sent' ? '→' : '←'), jsonTree(message)));
    const { method, params } = message;
    if (method === 'notifications/progress') this.#showProgress(params);
    if (method === 'notifications/message') setText(this.state, `${params.level}: ${typeof params.data === 'string' ? params.data : JSON.stringify(params.data)}`);
  }

  #showProgress({ progress, total, message }) {
    this.progress.hidden = false;
    if (total > 0) Object.assign(this.progress, { max: total, value: Math.min(progress, total) });
    else this.progress.removeAttribute('value');
    setText(this.state, `${message ?? 'Running'} (${progress}${total ? ` of ${total}` : ''})`);
  }

  // What a result comes to that is not the last word: a question is answered, a task is waited for.
  async #settled(result, request) {
    let at = result;
    while (at.resultType === 'input_required' || at.resultType === 'task') {
      if (at.resultType === 'task') return this.#followTask(at);
      setText(this.state, 'Waits for an answer');
      const inputResponses = await this.#answer(at.inputRequests ?? {});
      const { requestState } = at;
      at = await this.#ask(this.kind.method, { ...request.params, inputResponses, ...(requestState !== undefined && { requestState }) }, request.headers);
    }
    return at;
  }

  // Ends when the call is cancelled, too.
  #answer(requests) {
    const { signal } = this.#running;
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      answersTo(this.questions, requests).then(resolve, reject);
    });
  }

  async #followTask({ taskId, pollIntervalMs }) {
    const { signal } = this.#running;
    const cancel = () => this.client.request('tasks/cancel', { taskId }).catch(() => {});
    signal.addEventListener('abort', cancel, { once: true });
    for (;;) {
      const task = await this.#ask('tasks/get', { taskId });
      setText(this.state, `Task ${task.status}${task.statusMessage ? `: ${task.statusMessage}` : ''}`);
      if (task.status === 'completed') return task.result;
      if (task.status === 'failed') throw new McpError(task.error ?? { message: 'The task has failed' });
      if (task.status === 'cancelled') throw new McpError({ message: 'The task has been cancelled' });
      if (task.status === 'input_required') await this.#ask('tasks/update', { taskId, inputResponses: await this.#answer(task.inputRequests ?? {}) });
      await new Promise((resolve) => setTimeout(resolve, Math.min(Math.max(pollIntervalMs ?? 500, 100), 2000)));
      signal.throwIfAborted();
    }
  }

  async #showApp(value, result) {
    const uri = this.component._meta?.ui?.resourceUri ?? this.component._meta?.['ui/resourceUri'];
    if (typeof uri !== 'string') return;
    const { signal } = this.#running;
    const { contents } = await this.client.request('resources/read', { uri });
    const html = contents.find(({ text }) => typeof text === 'string')?.text;
    if (html === undefined || signal.aborted) return;
    const said = element('div');
    this.#app = new AppFrame(html, {
      callTool: (params) => this.#callForApp(params),
      readResource: async ({ uri: wanted }) => {
        if (wanted !== uri) await this.#permit(`The app asks to read ${wanted}`, {});
        return this.client.request('resources/read', { uri: wanted });
      },
      said: (method, params) => {
        said.append(section(`The app says by ${method}`, jsonTree(params)));
        if (said.children.length > maxSaid) said.firstChild.remove();
      },
    });
    this.result.prepend(this.#app.frame);
    this.result.append(said);
    this.#app.show(value, result);
  }

  // Whoever looks at the page may use every plugin, and an app is the work of one: what is not the tool that has brought it
  // is for the person to permit.
  async #callForApp({ name, arguments: args = {} }) {
    const isItsOwn = name === this.component.name;
    if (!isItsOwn) await this.#permit(`The app asks to call ${name}`, args);
    const headers = isItsOwn ? this.kind.headers(this.component, args) : {};
    return this.client.request('tools/call', { name, arguments: args }, { headers });
  }

  // In a dialog, which the app can neither move nor cover. One at a time, and none after a refusal, so that no app keeps
  // anybody from the page.
  #permit(words, details) {
    return new Promise((resolve, reject) => {
      const refuse = () => reject(new Error('The person who looks at it has refused'));
      if (this.#asked || this.#hasRefused || !this.element.isConnected) return refuse();
      const close = () => {
        dialog.remove();
        this.#asked = null;
        this.#hasRefused = dialog.returnValue !== 'allow';
        if (this.#hasRefused) refuse();
        else resolve();
      };
      const allow = button('Allow', () => dialog.close('allow'), { disabled: true });
      const dialog = element('dialog', { class: 'asked', close }, element('h2', {}, words), jsonTree(details),
        element('p', { class: 'actions' }, button('Refuse', () => dialog.close(), { class: 'first', autofocus: true }), allow));
      this.#asked = dialog;
      this.element.append(dialog);
      dialog.showModal();
      setTimeout(() => { allow.disabled = false; }, allowAfterMs);
    });
  }
}

export class TryView {
  name = 'try';
  title = 'Try';
  #client = new McpClient();
  #all = [];
  #trial = null;
  #wanted = null;
  #isChosen = false;
  #listedFor = '';
  #isStale = true;
  #reads = 0;

  constructor(host) {
    this.host = host;
    this.words = element('input', { type: 'search', input: () => this.#list(), 'aria-label': 'Find a component', placeholder: 'Find' });
    this.list = element('nav', { 'aria-label': 'Components' });
    this.place = element('div', { class: 'place' });
    this.element = element('div', { class: 'try' }, element('div', { class: 'chooser' }, this.words, this.list), this.place);
    host.addEventListener('news', ({ detail }) => (detail.reset || detail.rows || detail.order) && this.#look());
    host.addEventListener('forget', () => this.#forget());
    this.#forget();
  }

  shown() {
    if (this.#isStale) this.#read();
  }

  // Goes to a component of a kind, as soon as it is listed.
  choose(kind, key) {
    this.#wanted = [kind, key];
    this.#isChosen = true;
    if (!this.#isStale) this.#open();
  }

  // What somebody has tried is not for the next one.
  #forget() {
    this.#trial?.close();
    this.#trial = null;
    this.#wanted = null;
    this.#all = [];
    this.#listedFor = '';
    this.#isStale = true;
    this.#reads += 1;
    this.words.value = '';
    replaceChildren(this.list);
    replaceChildren(this.place, element('p', { class: 'empty' }, 'Choose what to try.'));
  }

  // Whether what is listed may have changed, which is when versions or their components do.
  #look() {
    const now = JSON.stringify([...this.host.plugins.values()].map(({ plugin, digest, components, state, disabledComponents }) => [plugin, digest, components, state, disabledComponents]));
    if (now === this.#listedFor) return;
    this.#listedFor = now;
    this.#isStale = true;
    if (this.element.isConnected) this.#read();
  }

  async #read() {
    this.#isStale = false;
    const read = ++this.#reads;
    let lists;
    let problem;
    try {
      lists = await Promise.all(Object.entries(kinds).map(async ([name, kind]) => {
        const member = kind.member ?? name;
        const all = await this.#client.list(kind.list, member).catch((error) => {
          if (error.code === -32601) return [];
          throw error;
        });
        return [name, kind, all];
      }));
    } catch (error) {
      problem = error.message;
    }
    // Whoever has begun later knows better.
    if (read !== this.#reads) return;
    if (problem !== undefined) {
      this.#isStale = true;
      return replaceChildren(this.list, element('p', { class: 'problem' }, `Nothing can be listed: ${problem}`));
    }
    this.#all = lists;
    this.#list();
    this.#open();
  }

  #list() {
    const words = this.words.value.toLowerCase();
    const fits = (kind, each) => [kind.key(each), each.title, each.description].join(' ').toLowerCase().includes(words);
    const groups = this.#all.map(([name, kind, all]) => [name, kind, all.filter((each) => fits(kind, each))]).filter(([, , all]) => all.length > 0);
    replaceChildren(this.list, groups.map(([name, kind, all]) => [
      element('h3', {}, kind.title, element('span', { class: 'dim' }, ` ${all.length}`)),
      element('ul', { class: 'plain' }, all.map((each) => element('li', {},
        element('button', { type: 'button', class: 'link', 'data-kind': name, 'data-key': kind.key(each), click: () => { location.hash = `#try/${name}/${encodeURIComponent(kind.key(each))}`; } }, kind.key(each))))),
    ]));
    if (groups.length === 0) this.list.append(element('p', { class: 'dim' }, words ? `Nothing has ${plural(words.split(' ').length, 'such word')}.` : 'Nothing is served.'));
    this.#mark();
  }

  #open() {
    if (this.#wanted === null) return;
    const [kind, key] = this.#wanted;
    const component = this.#find(kind, key);
    const isSame = this.#trial && this.#trial.wanted === `${kind}/${key}` && JSON.stringify(this.#trial.component) === JSON.stringify(component);
    if (isSame) {
      this.#isChosen = false;
      return;
    }
    this.#trial?.close();
    this.#trial = null;
    this.#mark();
    if (!component) return replaceChildren(this.place, element('p', { class: 'empty' }, `“${key}” is not served, or not to you.`));
    const show = (toKind, toKey) => { location.hash = `#try/${toKind}/${encodeURIComponent(toKey)}`; };
    try {
      this.#trial = new Trial(this.#client, kinds[kind], component, show, () => this.host.status?.host.url ?? `${location.origin}/mcp`);
    } catch (error) {
      return replaceChildren(this.place, element('p', { class: 'problem' }, `“${key}” cannot be shown: ${error.message}`));
    }
    this.#trial.wanted = `${kind}/${key}`;
    replaceChildren(this.place, this.#trial.element);
    // Not where what is listed has changed while somebody writes.
    if (this.#isChosen) this.#trial.element.querySelector('h2').focus();
    this.#isChosen = false;
  }

  #find(kind, key) {
    const [, , all = []] = this.#all.find(([name]) => name === kind) ?? [];
    const found = all.find((each) => kinds[kind].key(each) === key);
    // A link to a resource may be of one that no list has.
    return found ?? (kind === 'resources' ? { uri: key, name: key } : undefined);
  }

  #mark() {
    const [kind, key] = this.#wanted ?? [];
    for (const each of this.list.querySelectorAll('button')) {
      if (each.dataset.kind === kind && each.dataset.key === key) each.setAttribute('aria-current', 'true');
      else each.removeAttribute('aria-current');
    }
  }
}
