// What a plugin asks its client in the middle of a call: forms, pages to open, texts of a model, roots. The answers go
// back, and the call goes on.
import { button, element } from './elements.js';
import { schemaForm, FormError } from './form.js';
import { jsonTree } from './json_tree.js';

// A question as a form with what can be answered: resolves with the answer.
function question(place, title, content, choices) {
  return new Promise((resolve) => {
    const problem = element('p', { class: 'problem', role: 'alert', hidden: true });
    const answer = (make) => () => {
      try {
        const made = make();
        asked.remove();
        // The button that had the focus is gone.
        place.tabIndex = -1;
        place.focus();
        resolve(made);
      } catch (error) {
        if (!(error instanceof FormError)) throw error;
        problem.hidden = false;
        problem.textContent = error.message;
      }
    };
    const asked = element('section', { class: 'question', 'aria-label': title }, element('h3', {}, title), content, problem,
      element('p', { class: 'actions' }, choices.map(([label, make], i) => button(label, answer(make), { class: i === 0 ? 'first' : undefined }))));
    place.append(asked);
    asked.querySelector('input, select, textarea, button')?.focus();
  });
}

const refusals = [['Decline', () => ({ action: 'decline' })], ['Cancel', () => ({ action: 'cancel' })]];

function elicit(place, params) {
  const words = element('p', {}, String(params.message ?? ''));
  if (params.mode === 'url') {
    // Nothing is opened for a plugin: whoever looks reads the address first.
    return question(place, 'The plugin wants a page to be opened', [words, element('pre', {}, String(params.url))], [['It has been opened', () => ({ action: 'accept' })], ...refusals]);
  }
  const form = schemaForm(params.requestedSchema ?? { type: 'object' });
  return question(place, 'The plugin asks', [words, form.element], [['Answer', () => ({ action: 'accept', content: form.value() })], ...refusals]);
}

function sample(place, params) {
  const text = element('textarea', { rows: 4, 'aria-label': 'What the model says' });
  return question(place, 'The plugin asks for the words of a model', [jsonTree(params), text],
    [['Answer', () => ({ role: 'assistant', model: 'a person', stopReason: 'endTurn', content: { type: 'text', text: text.value } })]]);
}

function listRoots(place) {
  const text = element('textarea', { rows: 3, 'aria-label': 'Roots, a URI a line', placeholder: 'file:///work' });
  const roots = () => ({ roots: text.value.split('\n').map((line) => line.trim()).filter(Boolean).map((uri) => ({ uri })) });
  return question(place, 'The plugin asks which folders it may work in', [text], [['Answer', roots]]);
}

const kindsOfQuestions = { 'elicitation/create': elicit, 'sampling/createMessage': sample, 'roots/list': listRoots };

// The answers to all, by their keys, one after the other.
export async function answersTo(place, requests) {
  const answers = {};
  for (const [key, { method, params = {} }] of Object.entries(requests)) {
    const kind = kindsOfQuestions[method] ?? (() => question(place, `The plugin asks for ${method}`, [jsonTree(params)], [['Answer nothing', () => ({})]]));
    answers[key] = await kind(place, params);
  }
  return answers;
}
