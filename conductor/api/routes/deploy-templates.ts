/**
 * `/v1/deploy_templates`. API 1.55.
 */
import { randomUUID } from 'node:crypto';
import { DEPLOY_TEMPLATE_FIELDS, DEPLOY_TEMPLATE_LIST_FIELDS } from '@ingot/shared/ironic/resource-fields.ts';
import { badTrait } from '@ingot/shared/ironic/traits.ts';
import { IngotError } from '../../domain/errors.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { DeployTemplate, RecordPatch } from '../../domain/resources.ts';
import { registerCollection } from '../collection.ts';
import type { ApiDeps, App } from '../deps.ts';
import type { FieldValues } from '../resource-body.ts';

const SINCE = 55;
const STEP_INTERFACES = ['bios', 'deploy', 'firmware', 'management', 'power', 'raid', 'vendor'];
const STEP_KEYS = ['interface', 'step', 'args', 'priority'];

const invalid = (text: string): IngotError => new IngotError('invalidParameter', text);

export function registerDeployTemplates(app: App, deps: ApiDeps): void {
  const { store, now } = deps;
  registerCollection<DeployTemplate, Record<string, never>>(app, deps, {
    path: 'deploy_templates',
    key: 'deploy_templates',
    singular: 'deploy template',
    since: SINCE,
    tooNewToChange: 405,
    namesSince: SINCE,
    fields: DEPLOY_TEMPLATE_FIELDS,
    listFields: DEPLOY_TEMPLATE_LIST_FIELDS,
    required: ['name', 'steps'],
    hasDetailPath: false,
    detailSince: SINCE,
    filters: {},
    store: store.deployTemplates,
    filterOf: () => ({}),
    create: (values) =>
      store.deployTemplates.create(
        { ...checkedFields(values), uuid: (values['uuid'] as string | undefined) ?? randomUUID() },
        now(),
      ),
    update: ({ uuid }, values) => store.deployTemplates.update(uuid, checkedFields(values), now()),
    remove: ({ uuid }) => store.deployTemplates.delete(uuid),
  });
}

function checkedFields(values: FieldValues): RecordPatch<DeployTemplate> {
  const { uuid: _uuid, name, steps, ...fields } = values;
  if (name !== undefined) {
    const reason = badTrait(String(name));
    if (reason !== undefined) {
      throw invalid(`Deploy template name '${String(name).slice(0, 80)}' is no trait: it ${reason}.`);
    }
  }
  return {
    ...(fields as RecordPatch<DeployTemplate>),
    ...(name === undefined ? {} : { name: String(name) }),
    ...(steps === undefined ? {} : { steps: checkedSteps(steps as readonly unknown[]) }),
  };
}

/** `{interface, step, args, priority}` each, no step twice. Throws naming the step by its place. */
function checkedSteps(steps: readonly unknown[]): JsonObject[] {
  if (steps.length === 0) throw invalid('Schema error for deploy template: steps must not be empty.');
  const seen = new Set<string>();
  return steps.map((step, index) => {
    const where = `steps[${index}]`;
    if (!isJsonObject(step)) throw invalid(`Schema error for deploy template: ${where} must be an object.`);
    const known = Object.keys(step).filter((key) => STEP_KEYS.includes(key));
    if (known.length !== STEP_KEYS.length || Object.keys(step).length !== STEP_KEYS.length) {
      throw invalid(
        `Schema error for deploy template: ${where} must have ${STEP_KEYS.join(', ')} and nothing else.`,
      );
    }
    const { interface: type, step: name, args, priority } = step;
    if (!STEP_INTERFACES.includes(String(type))) {
      throw invalid(
        `Schema error for deploy template: ${where}.interface must be one of ${STEP_INTERFACES.join(', ')}.`,
      );
    }
    if (typeof name !== 'string' || name === '') {
      throw invalid(`Schema error for deploy template: ${where}.step must be the name of a step.`);
    }
    if (!isJsonObject(args))
      throw invalid(`Schema error for deploy template: ${where}.args must be an object.`);
    const number = typeof priority === 'string' && /^\d{1,9}$/.test(priority) ? Number(priority) : priority;
    if (!Number.isSafeInteger(number) || (number as number) < 0) {
      throw invalid(`Schema error for deploy template: ${where}.priority must be an integer, 0 or more.`);
    }
    const identity = `${String(type)}.${name}`;
    if (seen.has(identity)) throw invalid(`Deploy template has the step ${identity} twice: keep one.`);
    seen.add(identity);
    return { interface: type as string, step: name, args, priority: number as number };
  });
}
