/**
 * A node as the wire shows it: secrets masked, legacy state names, steps by provision state.
 */

import type { StepExtension } from '@ingot/shared/agent/steps.ts';
import { camelCase } from '@ingot/shared/ironic/casing.ts';
import { NODE_FIELDS } from '@ingot/shared/ironic/node-fields.ts';
import type { WireField } from '@ingot/shared/ironic/wire-field.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { JsonObject } from '../../domain/json.ts';
import type { InterfaceType, Node } from '../../domain/node.ts';
import { statesShowing } from '../../domain/operations/table.ts';
import { allows, type Caller, type PolicyName } from '../../domain/policy.ts';
import { MASK, maskSecrets } from '../../domain/secrets.ts';
import type { ProvisionState } from '../../domain/states.ts';
import type { Step } from '../../domain/steps.ts';
import { baseUrlOf } from '../kit/base-url.ts';
import { answerSchema } from '../kit/field-schema.ts';
import { shownFields } from '../kit/field-selection.ts';
import {
  createPresenter,
  type Getter,
  type Presenter,
  plainGetter,
  sendRecordText,
  wireTime,
} from '../kit/presentation.ts';
import type { ApiDeps } from './deps.ts';

export interface NodeViewContext {
  readonly minor: number;
  readonly base: string;
  /** Conductor host name that serves all nodes. */
  readonly conductor: string;
  /** Who looks; null for the ramdisk. */
  readonly caller: Caller | null;
}

/** How this request sees nodes. */
export const nodeViewContext = (request: FastifyRequest, { config, engine }: ApiDeps): NodeViewContext => ({
  minor: request.minor,
  base: baseUrlOf(request, config.publicEndpoint),
  conductor: engine.conductor,
  caller: request.caller,
});

/** No field is guarded from these. The ramdisk asks for few fields, which its route names. */
const seesAll = (caller: Caller | null): boolean =>
  caller === null || allows(caller, 'node:get:filter_threshold');

/** The getter, or one that says which policy is missing, in the type of the field. */
function guarded(field: WireField, getter: Getter<Node>, caller: Caller | null): Getter<Node> {
  const policy = field.seenBy as PolicyName | undefined;
  if (policy === undefined || caller === null || seesAll(caller)) return getter;
  const text = `** Redacted - requires baremetal:${policy} permission. **`;
  return (node) => {
    const value = getter(node);
    if (allows(caller, policy, node)) return value;
    return typeof value === 'object' && value !== null ? { content: text } : text;
  };
}

/** States as older clients know them: `available` had no name before 1.2, `inspect wait` came with 1.39. */
export function provisionStateFor(state: ProvisionState, minor: number): string | null {
  if (state === 'available' && minor < 2) return null;
  if (state === 'inspect wait' && minor < 39) return 'inspecting';
  return state;
}

const NO_STEP: JsonObject = Object.freeze({});
const stepView = (node: Node, states: readonly ProvisionState[]): JsonObject | Step =>
  node.currentStep !== null && states.includes(node.provisionState)
    ? {
        interface: node.currentStep.interface,
        step: node.currentStep.step,
        args: maskSecrets(node.currentStep.args),
        priority: node.currentStep.priority,
        abortable: node.currentStep.abortable,
      }
    : NO_STEP;

/** Of the operation that runs steps of this kind. */
function stepGetter(kind: StepExtension): Getter<Node> {
  const states = statesShowing(kind);
  return (node) => stepView(node, states);
}

/** What drivers and the agent left behind; the token only as a mask. */
function internalInfo(node: Node): JsonObject {
  const { agent } = node;
  const info = maskSecrets(node.driverInternalInfo);
  if (agent === null) return info;
  return {
    ...info,
    ...(agent.url === null ? {} : { agent_url: agent.url }),
    ...(agent.version === null ? {} : { agent_version: agent.version }),
    ...(agent.lastHeartbeatAt === null ? {} : { agent_last_heartbeat: wireTime(agent.lastHeartbeatAt) }),
    ...(agent.token === null ? {} : { agent_secret_token: MASK }),
  };
}

function getterOf(field: WireField): Getter<Node> {
  if (field.kind === 'interface') {
    const type = field.wire.replace('_interface', '') as InterfaceType;
    return (node) => node.interfaces[type] ?? null;
  }
  switch (field.wire) {
    case 'driver_internal_info':
      return internalInfo;
    case 'reservation':
      return (node) => node.holder?.owner ?? null;
    case 'clean_step':
      return stepGetter('clean');
    case 'deploy_step':
      return stepGetter('deploy');
    case 'service_step':
      return stepGetter('service');
    case 'traits':
      return ({ traits }) => (traits.length > 1 ? traits.toSorted() : traits);
    default:
      return plainGetter<Node>(field);
  }
}

const GETTERS = new Map(NODE_FIELDS.map((field) => [field.wire, getterOf(field)]));

/** The getter of a field for one who asks this way. */
function getterFor(field: WireField, { minor, conductor, caller }: NodeViewContext): Getter<Node> {
  if (field.wire === 'provision_state') return (node) => provisionStateFor(node.provisionState, minor);
  if (field.wire === 'conductor') return () => conductor;
  return guarded(field, GETTERS.get(field.wire)!, caller);
}

/** What of a stored node a field is made of, where that is not the field of the same name. */
const STORED: Readonly<Record<string, readonly (keyof Node)[]>> = {
  driver_internal_info: ['driverInternalInfo', 'agent'],
  reservation: ['holder'],
  clean_step: ['currentStep', 'provisionState'],
  deploy_step: ['currentStep', 'provisionState'],
  service_step: ['currentStep', 'provisionState'],
  conductor: [],
};

/** The fields of stored nodes that presenting `names` takes; whose a node is counts always. */
export function storedFields(minor: number, names: readonly string[] | null): (keyof Node)[] {
  const shown = shownFields(NODE_FIELDS, minor, names).flatMap((field): readonly (keyof Node)[] =>
    field.kind === 'interface'
      ? ['interfaces']
      : (STORED[field.wire] ?? [camelCase(field.wire) as keyof Node]),
  );
  return [...new Set<keyof Node>(['uuid', 'owner', 'lessee', ...shown])];
}

/** Shown as link arrays -> first microversion. */
const SUB_RESOURCES = { ports: 1, states: 14, portgroups: 24, volume: 32 } as const;

export const NODE_SCHEMA = answerSchema('Node', NODE_FIELDS, SUB_RESOURCES);

/**
 * Presenters of those who may see everything, by version, fields, base URL and conductor: to make one takes longer
 * than to use it. The base may be any Host header, so they do not stay for ever.
 */
const kept = new Map<string, Presenter<Node>>();
const MAX_KEPT = 50;

/** `names` null: every field of the version, and links to the sub-resources. */
export function nodePresenter(context: NodeViewContext, names: readonly string[] | null): Presenter<Node> {
  if (!seesAll(context.caller)) return createNodePresenter(context, names);
  const key = `${context.minor} ${names?.join() ?? 'all'} ${context.base} ${context.conductor}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  if (kept.size >= MAX_KEPT) kept.clear();
  const presenter = createNodePresenter(context, names);
  kept.set(key, presenter);
  return presenter;
}

/** Answers with one node. */
export const nodeAnswer = (
  reply: FastifyReply,
  context: NodeViewContext,
  names: readonly string[] | null,
  node: Node,
): FastifyReply => sendRecordText(reply, node, nodePresenter(context, names));

function createNodePresenter(context: NodeViewContext, names: readonly string[] | null): Presenter<Node> {
  const fields = shownFields(NODE_FIELDS, context.minor, names);
  const subResources = Object.entries(SUB_RESOURCES)
    .filter(([, since]) => names === null && context.minor >= since)
    .map(([name]) => name);
  return createPresenter<Node>(
    fields,
    (field) => getterFor(field, context),
    context.base,
    'nodes',
    subResources,
  );
}
