// Calls: the last requests of all clients, what failed and what was slow marked.
import { button, closeDialogs, element, replaceChildren, section, setText } from './elements.js';
import { bytes, clock, duration, plural } from './words.js';

const slowUs = 1_000_000;
// While they come in, so that a busy host does not keep the page busy, and while somebody reads.
const shownCalls = { live: 40, paused: 500 };

// Another host counts anew.
const keyOf = ({ number, at }) => `${number} ${at}`;
const isFailed = (call) => call.outcome !== 'result';
const isSlow = (call) => call.us >= slowUs;

export class CallsView {
  name = 'calls';
  title = 'Calls';
  #isPaused = false;
  #due = false;

  // `show` goes to a component in the view where it is tried.
  constructor(host, show) {
    this.host = host;
    this.show = show;
    const redraw = () => this.#redraw();
    this.words = element('input', { type: 'search', input: redraw });
    this.outcome = element('select', { change: redraw }, [['', 'all'], ['failed', 'failed'], ['slow', 'slow'], ['notable', 'failed or slow']].map(([value, label]) => element('option', { value }, label)));
    this.components = element('input', { type: 'checkbox', checked: true, change: redraw });
    this.pause = button('Pause', () => this.#togglePause(), { 'aria-pressed': 'false' });
    this.note = element('p', { class: 'dim' });
    this.body = element('tbody');
    const head = ['Time', 'What', 'Plugin', 'Client', 'Took', 'Size', 'Outcome'];
    this.element = element('div', {},
      element('div', { class: 'filters' },
        element('label', {}, 'With the words', this.words), element('label', {}, 'Outcome', this.outcome),
        element('label', { class: 'check' }, this.components, 'Of components only'), this.pause),
      this.note,
      element('table', { class: 'calls' }, element('caption', { class: 'unseen' }, 'Calls, the last one first'),
        element('thead', {}, element('tr', {}, head.map((title) => element('th', { scope: 'col' }, title)))), this.body));
    host.addEventListener('news', ({ detail }) => {
      // Also what is paused: there is another host, or somebody else looks.
      if (detail.reset) this.#redraw();
      else if (detail.calls) this.#changed();
    });
    host.addEventListener('forget', () => {
      closeDialogs(this.element);
      this.words.value = '';
      replaceChildren(this.body);
    });
  }

  shown() {
    this.#redraw();
  }

  #fits(call) {
    if (this.components.checked && !call.component) return false;
    const outcome = this.outcome.value;
    if (outcome === 'failed' && !isFailed(call)) return false;
    if (outcome === 'slow' && !isSlow(call)) return false;
    if (outcome === 'notable' && !isFailed(call) && !isSlow(call)) return false;
    const words = this.words.value.toLowerCase();
    return words === '' || [call.method, call.component, call.plugin, call.client, call.who, call.outcome].join(' ').toLowerCase().includes(words);
  }

  #changed() {
    if (this.#isPaused || this.#due || !this.element.isConnected) return;
    this.#due = true;
    setTimeout(() => {
      this.#due = false;
      if (!this.#isPaused) this.#redraw();
    }, 500);
  }

  // At most twice a second, and what fits on a few screens.
  #redraw() {
    const most = this.#isPaused ? shownCalls.paused : shownCalls.live;
    const fitting = [];
    for (let i = this.host.calls.length - 1; i >= 0 && fitting.length < most; --i) {
      if (this.#fits(this.host.calls[i])) fitting.push(this.host.calls[i]);
    }
    this.#arrange(fitting);
    const { callsLeftOut } = this.host;
    const leftOut = callsLeftOut > 0 ? `; ${plural(callsLeftOut, 'call')} left out, as there were too many at once` : '';
    setText(this.note, `The last ${plural(fitting.length, 'call')}${this.#isPaused ? '' : '; Pause shows more'}${leftOut}`);
  }

  // Rows that stay are not touched, so that whoever is in one stays there.
  #arrange(calls) {
    const wanted = new Set(calls.map(keyOf));
    for (const row of [...this.body.children]) {
      if (!wanted.has(row.key)) row.remove();
    }
    let at = this.body.firstChild;
    for (const call of calls) {
      if (at?.key !== keyOf(call)) at = this.body.insertBefore(this.#row(call), at);
      // Which may have been of today.
      setText(at.querySelector('time'), clock(call.at));
      at = at.nextSibling;
    }
  }

  #row(call) {
    const failed = isFailed(call);
    const name = call.component || call.method;
    const kind = { 'tools/call': 'tools', 'resources/read': 'resources', 'prompts/get': 'prompts' }[call.method];
    const what = kind && call.plugin ? element('button', { type: 'button', class: 'link', click: () => this.show(kind, call.component) }, name) : name;
    const sizes = `${bytes(call.paramsBytes ?? 0)} → ${bytes(call.answerBytes ?? 0)}`;
    const time = new Date(call.at).toISOString();
    const cell = (label, ...content) => element('td', { 'data-label': label }, ...content);
    const made = element('tr', { class: failed ? 'failed' : isSlow(call) ? 'slow' : undefined },
      cell('Time', element('time', { datetime: time, title: time })),
      cell('What', what, call.component && element('span', { class: 'dim' }, ` ${call.method}`)),
      cell('Plugin', call.plugin || '–'),
      cell('Client', call.client || '–', element('span', { class: 'dim' }, ` ${[call.revision, call.who].filter(Boolean).join(' · ')}`)),
      cell('Took', element('span', { class: isSlow(call) ? 'bad' : undefined }, duration(call.us), isSlow(call) && ' slow')),
      cell('Size', this.host.login?.seesBodies ? element('button', { type: 'button', class: 'link', 'aria-label': `Show ${name}`, click: () => this.#open(call) }, sizes) : sizes),
      cell('Outcome', element('span', { class: failed ? 'bad' : undefined }, call.outcome, call.code ? ` ${call.code}` : '')));
    made.key = keyOf(call);
    return made;
  }

  // What it has asked and was answered.
  async #open(call) {
    const { login } = this.host;
    const bodies = await this.host.bodies(call.number).catch((error) => ({ params: error.message, answer: '' }));
    const dialog = element('dialog', { class: 'bodies', close: () => dialog.remove() },
      element('h2', {}, call.component || call.method),
      section('Params', element('pre', { tabindex: 0 }, bodies.params)),
      section('Answer', element('pre', { tabindex: 0 }, bodies.answer)),
      button('Close', () => dialog.close()));
    if (!this.element.isConnected || login !== this.host.login) return;
    this.element.append(dialog);
    dialog.showModal();
  }

  #togglePause() {
    this.#isPaused = !this.#isPaused;
    this.pause.setAttribute('aria-pressed', String(this.#isPaused));
    this.#redraw();
  }
}
