// An MCP App (SEP-1865) in a frame that has an origin of its own, no network and nothing of the page: all that it can do
// is to say something. It may ask for tools and resources of the server; whoever has made the frame decides.
import { element } from './elements.js';

const frameHeights = { least: 60, most: 900 };

export class AppFrame {
  #isReady = false;
  #waiting = [];
  #shown = [];
  #window = null;

  // `tools` calls a tool of the server, `said` hears what the app asks to be told to a model or to a person.
  constructor(html, { callTool, readResource, said }) {
    this.html = html;
    this.callTool = callTool;
    this.readResource = readResource;
    this.said = said;
    this.frame = element('iframe', { class: 'app', sandbox: 'allow-scripts', src: '/frame', title: 'What the app of this tool shows' });
    this.listen = ({ source, data }) => source === this.frame.contentWindow && this.#take(data, source);
    window.addEventListener('message', this.listen);
    this.frame.addEventListener('load', () => this.#load());
  }

  // What the tool was given, and what came of it.
  show(args, result) {
    this.#shown = [
      { method: 'ui/notifications/tool-input', params: { arguments: args } },
      { method: 'ui/notifications/tool-result', params: result },
    ];
    for (const each of this.#shown) this.#tell(each);
  }

  close() {
    window.removeEventListener('message', this.listen);
    this.frame.remove();
  }

  // A frame that comes into the page again has a new window, in which the app begins anew. What it loads after that is the
  // app itself.
  #load() {
    if (this.frame.contentWindow === this.#window) return;
    this.#window = this.frame.contentWindow;
    this.#isReady = false;
    this.#waiting = [...this.#shown];
    this.#window?.postMessage({ html: this.html }, '*');
  }

  #tell(message) {
    if (this.#isReady) this.#send(message);
    else this.#waiting.push(message);
  }

  #send(message, to = this.frame.contentWindow) {
    to?.postMessage({ jsonrpc: '2.0', ...message }, '*');
  }

  async #take(message, from) {
    if (message?.jsonrpc !== '2.0') return;
    const { id, method, params = {} } = message;
    if (method === 'ui/notifications/initialized') {
      this.#isReady = true;
      for (const each of this.#waiting.splice(0)) this.#send(each);
    } else if (method === 'ui/notifications/size-changed' && Number.isFinite(params.height)) {
      this.frame.style.height = `${Math.min(Math.max(params.height, frameHeights.least), frameHeights.most)}px`;
    }
    if (id === undefined || method === undefined) return;
    try {
      this.#send({ id, result: await this.#answer(method, params) }, from);
    } catch (error) {
      this.#send({ id, error: { code: error.code ?? -32603, message: error.message } }, from);
    }
  }

  async #answer(method, params) {
    switch (method) {
      case 'ui/initialize':
        return {
          protocolVersion: '2026-01-26',
          hostInfo: { name: 'mcp-plugin-host dashboard', version: '1' },
          hostCapabilities: { serverTools: {}, serverResources: {} },
          hostContext: {
            theme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
            displayMode: 'inline',
            containerDimensions: { width: this.frame.clientWidth, maxHeight: frameHeights.most },
          },
        };
      case 'tools/call': return this.callTool(params);
      case 'resources/read': return this.readResource(params);
      case 'ui/message':
      case 'ui/update-model-context':
        this.said(method, params);
        return {};
      case 'ping': return {};
      default: throw Object.assign(new Error(`Method not found: ${method}`), { code: -32601 });
    }
  }
}
