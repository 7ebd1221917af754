/**
 * What an operation is. Each one is defined once, in a file of this folder: the state table, the verbs, the checks
 * before it begins, its steps, how it ends and what it leaves on the node when it fails all derive from that.
 */
import type { StepExtension } from '@ingot/shared/agent/steps.ts';
import type { InterfaceType } from '../interface-types.ts';
import type { JsonObject } from '../json.ts';
import type { Node, NodePatch } from '../node.ts';
import type { ProvisionEvent, ProvisionState } from '../states.ts';

/** One move of the state table. */
export type Transition = readonly [from: ProvisionState, event: ProvisionEvent, to: ProvisionState];

/**
 * The states of an operation by their role. These moves follow from the roles:
 *
 *   busy  done -> done, fail -> failed, wait -> wait, hold -> hold
 *   wait  resume -> busy, hold -> hold, fail and abort -> failed
 *   hold  unhold -> wait, abort -> failed
 */
export interface OperationStates {
  /** The conductor works. */
  readonly busy: ProvisionState;
  /** The ramdisk must call back. */
  readonly wait?: ProvisionState;
  /** An operator must say "unhold". */
  readonly hold?: ProvisionState;
  readonly failed: ProvisionState;
  readonly done: ProvisionState;
}

/** Keys of the body that a verb may take. */
export type BodyKey =
  | 'configdrive'
  | 'deploy_steps'
  | 'clean_steps'
  | 'service_steps'
  | 'disable_ramdisk'
  | 'runbook'
  | 'rescue_password';

/** What a node may be that makes it refuse some verbs. */
export type NodeCondition = 'maintenance' | 'retired' | 'protected';

/** A verb of `PUT /v1/nodes/{node}/states/provision`. */
export interface VerbSpec {
  readonly event: ProvisionEvent;
  /** API microversion 1.N that introduced it. */
  readonly since: number;
  readonly takes?: readonly BodyKey[];
  /** One of these has to be there, and no two. */
  readonly requires?: readonly BodyKey[];
  /** A node in one of these conditions refuses it. */
  readonly refusedIn?: readonly NodeCondition[];
  /**
   * Where its steps come from:
   *
   *   automatic  what the node's interfaces bring by priority (where nothing is said)
   *   merged     these, those of deploy templates and those of the request, each overriding the ones before
   *   given      those of the request in the order given
   */
  readonly steps?: 'automatic' | 'merged' | 'given';
  /** Target of the node where it is not that of the operation's states. */
  readonly target?: ProvisionState;
  /** A stored config drive is not used again. */
  readonly dropsConfigDrive?: true;
}

export interface OperationDefinition {
  readonly states: OperationStates;
  readonly verbs: Readonly<Record<string, VerbSpec>>;
  /** The events that start it, and the states in which they may. */
  readonly starts: Readonly<Partial<Record<ProvisionEvent, readonly ProvisionState[]>>>;
  /** Moves beside those that follow from the roles of its states. */
  readonly moves?: readonly Transition[];
  /** The event that ends it well; `done` where none is named. */
  readonly doneEvent?: ProvisionEvent;
  /** Another event that ends this one well. */
  readonly endsOtherwise?: (args: JsonObject, node: Node) => ProvisionEvent | undefined;

  /** Interfaces that must validate before it may start. */
  readonly validates: readonly InterfaceType[];
  /** The agent's extension that lists and runs its own steps. Operators may name steps, too, and the one at work is shown as `<extension>_step`. */
  readonly agentExtension?: StepExtension;
  /** Whether it has no automatic steps on this node, by the setting or the node's own. */
  readonly isSwitchedOff?: (node: Node, settings: { readonly automatedClean: boolean }) => boolean;
  /** Where no interface brings a step the operation simply ends; otherwise the verb is not supported. */
  readonly mayBeEmpty?: true;
  /** No single operation may take longer than this, whatever its steps say; time on hold does not count. */
  readonly maxHours: number;

  /** What changes on the node, beside its state. */
  readonly onStart?: (now: Date) => NodePatch;
  readonly onFinish?: (node: Node, now: Date) => NodePatch;
  readonly onFailure?: NodePatch;
  /** When it has ended well, the allocation of the node ends too. */
  readonly endsAllocation?: true;
  /** It may boot the ramdisk, which must not go on running: the node is powered off when the operation fails. */
  readonly bootsRamdisk?: true;
  /** Once a step has changed the machine, a failure puts the node into maintenance with this fault. */
  readonly faultOnFailure?: string;
}
