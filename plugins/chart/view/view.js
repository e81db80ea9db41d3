// The page's life: it says hello to the client, draws what the tool was given as soon as that is complete, and then the
// result; it follows the client's colours and fonts, and tells it how high it is.
const place = document.getElementById('chart');
const message = document.getElementById('message');
const connection = new Connection(window.parent);

let chart;
let dimensions = {};

function say(text) {
  message.textContent = text;
}

function draw() {
  if (!chart) return;
  const padding = 24;
  const width = Math.max(200, window.innerWidth - padding);
  const own = (width * (chart.height ?? 500)) / (chart.width ?? 800);
  const height = dimensions.height ?? Math.min(own, dimensions.maxHeight ?? own);
  place.replaceChildren(chartDrawing(chart, width, Math.max(150, height - padding)));
  say('');
}

function show(next) {
  if (!isDrawable(next)) return;
  chart = next;
  draw();
}

function showResult({ structuredContent, isError, content }) {
  if (!isError) return show(structuredContent);
  chart = undefined;
  place.replaceChildren();
  say((content ?? []).map((block) => block.text ?? '').join('\n') || 'The chart could not be drawn.');
}

function addFonts(css) {
  const style = document.createElement('style');
  style.textContent = css;
  document.head.append(style);
}

function applyContext({ theme, styles, containerDimensions }) {
  const root = document.documentElement;
  if (theme) root.style.colorScheme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) root.style.setProperty(name, value ?? null);
  if (styles?.css?.fonts) addFonts(styles.css.fonts);
  if (containerDimensions) dimensions = containerDimensions;
  draw();
}

function tellSize() {
  const { width, height } = document.body.getBoundingClientRect();
  connection.notify('ui/notifications/size-changed', { width: Math.ceil(width), height: Math.ceil(height) });
}

connection.onNotification('ui/notifications/tool-input-partial', (params) => show(params.arguments));
connection.onNotification('ui/notifications/tool-input', (params) => show(params.arguments));
connection.onNotification('ui/notifications/tool-result', showResult);
connection.onNotification('ui/notifications/tool-cancelled', () => say('The chart was cancelled.'));
connection.onNotification('ui/notifications/host-context-changed', applyContext);
connection.onRequest('ping', () => ({}));
connection.onRequest('ui/resource-teardown', () => ({}));

const { hostContext } = await connection.request('ui/initialize', {
  protocolVersion: '2026-01-26',
  appInfo: { name: 'chart', version: '1.0.0' },
  appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
});
applyContext(hostContext ?? {});
connection.notify('ui/notifications/initialized');
window.addEventListener('resize', draw);
new ResizeObserver(tellSize).observe(document.body);
