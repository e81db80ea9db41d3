// The host that the page looks at: what it tells (one stream of events), and what it is asked for. Everything that is
// kept is bounded.
export const maxCalls = 1000;
export const maxLines = 1000;
// The host says something each second.
const maxSilenceMs = 10_000;

// A refusal, with the words of the host.
export class Refusal extends Error {
  constructor(status, words) {
    super(words);
    this.status = status;
  }
}

async function ask(path, options) {
  const response = await fetch(path, options);
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refusal(response.status, answer.error ?? `The host answers ${response.status}`);
  return answer;
}

const post = (path, body, { headers, signal } = {}) =>
  ask(path, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body), signal });

function keepLast(list, more, most) {
  list.push(...more);
  if (list.length > most) list.splice(0, list.length - most);
}

export class Host extends EventTarget {
  login = null;
  status = null;
  figures = {};
  plugins = new Map(); // by key, in the order of the host
  calls = [];
  lines = [];
  callsLeftOut = 0;
  linesLeftOut = 0;
  state = 'away';
  #stream = null;
  #heardAt = 0;

  constructor() {
    super();
    // A connection may be dead without anybody saying so.
    setInterval(() => {
      if (this.#stream === null || performance.now() - this.#heardAt < maxSilenceMs) return;
      this.#tell('state', 'away');
      this.connect();
    }, 1000);
  }

  // Tells by 'news' what has changed, by 'state' whether it is there: 'live', 'away' or 'locked', and by 'forget' that what
  // has been seen is not for those who look now.
  connect() {
    this.#stream?.close();
    this.#heardAt = performance.now();
    this.#stream = new EventSource('/api/events');
    this.#stream.addEventListener('message', ({ data }) => this.#take(JSON.parse(data)));
    this.#stream.addEventListener('error', () => {
      // One that is refused is not tried again by the browser.
      if (this.#stream.readyState === EventSource.CLOSED) this.#tryAgain(this.#stream);
      else this.#tell('state', 'away');
    });
  }

  // Whoever looks has to log in, or the host has no room just now, or something before it cannot reach it.
  async #tryAgain(stream) {
    if (this.state === 'live') this.#tell('state', 'away');
    const look = new AbortController();
    const status = await fetch('/api/events', { signal: look.signal }).then((response) => response.status, () => 0);
    look.abort();
    if (stream !== this.#stream) return;
    if (status === 401 || status === 403) return this.#tell('state', 'locked');
    this.#tell('state', 'away');
    setTimeout(() => stream === this.#stream && this.connect(), 1000);
  }

  logInByToken(token) {
    return post('/api/login', { token });
  }
  logInByCredential(credential) {
    return post('/api/login/credential', {}, credential ? { headers: { Authorization: `Bearer ${credential}` } } : {});
  }
  logOut() {
    return post('/api/logout', {}, { signal: AbortSignal.timeout(5000) });
  }

  // Hears nothing more, and keeps nothing.
  leave() {
    this.#stream?.close();
    this.#stream = null;
    this.#forget(null);
    this.#tell('forget');
  }

  // "reload", "disable" or "enable" of a plugin's file.
  async command(name, file) {
    const answer = await post(`/api/${name}`, { plugin: file });
    const bad = answer.plugins?.find(({ ok }) => !ok);
    if (bad) throw new Refusal(409, bad.outcome);
    return answer.plugins?.[0]?.outcome ?? 'done';
  }

  details(file) {
    return ask(`/api/plugin?file=${encodeURIComponent(file)}`);
  }

  bodies(number) {
    return ask(`/api/call?number=${number}`);
  }

  #take(news) {
    this.#heardAt = performance.now();
    if (news.reset) {
      const isSomebodyElse = this.login !== null && JSON.stringify(news.login) !== JSON.stringify(this.login);
      this.#forget(news.login);
      if (isSomebodyElse) this.#tell('forget');
      this.#tell('state', 'live');
    }
    if (news.status) {
      this.status = news.status;
      this.beganAt = performance.now() - news.status.host.upSeconds * 1000;
    }
    if (news.figures) this.figures = news.figures;
    for (const [key, row] of Object.entries(news.rows ?? {})) this.plugins.set(key, row);
    if (news.order) this.plugins = new Map(news.order.map((key) => [key, this.plugins.get(key)]));
    keepLast(this.calls, news.calls ?? [], maxCalls);
    keepLast(this.lines, news.log ?? [], maxLines);
    this.callsLeftOut += news.callsLeftOut ?? 0;
    this.linesLeftOut += news.logLeftOut ?? 0;
    this.#tell('news', news);
  }

  #forget(login) {
    Object.assign(this, { login, calls: [], lines: [], callsLeftOut: 0, linesLeftOut: 0 });
    this.plugins.clear();
  }

  #tell(type, detail) {
    if (type === 'state') this.state = detail;
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
