// Shows the OpenAPI document beside it. Everything from the document goes in as text, never as markup.

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** An element with its children; strings become text. */
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const quiet = (text) => element('span', { class: 'quiet' }, text);

function resolve(api, value) {
  if (value?.$ref === undefined) return value ?? {};
  return value.$ref
    .split('/')
    .slice(1)
    .reduce((inner, key) => inner[key], api);
}

/** `string (uuid)`, `array of Node`, `add | remove`. */
function typeText(schema) {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1);
  if (schema.allOf !== undefined) return schema.allOf.map(typeText).join(' and ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeText).join(' or ');
  if (schema.enum !== undefined) return schema.enum.map(String).join(' | ');
  const types = [schema.type ?? 'any'].flat();
  const names = types.map((type) =>
    type === 'array' && schema.items !== undefined ? `array of ${typeText(schema.items)}` : type,
  );
  return `${names.join(' or ')}${schema.format === undefined ? '' : ` (${schema.format})`}`;
}

const limitsText = (schema) =>
  ['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'pattern']
    .filter((key) => schema[key] !== undefined)
    .map((key) => `${key} ${schema[key]}`)
    .join(', ');

function row(name, schema, required, since, place) {
  const notes = [
    place,
    required ? 'required' : '',
    since && `since ${since}`,
    limitsText(schema),
    schema.description,
  ];
  return element(
    'tr',
    {},
    element('td', {}, element('code', {}, name)),
    element('td', {}, typeText(schema)),
    element('td', {}, quiet(notes.filter(Boolean).join('; '))),
  );
}

/** The fields of a schema as a table; those inside of fields behind a fold. */
function schemaView(api, given) {
  const schema = resolve(api, given);
  const parts = [element('p', {}, typeText(given))];
  const required = schema.required ?? [];
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length > 0) {
    const rows = properties.map(([name, value]) =>
      row(name, value, required.includes(name), value['x-since']),
    );
    parts.push(element('table', {}, ...rows));
  }
  for (const [name, value] of [
    ...properties,
    ['each item', schema.items],
    ['each value', schema.additionalProperties],
  ]) {
    for (const inner of innerSchemas(value)) parts.push(fold(name, () => schemaView(api, inner)));
  }
  return parts;
}

/** What there is to unfold in a schema: references, objects with fields, items and choices that are such. */
function innerSchemas(schema) {
  if (typeof schema !== 'object') return [];
  if (schema.$ref !== undefined || schema.properties !== undefined) return [schema];
  return [schema.items, ...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap(innerSchemas);
}

/** Filled when it is opened first, so that schemas that hold each other end. */
function fold(title, fill) {
  const folded = element('details', {}, element('summary', {}, title));
  folded.addEventListener('toggle', () => folded.append(...fill()), { once: true });
  return folded;
}

const contentOf = (part) => Object.entries(part?.content ?? {});

function operationBody(api, operation) {
  const parts = [];
  const parameters = (operation.parameters ?? []).map((given) => resolve(api, given));
  if (parameters.length > 0) {
    const rows = parameters.map((one) =>
      row(one.name, { description: one.description, ...one.schema }, one.required, one['x-since'], one.in),
    );
    parts.push(element('h3', {}, 'Parameters'), element('table', {}, ...rows));
  }
  for (const [type, { schema }] of contentOf(operation.requestBody)) {
    parts.push(element('h3', {}, 'Body ', quiet(type)), ...schemaView(api, schema));
  }
  for (const [status, given] of Object.entries(operation.responses)) {
    const answer = resolve(api, given);
    parts.push(element('h3', {}, `${status === 'default' ? 'Error' : status} `, quiet(answer.description)));
    for (const [, { schema }] of contentOf(answer)) parts.push(...schemaView(api, schema));
  }
  return parts;
}

function operationView(api, path, method, operation) {
  const since = operation['x-since'];
  const view = fold('', () => operationBody(api, operation));
  view.firstChild.append(
    element('span', { class: 'method' }, method.toUpperCase()),
    element('code', {}, path),
    ` ${operation.summary} `,
    quiet([since && `since ${since}`, operation['x-policy']].filter(Boolean).join(', ')),
  );
  view.dataset.text = view.firstChild.textContent.toLowerCase();
  return view;
}

function show(api) {
  document.querySelector('#about').textContent = `${api.info.description} Version ${api.info.version}.`;
  const operations = Object.entries(api.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({ path, method, operation: item[method] })),
  );
  for (const { name } of api.tags) {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    const views = own.map(({ path, method, operation }) => operationView(api, path, method, operation));
    document.querySelector('#operations').append(element('section', {}, element('h2', {}, name), ...views));
  }
}

function filter(text) {
  const words = text.toLowerCase().split(/\s+/);
  for (const section of document.querySelectorAll('section')) {
    const views = [...section.querySelectorAll(':scope > details')];
    for (const view of views) view.hidden = !words.every((word) => view.dataset.text.includes(word));
    section.hidden = views.every((view) => view.hidden);
  }
}

try {
  const answer = await fetch('openapi.json');
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  show(await answer.json());
  document.querySelector('#filter').addEventListener('input', (event) => filter(event.target.value));
} catch (error) {
  document.querySelector('#about').textContent = `The document could not be shown: ${error.message}`;
}
