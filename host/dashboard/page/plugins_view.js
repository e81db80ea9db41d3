// Plugins: a table that is alive, each row of which can be opened.
import { announce, button, element, icon, pairs, replaceChildren, section, setText } from './elements.js';
import { histogram, Sparkline, sparkPoints } from './charts.js';
import { jsonTree } from './json_tree.js';
import { lineElement } from './log_view.js';
import { bytes, count, duration, fileName, rate, span } from './words.js';

const good = new Set(['serving']);
const passing = new Set(['starting', 'draining', 'disabled']);
const toneOf = (state) => (good.has(state) ? 'good' : passing.has(state) ? 'calm' : 'bad');

// How near a plugin is to a limit.
function meter(name, used, limit, show = count) {
  if (!limit) return [name, used === undefined ? 'not limited' : `${show(used)}, not limited`];
  if (used === undefined) return [name, show(limit)];
  const share = Math.min(1, used / limit);
  const bar = element('meter', { min: 0, max: 1, high: 0.8, optimum: 0, value: share, 'aria-label': name });
  return [name, element('span', { class: 'meter' }, bar, `${show(used)} of ${show(limit)}`)];
}

function limitsOf(plugin, { limits, usage = {} }) {
  if (!limits) return null;
  return section('Limits', pairs([
    meter('Calls in flight', plugin.inFlight, limits.callsInFlight),
    meter('Calls at once', Math.min(plugin.inFlight, limits.concurrentCalls), limits.concurrentCalls),
    meter('Memory', usage.memoryBytes, limits.memoryBytes, bytes),
    meter('Open files', usage.openFiles, limits.openFiles),
    ['Processor', `${usage.cpuSeconds === undefined ? '' : `${duration(usage.cpuSeconds * 1_000_000)} used, `}${limits.cpuPercent ? `held to ${limits.cpuPercent} % of one` : 'not limited'}`],
    meter('Time of a call', undefined, limits.callMs * 1000, duration),
    meter('One answer', undefined, limits.resultBytes, bytes),
  ]));
}

function componentsOf(details, show) {
  const kinds = [['Tools', 'tools'], ['Resources', 'resources'], ['Templates', 'templates'], ['Prompts', 'prompts']];
  const lists = kinds.flatMap(([title, kind]) => {
    const all = details.components?.[kind] ?? [];
    if (all.length === 0) return [];
    return [element('h4', {}, title), element('ul', { class: 'plain components' }, all.map((each) => element('li', {},
      element('button', { type: 'button', class: 'link', click: () => show(kind, each.key) }, each.key),
      each.description && element('span', { class: 'dim' }, each.description))))];
  });
  return lists.length > 0 && section('Components', ...lists);
}

// When, and of which version. It may be an earlier one.
function crashWords(history) {
  const crash = history?.find(({ event }) => /^plugin (crashed|cannot start|did not stop well)$/.test(event));
  return crash ? `Last crash, ${new Date(crash.time).toLocaleString()}, version ${crash.version}` : 'Last crash';
}

class Row {
  #perSecond = [];
  #wantsFocus = false;

  constructor(view, key) {
    this.view = view;
    this.key = key;
    this.seen = null; // so many calls at the last tick
    this.spark = new Sparkline('Calls');
    this.cells = Object.fromEntries(['name', 'version', 'state', 'where', 'perSecond', 'calls', 'errors', 'latency'].map((name) => [name, element('span')]));
    this.chip = element('span', { class: 'chip' }, this.cells.state);
    this.opener = element('button', { type: 'button', class: 'opener', 'aria-expanded': 'false', click: () => this.toggle() }, icon(), this.cells.name);
    this.actions = element('span', { class: 'actions' });
    this.problem = element('p', { class: 'problem', hidden: true });
    const cell = (label, ...content) => element('td', { 'data-label': label }, ...content);
    this.element = element('tr', {},
      element('th', { scope: 'row' }, this.opener, element('span', { class: 'dim' }, this.cells.version), this.problem),
      cell('State', this.chip),
      cell('Runs in', this.cells.where),
      cell('Calls a second', element('span', { class: 'rate' }, this.spark.picture, this.cells.perSecond)),
      cell('Calls', this.cells.calls),
      cell('Errors', this.cells.errors),
      cell('p50, p99', this.cells.latency),
      element('td', { class: 'last' }, this.actions));
    this.detail = element('tr', { class: 'detail', hidden: true }, element('td', { colspan: 8 }));
  }

  update(plugin) {
    const before = this.plugin;
    this.plugin = plugin;
    const { cells } = this;
    setText(cells.name, plugin.plugin ?? fileName(plugin.file));
    setText(cells.version, [plugin.version, plugin.digest?.slice(0, 8), plugin.plugin && fileName(plugin.file)].filter(Boolean).join(' · '));
    setText(cells.state, plugin.state);
    this.chip.dataset.tone = toneOf(plugin.state);
    setText(cells.where, this.#place(plugin));
    setText(cells.calls, `${count(plugin.calls ?? 0)}${plugin.inFlight ? ` (${count(plugin.inFlight)} now)` : ''}`);
    setText(cells.errors, count(plugin.errors ?? 0));
    cells.errors.className = plugin.errors > 0 ? 'bad' : '';
    const { p50 = 0, p99 = 0 } = plugin.latencyUs ?? {};
    setText(cells.latency, p99 > 0 ? `${duration(p50)}, ${duration(p99)}` : '–');
    this.#showProblem(plugin);
    if (before?.state !== plugin.state || before === undefined) this.#offerActions();
    if (this.isOpen && before && (before.state !== plugin.state || before.digest !== plugin.digest || before.restarts !== plugin.restarts)) this.load();
  }

  #place(plugin) {
    if (!plugin.isolation) return '–';
    if (plugin.isolation === 'in-process') return 'the host';
    const sandbox = plugin.sandbox?.profile === 'none' ? '' : `, ${plugin.sandbox?.profile}${plugin.sandbox?.lacks.length ? '*' : ''}`;
    const restarts = plugin.restarts > 0 ? `, restarted ${count(plugin.restarts)}×` : '';
    return `${plugin.pid ? `process ${plugin.pid}` : 'no process'}${sandbox}${restarts}`;
  }

  #showProblem(plugin) {
    const words = plugin.reason ?? (toneOf(plugin.state) === 'bad' ? plugin.lastError?.message : undefined);
    this.problem.hidden = !words;
    if (words) setText(this.problem, words);
  }

  #offerActions() {
    const { state } = this.plugin;
    const name = this.plugin.plugin ?? fileName(this.plugin.file);
    const act = (command, label) => button(label, () => this.obey(command), { 'aria-label': `${label} ${name}` });
    this.#wantsFocus ||= this.actions.contains(document.activeElement);
    replaceChildren(this.actions, this.view.host.login?.mayOperate && state !== 'draining' && [
      state !== 'disabled' && act('reload', 'Reload'),
      state === 'disabled' ? act('enable', 'Enable') : act('disable', 'Disable'),
    ]);
    this.#keepFocus();
  }

  // A button that is disabled or replaced has it no more.
  #keepFocus() {
    const first = this.actions.querySelector('button');
    if (!this.#wantsFocus || !first) return;
    this.#wantsFocus = false;
    if (document.activeElement === document.body) first.focus();
  }

  async obey(command) {
    this.view.complain('');
    this.#wantsFocus = this.actions.contains(document.activeElement);
    for (const each of this.actions.children) each.disabled = true;
    try {
      announce(await this.view.host.command(command, this.plugin.file));
    } catch (error) {
      this.view.complain(`${command} ${fileName(this.plugin.file)}: ${error.message}`);
    } finally {
      for (const each of this.actions.children) each.disabled = false;
      this.#keepFocus();
    }
  }

  // After so many seconds, which are more than one where nobody looks.
  tick(seconds) {
    const calls = this.plugin.calls ?? 0;
    const more = this.seen === null || calls < this.seen ? 0 : (calls - this.seen) / seconds;
    this.seen = calls;
    this.#perSecond.push(more);
    if (this.#perSecond.length > sparkPoints) this.#perSecond.shift();
    this.spark.draw(this.#perSecond);
    setText(this.cells.perSecond, rate(more));
    return more;
  }

  get isOpen() {
    return !this.detail.hidden;
  }

  toggle() {
    this.detail.hidden = this.isOpen;
    this.opener.setAttribute('aria-expanded', String(this.isOpen));
    if (this.isOpen) this.load();
  }

  async load() {
    const place = this.detail.firstChild;
    try {
      const details = await this.view.host.details(this.plugin.file);
      replaceChildren(place, element('div', { class: 'parts' }, this.#parts(details)));
    } catch (error) {
      replaceChildren(place, element('p', { class: 'problem' }, error.message));
    }
  }

  #parts(details) {
    const { plugin } = this;
    const chart = histogram(details.times ?? []);
    const remarks = [...(plugin.remarks ?? []), ...(details.remarks ?? [])];
    return [
      section('About', pairs([
        ['File', plugin.file],
        ['Digest', plugin.digest ?? '–'],
        ['Restarts', count(plugin.restarts ?? 0)],
        plugin.sandbox?.lacks.length > 0 && ['* The sandbox lacks', plugin.sandbox.lacks.join('; ')],
        plugin.lastError && ['Last error', `${plugin.lastError.message} (${plugin.lastError.at})`],
      ].filter(Boolean))),
      chart && section('Answer times, of all its versions', chart),
      limitsOf(plugin, details),
      remarks.length > 0 && section('Remarks', element('ul', { class: 'remarks' }, remarks.map((remark) => element('li', {}, remark)))),
      componentsOf(details, this.view.show),
      details.backtrace?.length > 0 && section(crashWords(details.history), element('pre', { tabindex: 0 }, details.backtrace.join('\n'))),
      details.configuration !== undefined && section('Configuration', jsonTree(details.configuration)),
      details.history?.length > 0 && section('What became of it', element('ol', { class: 'plain lines' }, details.history.map(lineElement))),
    ].filter(Boolean);
  }
}

export class PluginsView {
  name = 'plugins';
  title = 'Plugins';
  #rows = new Map();
  #figures = {};
  #tickedAt = performance.now();

  // `show` goes to a component in the view where it is tried.
  constructor(host, show) {
    this.host = host;
    this.show = show;
    this.complaint = element('p', { class: 'problem', role: 'alert', hidden: true });
    this.problems = element('ul', { class: 'problem plain', hidden: true });
    this.body = element('tbody');
    this.empty = element('p', { class: 'empty', hidden: true }, 'No plugins yet. Copy one into ', element('code'), ' and it is here.');
    const figure = (key, label) => {
      this.#figures[key] = element('dd', {}, '–');
      return element('div', {}, element('dt', {}, label), this.#figures[key]);
    };
    const head = ['Plugin', 'State', 'Runs in', 'Calls a second', 'Calls', 'Errors', 'p50, p99', ''];
    this.element = element('div', {},
      element('dl', { class: 'figures' },
        figure('up', 'Up'), figure('calls', 'Calls a second'), figure('sessions', 'Sessions'), figure('streams', 'Streams'), figure('connections', 'Connections'),
        figure('memory', 'Memory'), figure('cpu', 'Processor')),
      this.complaint, this.problems,
      element('table', { class: 'plugins' }, element('caption', { class: 'unseen' }, 'Plugins'),
        element('thead', {}, element('tr', {}, head.map((title) => element(title ? 'th' : 'td', { scope: title ? 'col' : undefined }, title)))), this.body),
      this.empty);
    host.addEventListener('news', ({ detail }) => this.#take(detail));
    host.addEventListener('forget', () => {
      this.#rows.clear();
      replaceChildren(this.body);
      this.complain('');
    });
    setInterval(() => this.#tick(), 1000);
  }

  complain(words) {
    this.complaint.hidden = words === '';
    setText(this.complaint, words);
  }

  #take(news) {
    // What was called while nobody looked was not called within a second.
    if (news.reset) for (const row of this.#rows.values()) row.seen = null;
    if (news.order) this.#arrange();
    for (const key of Object.keys(news.rows ?? {})) this.#rows.get(key)?.update(this.host.plugins.get(key));
    if (news.status) this.#showProblems(news.status);
    if (news.figures) this.#showFigures(news.figures);
  }

  // Rows that stay are not touched, so that whoever is in one stays there.
  #arrange() {
    const { plugins, status } = this.host;
    for (const [key, row] of this.#rows) {
      if (plugins.has(key)) continue;
      row.element.remove();
      row.detail.remove();
      this.#rows.delete(key);
    }
    let at = this.body.firstChild;
    for (const key of plugins.keys()) {
      if (!this.#rows.has(key)) this.#rows.set(key, new Row(this, key));
      const row = this.#rows.get(key);
      if (row.element !== at) this.body.insertBefore(row.element, at);
      if (row.element.nextSibling !== row.detail) row.element.after(row.detail);
      at = row.detail.nextSibling;
    }
    this.empty.hidden = plugins.size > 0;
    setText(this.empty.querySelector('code'), status?.host.components ?? this.host.status?.host.components ?? '');
  }

  #showProblems({ problems = [], configuration }) {
    const all = problems.map(({ path, reason }) => `${path}: ${reason}`);
    if (configuration?.reason) all.push(`The configuration is not taken: ${configuration.reason}`);
    if (configuration?.needRestart?.length) all.push(`These settings need a restart: ${configuration.needRestart.join(', ')}`);
    this.problems.hidden = all.length === 0;
    replaceChildren(this.problems, all.map((words) => element('li', {}, words)));
  }

  #showFigures({ sessions, streams, connections, residentBytes, cpuPercent }) {
    setText(this.#figures.sessions, count(sessions));
    setText(this.#figures.streams, count(streams));
    setText(this.#figures.connections, count(connections));
    setText(this.#figures.memory, bytes(residentBytes));
    setText(this.#figures.cpu, `${rate(cpuPercent)} %`);
  }

  #tick() {
    const now = performance.now();
    const seconds = (now - this.#tickedAt) / 1000;
    this.#tickedAt = now;
    let calls = 0;
    for (const row of this.#rows.values()) calls += row.tick(seconds);
    setText(this.#figures.calls, rate(calls));
    if (this.host.state === 'live') setText(this.#figures.up, span((now - this.host.beganAt) / 1000));
  }
}
