// Somebody who listens for changed tools, on a stream that is to stay open; with `further` headers, if they need some.
import http from 'node:http';

import {
  contentHeaders, modernHeaders, modernRequest, newestLegacy, Session,
} from '../../integration/support/http.mjs';
import { sseEvents } from '../../integration/support/sse.mjs';

const changed = 'notifications/tools/list_changed';

export class ListListener {
  isClosed = false;
  heard = 0;

  static async modern(url, further = {}) {
    const method = 'subscriptions/listen';
    const listener = new ListListener();
    await listener.#open(url, 'POST', { ...contentHeaders, ...modernHeaders(method), ...further },
      JSON.stringify(modernRequest(method, { notifications: { toolsListChanged: true } })));
    await listener.#acknowledged; // from then on the subscription is there
    return listener;
  }

  static async legacy(url, further = {}) {
    return ListListener.ofSession(await Session.open(url, newestLegacy, further));
  }

  static async ofSession({ url, headers }) {
    const listener = new ListListener();
    await listener.#open(url, 'GET', { Accept: 'text/event-stream', ...headers });
    return listener;
  }

  close() {
    this.#request.destroy();
  }
  #request;
  #acknowledged;

  #open(url, method, headers, body) {
    return new Promise((resolve, reject) => {
      this.#request = http.request(url, { method, agent: false, headers }, (response) => {
        if (response.statusCode !== 200) return reject(new Error(`a stream is refused with ${response.statusCode}`));
        this.#acknowledged = new Promise((first) => this.#hear(response, first));
        resolve();
      });
      this.#request.on('error', reject);
      this.#request.end(body);
    });
  }

  async #hear(response, first) {
    try {
      for await (const { data } of sseEvents(response)) {
        first();
        if (data && JSON.parse(data).method === changed) ++this.heard;
      }
    } catch {
      // Closed is closed.
    }
    this.isClosed = true;
    first(); // whoever waits for it finds it closed
  }
}
