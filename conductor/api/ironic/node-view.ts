/**
 * The wire form of nodes: secrets are masked, older versions get other state names, and a step is shown only in the
 * states of its operation.
 */

import type { StepExtension } from '@ingot/shared/agent/steps.ts';
import { camelCase } from '@ingot/shared/ironic/casing.ts';
import { NODE_FIELDS } from '@ingot/shared/ironic/node-fields.ts';
import type { WireField } from '@ingot/shared/ironic/wire-field.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { JsonObject } from '../../domain/json.ts';
import type { AgentSession, InterfaceType, Node } from '../../domain/node.ts';
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
  /** Host name of this conductor, which serves all nodes. */
  readonly conductor: string;
  /** The caller; null for the ramdisk. */
  readonly caller: Caller | null;
}

/** The context for the answer to this request. */
export const nodeViewContext = (request: FastifyRequest, { config, engine }: ApiDeps): NodeViewContext => ({
  minor: request.minor,
  base: baseUrlOf(request, config.publicEndpoint),
  conductor: engine.conductor,
  caller: request.caller,
});

/** Whether the caller sees every field. The ramdisk has no caller, and its route selects only a few fields. */
const seesAll = (caller: Caller | null): boolean =>
  caller === null || allows(caller, 'node:get:filter_threshold');

/**
 * Callers without the policy of a field get a text that names the policy in place of the value; in place of an object
 * they get an object with that text.
 */
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

/** The state for older clients: `available` was null before 1.2, and `inspect wait` was `inspecting` before 1.39. */
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

/** The current step, in the states of the operations that run steps of this kind; `{}` in other states. */
function stepGetter(kind: StepExtension): Getter<Node> {
  const states = statesShowing(kind);
  return (node) => stepView(node, states);
}

/** The data of drivers and of the agent, whose token is masked. */
function internalInfo(node: Node): JsonObject {
  const { agent } = node;
  const info = maskSecrets(node.driverInternalInfo);
  if (agent === null) return info;
  return {
    ...info,
    ...(agent.url === null ? {} : { agent_url: agent.url }),
    ...(agent.version === null ? {} : { agent_version: agent.version }),
    ...(agent.lastHeartbeatAt === null ? {} : { agent_last_heartbeat: wireTime(agent.lastHeartbeatAt) }),
    ...(agent.token === null ? {} : { agent_secret_token: MASK, agent_session: sessionKind(agent) }),
  };
}

/** Our own addition: whether the agent has proved that this conductor booted it. */
const sessionKind = ({ proven }: AgentSession): string => (proven ? 'authenticated' : 'plaintext');

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

/** The getter of a field in this context. */
function getterFor(field: WireField, { minor, conductor, caller }: NodeViewContext): Getter<Node> {
  if (field.wire === 'provision_state') return (node) => provisionStateFor(node.provisionState, minor);
  if (field.wire === 'conductor') return () => conductor;
  return guarded(field, GETTERS.get(field.wire)!, caller);
}

/** Wire field -> the fields of the stored node that it is made from, if not from the field of the same name. */
const STORED: Readonly<Record<string, readonly (keyof Node)[]>> = {
  driver_internal_info: ['driverInternalInfo', 'agent'],
  reservation: ['holder'],
  clean_step: ['currentStep', 'provisionState'],
  deploy_step: ['currentStep', 'provisionState'],
  service_step: ['currentStep', 'provisionState'],
  conductor: [],
};

/** The fields of stored nodes that the wire fields `names` need. Policies always need `owner` and `lessee`. */
export function storedFields(minor: number, names: readonly string[] | null): (keyof Node)[] {
  const shown = shownFields(NODE_FIELDS, minor, names).flatMap((field): readonly (keyof Node)[] =>
    field.kind === 'interface'
      ? ['interfaces']
      : (STORED[field.wire] ?? [camelCase(field.wire) as keyof Node]),
  );
  return [...new Set<keyof Node>(['uuid', 'owner', 'lessee', ...shown])];
}

/** Sub-resources that are shown as arrays of links -> first microversion. */
const SUB_RESOURCES = { ports: 1, states: 14, portgroups: 24, volume: 32 } as const;

export const NODE_SCHEMA = answerSchema('Node', NODE_FIELDS, SUB_RESOURCES);

/**
 * Cached presenters of callers who see every field, by version, fields, base URL and conductor, because creating one
 * takes longer than using it. Clients choose the Host header, which the base URL contains, so their number is limited.
 */
const kept = new Map<string, Presenter<Node>>();
const MAX_KEPT = 50;

/** If `names` is null, it presents every field of the version, and links to the sub-resources. */
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
