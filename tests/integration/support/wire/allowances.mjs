// Where the host is right against the official schema: each case as narrow as can be, with what it rests on.
// `asOfficial` gives what the schema would have accepted, so that all the rest is judged.

const withoutIdInErrors = ['2024-11-05', '2025-03-26', '2025-06-18'];

export const allowances = [
  {
    // "The HTTP response body MAY comprise a JSON-RPC error response that has no `id`." (2025-03-26, 2025-06-18,
    // basic/transports, "Sending Messages to the Server"). Their schemas, like that of 2024-11-05, require an id even of
    // the answer to a message whose id nobody could read; since 2025-11-25 they do not.
    covers: ({ message, revision }) =>
      withoutIdInErrors.includes(revision) && message?.error !== undefined && message.id === undefined,
    asOfficial: ({ message, request }) => ({ message: { ...message, id: 0 }, request }),
  },
  {
    // A client that asks for a resource by a text with characters which no URI has (RFC 3986) breaks the schema; it is
    // answered by the name that it used, because it knows no other.
    covers: ({ message, request }) =>
      request?.method === 'resources/read' && message.result !== undefined && asksBeyondAscii(request),
    asOfficial: ({ message, request }) => {
      const encoded = (content) =>
        content.uri === request.params.uri ? { ...content, uri: encodeURI(content.uri) } : content;
      const result = { ...message.result, contents: message.result.contents?.map(encoded) };
      return { message: { ...message, result }, request };
    },
  },
];

function asksBeyondAscii({ params }) {
  return /[^\x21-\x7e]/.test(params?.uri);
}
