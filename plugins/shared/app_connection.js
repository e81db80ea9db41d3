// Connection: JSON-RPC 2.0 with the client that shows this page, by postMessage, as MCP Apps say (SEP-1865). Messages
// of anybody else are not heard.
class Connection {
  #peer;
  #lastId = 0;
  #waiting = new Map();
  #listeners = new Map();
  #answers = new Map();

  constructor(peer) {
    this.#peer = peer;
    window.addEventListener('message', (event) => {
      if (event.source === peer && event.data?.jsonrpc === '2.0') this.#take(event.data);
    });
  }

  // The result of a request; rejects with the error's message.
  request(method, params) {
    const id = ++this.#lastId;
    this.#send({ id, method, params });
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  notify(method, params = {}) {
    this.#send({ method, params });
  }

  // What to do with a notification.
  onNotification(method, listener) {
    this.#listeners.set(method, listener);
  }

  // What to answer to a request.
  onRequest(method, answer) {
    this.#answers.set(method, answer);
  }

  #send(message) {
    // The client's origin is not known, and nothing that is sent is secret from it.
    this.#peer.postMessage({ jsonrpc: '2.0', ...message }, '*');
  }

  #take(message) {
    if (message.method === undefined) return this.#settle(message);
    if (message.id === undefined) return this.#listeners.get(message.method)?.(message.params ?? {});
    const answer = this.#answers.get(message.method);
    if (answer) this.#send({ id: message.id, result: answer(message.params ?? {}) });
    else this.#send({ id: message.id, error: { code: -32601, message: `Method not found: ${message.method}` } });
  }

  #settle({ id, result, error }) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) waiting?.reject(new Error(error.message));
    else waiting?.resolve(result);
  }
}
