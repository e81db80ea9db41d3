// Log: the host's last lines, which come in below.
import { button, element, replaceChildren, setText } from './elements.js';
import { clock, plural } from './words.js';

const levels = ['trace', 'debug', 'info', 'warning', 'error'];
const shownLines = 500;

export function lineElement({ time, level, event, ...others }) {
  const fields = Object.entries(others).map(([name, value]) => [' ', element('span', { class: 'dim' }, `${name}=`), String(value)]);
  return element('li', { class: 'line', 'data-level': level },
    element('time', { datetime: time, title: time }, clock(Date.parse(time))), ' ',
    element('span', { class: 'level' }, level), ' ', element('strong', {}, event), fields);
}

export class LogView {
  name = 'log';
  title = 'Log';
  #isPaused = false;
  #due = false;
  #newLines = 0;

  constructor(host) {
    this.host = host;
    this.level = element('select', { change: () => this.#redraw() }, levels.map((level) => element('option', { value: level, selected: level === 'debug' }, level)));
    this.plugin = element('select', { change: () => this.#redraw() }, element('option', { value: '' }, 'all plugins'));
    this.words = element('input', { type: 'search', input: () => this.#redraw() });
    this.pause = button('Pause', () => this.#togglePause(), { 'aria-pressed': 'false' });
    this.note = element('p', { class: 'dim' });
    this.list = element('ol', { class: 'plain lines', tabindex: 0, 'aria-label': 'Lines of the log' });
    this.element = element('div', {},
      element('div', { class: 'filters' },
        element('label', {}, 'From level', this.level), element('label', {}, 'Plugin', this.plugin),
        element('label', {}, 'With the words', this.words), this.pause),
      this.note, this.list);
    host.addEventListener('news', ({ detail }) => {
      if (detail.reset || detail.log) this.#changed(detail);
      if (detail.order || detail.rows) this.#namePlugins();
    });
    host.addEventListener('forget', () => {
      this.words.value = '';
      this.#redraw();
    });
  }

  shown() {
    this.#redraw();
  }

  #fits(line) {
    if (levels.indexOf(line.level) < levels.indexOf(this.level.value)) return false;
    if (this.plugin.value && line.plugin !== this.plugin.value) return false;
    const words = this.words.value.toLowerCase();
    return words === '' || JSON.stringify(line).toLowerCase().includes(words);
  }

  #changed(news) {
    this.#newLines += news.log?.length ?? 0;
    if (news.reset) this.#newLines = Infinity;
    if (this.#isPaused || this.#due || !this.element.isConnected) return;
    this.#due = true;
    setTimeout(() => {
      this.#due = false;
      this.#append();
    }, 200);
  }

  #append() {
    if (this.#newLines > shownLines) return this.#redraw();
    const more = this.host.lines.slice(this.host.lines.length - this.#newLines).filter((line) => this.#fits(line));
    this.#newLines = 0;
    const follows = this.list.scrollTop + this.list.clientHeight >= this.list.scrollHeight - 30;
    this.list.append(...more.map(lineElement));
    while (this.list.children.length > shownLines) this.list.firstChild.remove();
    if (follows) this.list.scrollTop = this.list.scrollHeight;
    this.#say();
  }

  #redraw() {
    const fitting = this.host.lines.filter((line) => this.#fits(line)).slice(-shownLines);
    this.#newLines = 0;
    replaceChildren(this.list, fitting.map(lineElement));
    this.list.scrollTop = this.list.scrollHeight;
    this.#say();
  }

  #say() {
    const leftOut = this.host.linesLeftOut > 0 ? `; ${plural(this.host.linesLeftOut, 'line')} left out, as there were too many at once` : '';
    setText(this.note, `The last ${plural(this.list.children.length, 'line')}${leftOut}`);
  }

  #togglePause() {
    this.#isPaused = !this.#isPaused;
    this.pause.setAttribute('aria-pressed', String(this.#isPaused));
    if (!this.#isPaused) this.#redraw();
  }

  #namePlugins() {
    const names = [...new Set([...this.host.plugins.values()].map(({ plugin }) => plugin).filter(Boolean))].sort();
    const known = [...this.plugin.options].slice(1).map(({ value }) => value);
    if (names.join('\n') === known.join('\n')) return;
    const chosen = this.plugin.value;
    replaceChildren(this.plugin, element('option', { value: '' }, 'all plugins'), names.map((name) => element('option', { value: name }, name)));
    this.plugin.value = names.includes(chosen) ? chosen : '';
  }
}
