// The page's life: it says hello to the client, shows what host_status has answered, and asks again as long as somebody may
// look at it. What plugins are called becomes text.
const askAgainMs = 2000;
const host = document.getElementById('host');
const rows = document.getElementById('plugins');
const connection = new Connection(window.parent);

function cell(name, value, isBad = false) {
  const made = document.createElement(name);
  made.textContent = value;
  if (name === 'th') made.scope = 'row';
  if (isBad) made.className = 'bad';
  return made;
}

function row({ name, version, calls, errors, in_flight: inFlight }) {
  const made = document.createElement('tr');
  made.append(cell('th', name), cell('td', version), cell('td', calls), cell('td', errors, errors > 0), cell('td', inFlight));
  return made;
}

function span(seconds) {
  const units = [[86_400, 'd'], [3600, 'h'], [60, 'min']];
  const [size, unit] = units.find(([least]) => seconds >= least) ?? [1, 's'];
  return `${Math.floor(seconds / size)} ${unit}`;
}

function show({ structuredContent, isError, content }) {
  if (isError || !structuredContent) {
    host.textContent = (content ?? []).map(({ text }) => text ?? '').join('\n') || 'The server does not answer';
    return;
  }
  const { name, version, uptime_seconds: uptime, plugins } = structuredContent;
  host.textContent = `${name} ${version}, up for ${span(uptime)}${plugins ? '' : '; not everybody may see its plugins'}`;
  rows.parentElement.hidden = !plugins;
  rows.replaceChildren(...(plugins ?? []).map(row));
}

function applyContext({ theme, styles }) {
  const root = document.documentElement;
  if (theme) root.style.colorScheme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) root.style.setProperty(name, value ?? null);
}

function tellSize() {
  const { width, height } = document.body.getBoundingClientRect();
  connection.notify('ui/notifications/size-changed', { width: Math.ceil(width), height: Math.ceil(height) });
}

async function askAgain() {
  if (!document.hidden) await connection.request('tools/call', { name: toolName, arguments: {} }).then(show, () => {});
  setTimeout(askAgain, askAgainMs);
}

connection.onNotification('ui/notifications/tool-result', show);
connection.onNotification('ui/notifications/host-context-changed', applyContext);
connection.onRequest('ping', () => ({}));
connection.onRequest('ui/resource-teardown', () => ({}));

const { hostContext, hostCapabilities } = await connection.request('ui/initialize', {
  protocolVersion: '2026-01-26',
  appInfo: { name: 'server', version: '1.0.0' },
  appCapabilities: { availableDisplayModes: ['inline'] },
});
applyContext(hostContext ?? {});
// The operator may have given it another name.
const toolName = hostContext?.toolInfo?.tool?.name ?? 'host_status';
connection.notify('ui/notifications/initialized');
new ResizeObserver(tellSize).observe(document.body);
// A client that passes no calls on shows what it was given.
if (hostCapabilities?.serverTools) setTimeout(askAgain, askAgainMs);
