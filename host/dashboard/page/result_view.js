// What a server has answered, each kind of content as what it is. Nothing of it is markup, and no address of it is
// opened: a picture that lies elsewhere is a line of text.
import { button, element, pairs } from './elements.js';
import { jsonTree } from './json_tree.js';
import { bytes } from './words.js';

const maxText = 200_000;
const pictures = /^image\/(png|jpeg|gif|webp|avif|svg\+xml)$/i;
const sounds = /^audio\/[\w.+-]+$/i;

function textElement(text) {
  const words = String(text);
  const shown = element('pre', { class: 'text', tabindex: 0 }, words.slice(0, maxText));
  if (words.length <= maxText) return shown;
  const rest = button(`${bytes(words.length - maxText)} more`, () => {
    shown.textContent = words;
    rest.remove();
  }, { class: 'link' });
  return element('div', {}, shown, rest);
}

// A picture as data is only ever shown as a picture, in which no script runs.
function dataElement(data, mimeType) {
  const source = `data:${mimeType};base64,${String(data).replace(/[^A-Za-z0-9+/=]/g, '')}`;
  if (pictures.test(mimeType)) return element('img', { src: source, alt: `A picture, ${mimeType}` });
  if (sounds.test(mimeType)) return element('audio', { src: source, controls: true });
  return element('p', { class: 'dim' }, `${mimeType || 'Bytes'}, ${bytes(Math.floor(String(data).length * 0.75))}`);
}

function resourceElement(resource) {
  const head = element('p', { class: 'dim' }, `${resource?.uri ?? ''} ${resource?.mimeType ?? ''}`);
  if (typeof resource?.text === 'string') return element('div', {}, head, textElement(resource.text));
  return element('div', {}, head, dataElement(resource?.blob ?? '', resource?.mimeType ?? ''));
}

function contentElement(content, show) {
  switch (content?.type) {
    case 'text': return textElement(content.text);
    case 'image': case 'audio': return dataElement(content.data, String(content.mimeType));
    case 'resource': return resourceElement(content.resource);
    case 'resource_link': return element('p', {}, button(String(content.title ?? content.name ?? content.uri), () => show('resources', String(content.uri)), { class: 'link' }),
      element('span', { class: 'dim' }, ` ${content.uri}`));
    default: return jsonTree(content);
  }
}

function messageElement(message, show) {
  const all = [message.content].flat();
  return element('div', {}, element('h4', {}, String(message.role)), all.map((each) => contentElement(each, show)));
}

// Of a result of tools/call, resources/read or prompts/get.
export function resultElements(result, show) {
  const parts = [];
  if (result.isError) parts.push(element('p', { class: 'problem' }, 'The call failed.'));
  if (typeof result.description === 'string') parts.push(element('p', {}, result.description));
  for (const each of result.content ?? []) parts.push(contentElement(each, show));
  for (const each of result.contents ?? []) parts.push(resourceElement(each));
  for (const each of result.messages ?? []) parts.push(messageElement(each, show));
  if (result.structuredContent !== undefined) parts.push(element('h4', {}, 'Structured content'), jsonTree(result.structuredContent));
  return parts.length > 0 ? parts : [jsonTree(result)];
}

export function errorElements({ message, code, data }) {
  return [
    element('p', { class: 'problem' }, message),
    code !== undefined && pairs([['Code', String(code)]]),
    data !== undefined && jsonTree(data),
  ].filter(Boolean);
}
