// The official schemas hold the core protocol. What an official extension adds to a revision is judged by what every
// result and every notification must be.

const tasks = {
  // SEP-2663
  requests: ['tasks/get', 'tasks/update', 'tasks/cancel'],
  notifications: ['notifications/tasks'],
  resultTypes: ['task'],
};

const extensions = { '2026-07-28': [tasks] };

const has = (part, revision, name) => (extensions[revision] ?? []).some((each) => each[part].includes(name));

export function isExtensionRequest(revision, method) {
  return has('requests', revision, method);
}
export function isExtensionNotification(revision, method) {
  return has('notifications', revision, method);
}
export function isExtensionResult(revision, result) {
  return has('resultTypes', revision, result?.resultType);
}
