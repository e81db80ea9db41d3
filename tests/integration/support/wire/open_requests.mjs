// The requests of one client that wait for their answer. A client may use an id again, and even twice at once.
import { isModernRequest, isRequest } from './messages.mjs';

const logLevelKey = 'io.modelcontextprotocol/logLevel';

// Whether a notification of the host is about a request, for those that are about one.
const isAbout = {
  'notifications/progress': ({ params }, request) => request.params?._meta?.progressToken === params?.progressToken,
  'notifications/cancelled': ({ params }, request) => request.id === params?.requestId,
  'notifications/message': (_, request) => isModernRequest(request) && logLevelKey in request.params._meta,
};

export class OpenRequests {
  #entries = [];

  // Any message of the client.
  note(message) {
    if (isRequest(message)) this.#entries.push({ request: message, cancelled: false });
    if (message?.method !== 'notifications/cancelled') return;
    const entry = this.#entries.find(({ request }) => request.id === message.params?.requestId);
    if (entry) entry.cancelled = true;
  }

  // The request that a response of the host answers, which is open no more; undefined if there is none. One that was
  // cancelled may be answered all the same, if the answer was under way.
  takeAnsweredBy({ id }) {
    const candidates = this.#entries.filter(({ request }) => request.id === id);
    const answered = candidates.find(({ cancelled }) => !cancelled) ?? candidates[0];
    this.#entries = this.#entries.filter((entry) => entry !== answered);
    return answered?.request;
  }

  // The request that a notification of the host is about; undefined if that cannot be told.
  withNotification(notification) {
    const matches = isAbout[notification.method];
    return matches && this.#entries.find(({ request }) => matches(notification, request))?.request;
  }
}
