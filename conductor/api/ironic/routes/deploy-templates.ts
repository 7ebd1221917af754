/**
 * `/v1/deploy_templates`. API 1.55.
 */
import { randomUUID } from 'node:crypto';
import { DEPLOY_TEMPLATE_FIELDS, DEPLOY_TEMPLATE_LIST_FIELDS } from '@ingot/shared/ironic/resource-fields.ts';
import { badTrait } from '@ingot/shared/ironic/traits.ts';
import { IngotError } from '../../../domain/errors.ts';
import type { DeployTemplate, RecordPatch } from '../../../domain/resources.ts';
import { maskSecrets } from '../../../domain/secrets.ts';
import type { App } from '../../kit/app.ts';
import type { FieldValues } from '../../kit/resource-body.ts';
import { registerCollection } from '../collection.ts';
import type { ApiDeps } from '../deps.ts';
import { checkedSteps } from '../step-list.ts';

const SINCE = 55;

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
    getters: { steps: ({ steps }) => steps.map((step) => maskSecrets(step)) },
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
    ...(steps === undefined
      ? {}
      : {
          steps: checkedSteps('deploy template', steps as readonly unknown[], {
            number: 'priority',
            optional: [],
          }),
        }),
  };
}
