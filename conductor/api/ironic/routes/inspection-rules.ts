/**
 * `/v1/inspection_rules`: conditions and actions for the results of in-band inspection. API 1.96.
 */
import { randomUUID } from 'node:crypto';
import { INSPECTION_RULE_FIELDS, INSPECTION_RULE_LIST_FIELDS } from '@ingot/shared/ironic/resource-fields.ts';
import { IngotError } from '../../../domain/errors.ts';
import { badEntry, type InspectionRule } from '../../../domain/inspection-rules/rule.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { RecordPatch } from '../../../domain/resources.ts';
import { maskSecrets } from '../../../domain/secrets.ts';
import { loadPatterns } from '../../../domain/text-pattern.ts';
import type { App } from '../../kit/app.ts';
import type { FieldValues } from '../../kit/resource-body.ts';
import { registerCollection } from '../collection.ts';
import type { ApiDeps } from '../deps.ts';

const SINCE = 96;
const MAX_PRIORITY = 9999;
const PHASES = ['main'];
const FILTERS = { phase: { kind: 'text' } } as const;

const invalid = (text: string): IngotError =>
  new IngotError('invalidParameter', `Validation failed for inspection rule: ${text}.`);

export function registerInspectionRules(app: App, deps: ApiDeps): void {
  const { store, now } = deps;
  registerCollection<InspectionRule, typeof FILTERS>(app, deps, {
    path: 'inspection_rules',
    key: 'inspection_rules',
    singular: 'inspection rule',
    since: SINCE,
    tooNewToChange: 405,
    fields: INSPECTION_RULE_FIELDS,
    listFields: INSPECTION_RULE_LIST_FIELDS,
    required: ['actions'],
    hasDetailPath: false,
    detailSince: SINCE,
    filters: FILTERS,
    store: store.inspectionRules,
    getters: {
      conditions: ({ sensitive, conditions }) => (sensitive ? null : conditions),
      actions: ({ sensitive, actions }) => (sensitive ? null : actions.map((action) => maskSecrets(action))),
    },
    filterOf: ({ phase }) => (phase === undefined ? {} : { phase }),
    async create(values) {
      const uuid = (values['uuid'] as string | undefined) ?? randomUUID();
      return store.inspectionRules.create({ conditions: [], ...(await checkedFields(values)), uuid }, now());
    },
    async update(rule, values) {
      if (rule.sensitive && values['sensitive'] === false) {
        throw invalid('what is sensitive stays so: delete the rule and write another');
      }
      return store.inspectionRules.update(rule.uuid, await checkedFields(values), now());
    },
    remove: ({ uuid }) => store.inspectionRules.delete(uuid),
  });
}

async function checkedFields(values: FieldValues): Promise<RecordPatch<InspectionRule>> {
  const { uuid: _uuid, ...fields } = values;
  const { phase, priority, conditions, actions } = fields;
  if (phase !== undefined && !PHASES.includes(String(phase))) {
    throw invalid(`phase must be ${PHASES.join(' or ')}`);
  }
  if (priority !== undefined && (Number(priority) < 0 || Number(priority) > MAX_PRIORITY)) {
    throw invalid(`priority must be from 0 to ${MAX_PRIORITY}`);
  }
  const parse = await loadPatterns();
  for (const [kind, entries] of Object.entries({ conditions, actions })) {
    for (const [index, entry] of ((entries ?? []) as readonly JsonObject[]).entries()) {
      const reason = badEntry(kind as 'conditions' | 'actions', entry, index, parse);
      if (reason !== undefined) throw invalid(reason);
    }
  }
  if (actions !== undefined && (actions as readonly unknown[]).length === 0)
    throw invalid('actions must not be empty');
  return fields as RecordPatch<InspectionRule>;
}
