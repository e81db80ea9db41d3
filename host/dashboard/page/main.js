// The page: who looks at it, which view is shown, and whether the host is there.
import { announce, button, closeDialogs, element, replaceChildren, setText } from './elements.js';
import { CallsView } from './calls_view.js';
import { Host } from './host.js';
import { LogView } from './log_view.js';
import { PluginsView } from './plugins_view.js';
import { TryView } from './try_view.js';

const host = new Host();
const at = (id) => document.getElementById(id);

const tryComponent = (kind, key) => { location.hash = `#try/${kind}/${encodeURIComponent(key)}`; };
const views = [new PluginsView(host, tryComponent), new TryView(host), new CallsView(host, tryComponent), new LogView(host)];

// Why a link has not let anybody in.
let refusal = '';

const links = views.map(({ name, title }) => element('a', { href: `#${name}` }, title));

// What somebody has typed may be encoded wrongly.
function decoded(key) {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

// "#try/tools/add" is the view and what it is to show.
function show() {
  const [name, kind, key] = location.hash.slice(1).split('/');
  const view = views.find((each) => each.name === name) ?? views[0];
  for (const [i, link] of links.entries()) {
    if (views[i] === view) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  complain('');
  if (at('content').firstChild !== view.element) {
    closeDialogs(at('content'));
    replaceChildren(at('content'), view.element);
    scrollTo(0, 0);
  }
  document.title = `${view.title} · mcp-plugin-host`;
  view.shown?.();
  if (view.choose && key !== undefined) view.choose(kind, decoded(key));
}

function complain(words) {
  at('complaint').hidden = words === '';
  setText(at('complaint'), words);
}

function logInForm(words) {
  const credential = element('input', { type: 'password', autocomplete: 'off', id: 'credential' });
  const problem = element('p', { class: 'problem', role: 'alert', hidden: !words }, words ?? '');
  const submit = async (event) => {
    event.preventDefault();
    try {
      await host.logInByCredential(credential.value.trim());
      enter();
    } catch (error) {
      problem.hidden = false;
      setText(problem, error.message);
    }
  };
  return element('div', { class: 'login' },
    element('h1', {}, 'mcp-plugin-host'),
    problem,
    element('p', {}, 'On the machine of the host this command prints a link that logs you in:'),
    element('pre', { tabindex: 0 }, 'mcp-plugin-host dashboard'),
    element('form', { submit },
      element('label', { for: 'credential' }, 'Or show a token of yours, if this host takes tokens'), credential,
      element('p', { class: 'actions' }, element('button', { type: 'submit', class: 'first' }, 'Log in'))));
}

function lock(words) {
  announce('');
  complain('');
  host.leave();
  // What somebody has looked at is not for the next one.
  if (location.hash.includes('/')) history.replaceState(null, '', location.hash.split('/')[0]);
  at('bar').hidden = true;
  replaceChildren(at('content'), logInForm(words));
  document.title = 'Log in · mcp-plugin-host';
}

function enter() {
  at('bar').hidden = false;
  host.connect();
  show();
}

async function logOut() {
  try {
    await host.logOut();
  } catch (error) {
    if (error.status !== 401) return complain('The host could not be told; this login is still good. Try again.');
  }
  lock();
}

// By the token of a link, also of one that is pasted into an open page.
function enterByLink() {
  const [, token] = /^#t=([\w-]+)$/.exec(location.hash) ?? [];
  if (token === undefined) return false;
  // Before anything else, so that it stays nowhere.
  history.replaceState(null, '', '/');
  host.logInByToken(token).then(enter, ({ message }) => {
    if (!at('bar').hidden) return complain(message);
    // Whoever is logged in already stays so.
    refusal = message;
    enter();
    complain(message);
  });
  return true;
}

function showState({ detail: state }) {
  const why = refusal;
  if (state !== 'away') refusal = '';
  if (state === 'locked') return lock(why);
  const words = { live: 'live', away: 'The host is away; trying again' }[state];
  at('state').dataset.state = state;
  setText(at('state'), words);
  announce(state === 'away' ? words : '');
}

function showHost({ detail: news }) {
  if (news.reset) setText(at('name'), `${host.login.name}${host.login.mayOperate ? '' : ' (may look)'}`);
  if (news.status) setText(at('version'), host.status.host.version);
}

function begin() {
  replaceChildren(at('views'), links);
  at('leave').append(button('Log out', logOut));
  host.addEventListener('state', showState);
  host.addEventListener('news', showHost);
  window.addEventListener('hashchange', () => enterByLink() || at('bar').hidden || show());
  if (!enterByLink()) enter();
}

begin();
