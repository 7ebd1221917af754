/**
 * `PUT /v1/nodes/{node}/states/provision`: starts a verb with its arguments.
 *
 * Versions and the form of the body are checked here. The engine checks whether the node's state allows the verb.
 */

import { parseFlag } from '@ingot/shared/ironic/field-values.ts';
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../../domain/errors.ts';
import type { Json, JsonObject } from '../../../domain/json.ts';
import type { Node } from '../../../domain/node.ts';
import { allows } from '../../../domain/policy.ts';
import { type BodyKey, isVerb, VERBS, type Verb, type VerbSpec, verbsFrom } from '../../../domain/verbs.ts';
import { isReservedStep } from '../../../engine/conductor-steps.ts';
import type { ProvisionRequest } from '../../../engine/engine.ts';
import type { App } from '../../kit/app.ts';
import { baseUrlOf } from '../../kit/base-url.ts';
import { type Static, Type } from '../../kit/body-schema.ts';
import { requireVersion } from '../../kit/microversion.ts';
import { forbidden } from '../auth/refusals.ts';
import { checkConfigDrive } from '../config-drive.ts';
import type { ApiDeps } from '../deps.ts';
import { findNode, nodeOf } from '../node-lookup.ts';
import { STEP_INTERFACES } from '../step-list.ts';
import { CHILDREN_SINCE } from './node-children.ts';
import { RUNBOOKS_SINCE, runbookFor } from './runbooks.ts';

/** Large enough for a config drive in the body. */
export const PROVISION_BODY_BYTES = 64 * 1024 * 1024;

const StepInterface = Type.Enum(STEP_INTERFACES);
const StepName = Type.String({ minLength: 1, maxLength: 255 });
const Dictionary = Type.Object({});

const Ordered = Type.Union([Type.Integer({ minimum: 0 }), Type.String({ pattern: '^[0-9]{1,9}$' })]);
/** Steps that run by their `order`, or in the order of the list. */
const NamedSteps = Type.Array(
  Type.Object(
    {
      interface: StepInterface,
      step: StepName,
      args: Type.Optional(Dictionary),
      order: Type.Optional(Ordered),
      execute_on_child_nodes: Type.Optional(Type.Boolean()),
      limit_child_node_execution: Type.Optional(Type.Array(Type.String({ format: 'uuid' }))),
    },
    { additionalProperties: false },
  ),
);
type NamedStep = Static<typeof NamedSteps>[number];

const BODY = Type.Object(
  {
    target: Type.String(),
    configdrive: Type.Optional(Type.Union([Type.String(), Dictionary, Type.Null()])),
    clean_steps: Type.Optional(Type.Union([NamedSteps, Type.Null()])),
    deploy_steps: Type.Optional(
      Type.Union([
        Type.Array(
          Type.Object(
            {
              interface: StepInterface,
              step: StepName,
              args: Dictionary,
              priority: Type.Union([Type.Integer({ minimum: 0 }), Type.String({ pattern: '^[0-9]{1,6}$' })]),
            },
            { additionalProperties: false },
          ),
        ),
        Type.Null(),
      ]),
    ),
    service_steps: Type.Optional(Type.Union([NamedSteps, Type.Null()])),
    runbook: Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 255 }), Type.Null()])),
    rescue_password: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    disable_ramdisk: Type.Optional(Type.Union([Type.Boolean(), Type.String(), Type.Null()])),
  },
  { additionalProperties: false },
);
type Body = Static<typeof BODY>;

const DOC = { summary: 'Start what leads to a provision state', status: 202 } as const;

/** First version of the keys of the body that are newer than their verbs. */
const KEY_SINCE: Readonly<Partial<Record<BodyKey, number>>> = {
  deploy_steps: 69,
  disable_ramdisk: 70,
  service_steps: 87,
  runbook: RUNBOOKS_SINCE,
};
const SERVICE_WITHOUT_RAMDISK_SINCE = 108;
const INSPECT_ABORT_SINCE = 41;
/** The reserved steps are as old as `unhold`, the verb that ends the reserved step `hold`. */
const RESERVED_STEPS_SINCE = VERBS.unhold.since;

function parseVerb(request: FastifyRequest, node: Node, target: string): Verb {
  if (!isVerb(target)) {
    throw new IngotError(
      'invalidState',
      `The requested action "${target}" could not be understood. Legal now: ${verbsFrom(node.provisionState).join(', ') || 'nothing'}.`,
    );
  }
  requireVersion(request, VERBS[target].since, `The target "${target}"`);
  if (target === 'abort' && node.provisionState === 'inspect wait') {
    requireVersion(request, INSPECT_ABORT_SINCE, 'The target "abort" in "inspect wait"');
  }
  return target;
}

/** Throws invalidParameter for keys that the verb does not take, and missingParameter for keys that it requires. */
function checkKeys(request: FastifyRequest, verb: Verb, body: Body): void {
  const spec: VerbSpec = VERBS[verb];
  const { target: _, ...given } = body;
  for (const [name, value] of Object.entries(given)) {
    if (value === null) continue;
    const key = name as BodyKey;
    if (!spec.takes?.includes(key)) {
      const takers = Object.keys(VERBS).filter((other) => takesKey(other as Verb, key));
      throw new IngotError(
        'invalidParameter',
        `"${key}" is only valid when setting target provision state to ${takers.join(', ')}`,
      );
    }
    const isLate = key === 'disable_ramdisk' && verb === 'service';
    const since = isLate ? SERVICE_WITHOUT_RAMDISK_SINCE : (KEY_SINCE[key] ?? 1);
    requireVersion(request, since, `The argument "${key}"`);
  }
  const { requires } = spec;
  if (requires === undefined) return;
  const chosen = requires.filter((key) => !isBlank(body[key]));
  if (chosen.length === 0) {
    const either = requires.filter((key) => request.minor >= (KEY_SINCE[key] ?? 1)).join('" or "');
    throw new IngotError(
      'missingParameter',
      `A non-empty "${either}" is required when setting target provision state to ${verb}`,
    );
  }
  if (chosen.length > 1) {
    throw new IngotError('invalidParameter', `Give either ${chosen.join(' or ')}, not both`);
  }
}

const isBlank = (value: unknown): boolean =>
  typeof value === 'string' ? value.trim() === '' : !Array.isArray(value) || value.length === 0;

/** First version of the keys of a step that are newer than the list of steps. */
const STEP_KEY_SINCE = {
  order: RUNBOOKS_SINCE,
  execute_on_child_nodes: CHILDREN_SINCE,
  limit_child_node_execution: CHILDREN_SINCE,
} as const;

/** Checks the versions of the keys, and that the caller may set the provision state of the child nodes in a step. */
async function checkSteps(
  deps: ApiDeps,
  request: FastifyRequest,
  steps: readonly NamedStep[],
): Promise<void> {
  for (const step of steps) {
    for (const [key, since] of Object.entries(STEP_KEY_SINCE)) {
      if (step[key as keyof typeof STEP_KEY_SINCE] !== undefined)
        requireVersion(request, since, `The key "${key}" of a step`);
    }
    for (const uuid of step.limit_child_node_execution ?? []) {
      const child = await findNode(deps.store.nodes, request, uuid);
      const { caller } = request;
      if (caller === null || !allows(caller, 'node:set_provision_state', child))
        throw forbidden('node:set_provision_state');
    }
  }
}

/** Sorts steps by `order`, which the steps of runbooks always have, and removes that key. */
const inOrder = (steps: readonly JsonObject[]): JsonObject[] =>
  steps
    .toSorted((a, b) => Number(a['order'] ?? 0) - Number(b['order'] ?? 0))
    .map(({ order: _, ...step }) => step);

/** The steps of the runbook that the body names, otherwise those of the body. */
async function withRunbook(
  deps: ApiDeps,
  request: FastifyRequest,
  node: Node,
  body: Body,
): Promise<Pick<ProvisionRequest, 'cleanSteps' | 'serviceSteps' | 'disableRamdisk'>> {
  const disableRamdisk = disablesRamdisk(body);
  if (body.runbook == null) {
    return {
      disableRamdisk,
      ...(body.clean_steps == null ? {} : { cleanSteps: inOrder(body.clean_steps as JsonObject[]) }),
      ...(body.service_steps == null ? {} : { serviceSteps: inOrder(body.service_steps as JsonObject[]) }),
    };
  }
  const runbook = await runbookFor(deps, request, body.runbook, node);
  return {
    disableRamdisk: disableRamdisk || runbook.disableRamdisk,
    [body.target === 'clean' ? 'cleanSteps' : 'serviceSteps']: inOrder(runbook.steps),
  };
}

function takesKey(verb: Verb, key: BodyKey): boolean {
  const spec: VerbSpec = VERBS[verb];
  return spec.takes?.includes(key) ?? false;
}

function disablesRamdisk(body: Body): boolean {
  if (body.disable_ramdisk == null) return false;
  const flag = parseFlag(body.disable_ramdisk);
  if (flag !== undefined) return flag;
  throw new IngotError('invalidParameter', '"disable_ramdisk" must be true or false');
}

function checkReservedSteps(request: FastifyRequest, body: Body): void {
  const steps = [...(body.clean_steps ?? []), ...(body.deploy_steps ?? []), ...(body.service_steps ?? [])];
  for (const { step } of steps as JsonObject[]) {
    if (typeof step === 'string' && isReservedStep(step))
      requireVersion(request, RESERVED_STEPS_SINCE, `The step "${step}"`);
  }
}

export function registerNodeProvision(app: App, deps: ApiDeps): void {
  app.put<{ Params: { node: string }; Body: Body }>(
    '/v1/nodes/:node/states/provision',
    { schema: { body: BODY }, bodyLimit: PROVISION_BODY_BYTES, config: { bulk: 'configdrive', doc: DOC } },
    async (request, reply) => {
      const { body } = request;
      const node = await nodeOf(deps.store.nodes, request);
      const verb = parseVerb(request, node, body.target);
      checkKeys(request, verb, body);
      checkReservedSteps(request, body);
      await checkSteps(deps, request, [...(body.clean_steps ?? []), ...(body.service_steps ?? [])]);
      checkConfigDrive(request, verb, body.configdrive as Json | undefined);
      await deps.engine.provision(node.uuid, {
        verb,
        ...(body.configdrive == null ? {} : { configdrive: body.configdrive as Json }),
        ...(body.deploy_steps == null ? {} : { deploySteps: body.deploy_steps.map(wholePriority) }),
        ...(body.rescue_password == null ? {} : { rescuePassword: body.rescue_password }),
        ...(await withRunbook(deps, request, node, body)),
        ...requester(request),
      });
      const base = baseUrlOf(request, deps.config.publicEndpoint);
      return reply.code(202).header('Location', `${base}/v1/nodes/${request.params.node}/states`).send();
    },
  );
}

/** The user and project of the caller; `{}` if neither is known, as with the authentication `none`. */
function requester({ caller }: FastifyRequest): Pick<ProvisionRequest, 'by'> {
  const project = caller?.scope.kind === 'project' ? caller.scope.id : null;
  const user = caller?.user ?? null;
  return user === null && project === null ? {} : { by: { user, project } };
}

/** The step with its priority as a number; requests may send it as text. */
const wholePriority = (step: { readonly priority: number | string }): JsonObject => ({
  ...(step as unknown as JsonObject),
  priority: Number(step.priority),
});
