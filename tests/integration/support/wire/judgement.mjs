// Whether the host may say what it said: a statement's faults, by the official schema of its revision.
import { allowances } from './allowances.mjs';
import { isExtensionNotification, isExtensionRequest, isExtensionResult } from './extensions.mjs';
import { isObject } from './messages.mjs';
import { officialSchema } from './official_schema.mjs';

// What is said before a revision is settled is judged by the last one that begins with initialize.
const unsettledRevision = '2025-11-25';

export function faultsOf(statement) {
  if (statement.fault) return [statement.fault];
  const schema = officialSchema(statement.revision ?? unsettledRevision);
  const allowance = allowances.find((each) => each.covers(statement));
  const { message, request } = allowance ? allowance.asOfficial(statement) : statement;
  if (!isObject(message)) return ['a message is an object'];
  const batch = statement.isBatch ? faultsOfBatch(message, schema) : [];
  return [...batch, ...faultsOfMessage(message, request, schema)];
}

function faultsOfBatch(message, schema) {
  const definition = 'JSONRPCBatchResponse';
  return schema.has(definition) ? schema.faults(definition, [message]) : ['this revision has no batches'];
}

function faultsOfMessage(message, request, schema) {
  if ('method' in message && 'id' in message) return faultsOfRequest(message, schema);
  if ('method' in message) return faultsOfNotification(message, schema);
  return 'error' in message ? faultsOfError(message, schema) : faultsOfResult(message, request, schema);
}

function faultsOfRequest(message, schema) {
  const definition = schema.requestOfServer(message.method);
  if (!definition) return [`a server of this revision does not request ${message.method}`];
  return [...schema.faults('JSONRPCRequest', message), ...schema.faults(definition, message)];
}

function faultsOfNotification(message, schema) {
  const envelope = schema.faults('JSONRPCNotification', message);
  if (isExtensionNotification(schema.revision, message.method)) return envelope;
  const definition = schema.notificationOfServer(message.method);
  if (!definition) return [`a server of this revision does not send ${message.method}`];
  return [...envelope, ...schema.faults(definition, message)];
}

function faultsOfError(message, schema) {
  const envelope = schema.has('JSONRPCErrorResponse') ? 'JSONRPCErrorResponse' : 'JSONRPCError';
  const ofItsCode = schema.errorWithCode(message.error?.code);
  return [...schema.faults(envelope, message), ...(ofItsCode ? schema.faults(ofItsCode, message) : [])];
}

function faultsOfResult(message, request, schema) {
  if (!request) return ['this answers no request that the client sent'];
  const definition = resultDefinition(message.result, request, schema);
  if (!definition) return [`this revision has no method ${request.method} that could have a result`];
  const envelope = schema.has('JSONRPCResultResponse') ? 'JSONRPCResultResponse' : 'JSONRPCResponse';
  return [...schema.faults(envelope, message), ...schema.faults(definition, message.result)];
}

function resultDefinition(result, request, schema) {
  const { revision } = schema;
  if (isExtensionRequest(revision, request.method) || isExtensionResult(revision, result)) return 'Result';
  const name = schema.nameOfRequest(request.method);
  if (!name) return undefined;
  if (result?.resultType === 'input_required' && schema.mayRequireInput(name)) return 'InputRequiredResult';
  if (name === 'CallTool' && request.params?.task && schema.has('CreateTaskResult')) return 'CreateTaskResult';
  return schema.has(`${name}Result`) ? `${name}Result` : 'EmptyResult';
}
