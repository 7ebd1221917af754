/**
 * `/v1/runbooks`: stored steps for manual cleaning and service. A runbook may be used on nodes that have one of its
 * traits; before API 1.112 its name is its only trait. API 1.92.
 */
import { randomUUID } from 'node:crypto';
import { isLogicalName, isUuid } from '@ingot/shared/ironic/identifiers.ts';
import { RUNBOOK_FIELDS, RUNBOOK_LIST_FIELDS } from '@ingot/shared/ironic/resource-fields.ts';
import { badTrait } from '@ingot/shared/ironic/traits.ts';
import type { FastifyRequest } from 'fastify';
import { IngotError, notFound } from '../../../domain/errors.ts';
import { allows, type PolicyName, projectOf } from '../../../domain/policy.ts';
import type { RecordPatch, Runbook } from '../../../domain/resources.ts';
import { maskSecrets } from '../../../domain/secrets.ts';
import type { App } from '../../kit/app.ts';
import type { FieldValues } from '../../kit/resource-body.ts';
import { forbidden } from '../auth/refusals.ts';
import { ownerFor } from '../auth/visibility.ts';
import { registerCollection } from '../collection.ts';
import type { ApiDeps } from '../deps.ts';
import { checkedSteps } from '../step-list.ts';
import { RUNBOOK_TRAITS_SINCE, registerRunbookTraits } from './runbook-traits.ts';

export const RUNBOOKS_SINCE = 92;

const invalid = (text: string): IngotError => new IngotError('invalidParameter', text);

export function registerRunbooks(app: App, deps: ApiDeps): void {
  const { store, now } = deps;
  const runbooks = registerCollection<Runbook, Record<string, never>>(app, deps, {
    path: 'runbooks',
    key: 'runbooks',
    singular: 'runbook',
    since: RUNBOOKS_SINCE,
    tooNewToChange: 405,
    namesSince: RUNBOOKS_SINCE,
    fields: RUNBOOK_FIELDS,
    listFields: RUNBOOK_LIST_FIELDS,
    required: ['name', 'steps'],
    hasDetailPath: false,
    detailSince: RUNBOOKS_SINCE,
    filters: {},
    store: store.runbooks,
    getters: { steps: ({ steps }) => steps.map((step) => maskSecrets(step)) },
    filterOf: () => ({}),
    create(values, request) {
      const fields = checkedFields(request, values);
      const owner = ownerFor(request, fields.owner);
      if (fields.public === true && owner !== null) throw ownedAndPublic();
      const uuid = (values['uuid'] as string | undefined) ?? randomUUID();
      return store.runbooks.create({ ...fields, owner, uuid }, now());
    },
    update(runbook, values, request) {
      for (const field of ['owner', 'public'] as const) {
        if (values[field] !== undefined) checkPolicy(request, `runbook:update:${field}`, runbook);
      }
      const fields = checkedFields(request, values);
      const freed = fields.public === true ? { owner: null } : {};
      return store.transaction(async (tx) => {
        const isPublic = fields.public ?? (await tx.runbooks.get(runbook.uuid)).public;
        if (isPublic && fields.owner != null) throw ownedAndPublic();
        return tx.runbooks.update(runbook.uuid, { ...fields, ...freed }, now());
      });
    },
    remove: ({ uuid }) => store.runbooks.delete(uuid),
  });
  registerRunbookTraits(app, deps, runbooks);
}

const ownedAndPublic = (): IngotError =>
  invalid(
    'A public runbook has no owner, and one of a project is not public: give either "public" or "owner".',
  );

function checkPolicy({ caller }: FastifyRequest, policy: PolicyName, { owner }: Runbook): void {
  if (caller === null || !allows(caller, policy, { owner })) throw forbidden(policy);
}

function checkedFields(request: FastifyRequest, values: FieldValues): RecordPatch<Runbook> {
  const { uuid: _uuid, name, steps, ...fields } = values;
  const namesTrait = request.minor < RUNBOOK_TRAITS_SINCE;
  if (name !== undefined) checkName(String(name), namesTrait);
  const form = { number: 'order', optional: ['args'] } as const;
  return {
    ...(fields as RecordPatch<Runbook>),
    ...(name === undefined ? {} : { name: String(name) }),
    ...(name === undefined || !namesTrait ? {} : { traits: [String(name)] }),
    ...(steps === undefined ? {} : { steps: checkedSteps('runbook', steps as readonly unknown[], form) }),
  };
}

function checkName(name: string, namesTrait: boolean): void {
  const reason = badTrait(name);
  if (namesTrait && reason !== undefined) {
    throw invalid(`Runbook name '${name.slice(0, 80)}' is no trait: it ${reason}.`);
  }
  if (!isLogicalName(name) || isUuid(name)) {
    throw invalid(
      `Runbook name '${name.slice(0, 80)}' must have 1 to 255 letters, digits, "-", ".", "_" or "~" and not look like a UUID.`,
    );
  }
}

/**
 * The runbook that a request uses on a node. Callers with project scope may use public runbooks and, as managers, those
 * of their project. Throws notFound, forbidden, or invalidParameter if the node has none of the runbook's traits.
 */
export async function runbookFor(
  { store }: ApiDeps,
  request: FastifyRequest,
  ident: string,
  node: { readonly uuid: string; readonly traits: readonly string[] },
): Promise<Runbook> {
  const { caller } = request;
  const runbook = await store.runbooks.find(ident);
  const project = caller === null ? undefined : projectOf(caller);
  if (
    runbook === undefined ||
    caller === null ||
    (project !== undefined && runbook.owner !== project && !runbook.public)
  ) {
    throw notFound('Runbook', ident);
  }
  if (!runbook.public) checkPolicy(request, 'runbook:use', runbook);
  const traits = request.minor < RUNBOOK_TRAITS_SINCE ? [runbook.name] : runbook.traits;
  if (node.traits.some((trait) => traits.includes(trait))) return runbook;
  throw invalid(
    traits.length === 0
      ? `Runbook ${runbook.name} has no traits, so no node may be given it: an administrator has to add one.`
      : `Runbook ${runbook.name} is not approved for node ${node.uuid}: an administrator has to add the trait ${traits.join(' or ')} to the node.`,
  );
}
