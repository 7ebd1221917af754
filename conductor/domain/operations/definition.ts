/**
 * The definition of an operation. Each operation is defined once, in a file of this folder. The state table, the
 * verbs, the checks before it begins, its steps, its end, and the effects of a failure all derive from its
 * definition.
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

/** Conditions of a node in which it refuses some verbs. */
export type NodeCondition = 'maintenance' | 'retired' | 'protected';

/** A verb of `PUT /v1/nodes/{node}/states/provision`. */
export interface VerbSpec {
  readonly event: ProvisionEvent;
  /** API microversion 1.N that introduced it. */
  readonly since: number;
  readonly takes?: readonly BodyKey[];
  /** Exactly one of these is required. */
  readonly requires?: readonly BodyKey[];
  /** A node in one of these conditions refuses the verb. */
  readonly refusedIn?: readonly NodeCondition[];
  /**
   * Where the steps come from:
   *
   *   automatic  the steps of the node's interfaces, by priority (default)
   *   merged     automatic steps, those of deploy templates and those of the request; later ones override earlier
   * ones
   *   given      the steps of the request, in their order
   */
  readonly steps?: 'automatic' | 'merged' | 'given';
  /** Target state of the node, when it differs from that of the operation's states. */
  readonly target?: ProvisionState;
  /** Discards the stored config drive. */
  readonly dropsConfigDrive?: true;
}

export interface OperationDefinition {
  readonly states: OperationStates;
  readonly verbs: Readonly<Record<string, VerbSpec>>;
  /** The events that start the operation, and the states in which they may occur. */
  readonly starts: Readonly<Partial<Record<ProvisionEvent, readonly ProvisionState[]>>>;
  /** Moves in addition to those that follow from the roles of its states. */
  readonly moves?: readonly Transition[];
  /** The event of its success; default: `done`. */
  readonly doneEvent?: ProvisionEvent;
  /** Returns another event of success, when the arguments or the node require one. */
  readonly endsOtherwise?: (args: JsonObject, node: Node) => ProvisionEvent | undefined;

  /** Interfaces that must validate before the operation may start. */
  readonly validates: readonly InterfaceType[];
  /**
   * The agent's extension that lists and runs its own steps. With an extension, operators may also name steps, and
   * the current step is shown as `<extension>_step`.
   */
  readonly agentExtension?: StepExtension;
  /** Whether a setting or the node itself turns off the automatic steps. */
  readonly isSwitchedOff?: (node: Node, settings: { readonly automatedClean: boolean }) => boolean;
  /** Without any step the operation succeeds at once; otherwise the verb is then not supported. */
  readonly mayBeEmpty?: true;
  /** The longest duration of the operation, whatever its steps need. Time on hold does not count. */
  readonly maxHours: number;

  /** Changes of the node at the start, besides its state. */
  readonly onStart?: (now: Date) => NodePatch;
  readonly onFinish?: (node: Node, now: Date) => NodePatch;
  readonly onFailure?: NodePatch;
  /** Success also deletes the allocation of the node. */
  readonly endsAllocation?: true;
  /** The operation may boot the ramdisk, so the node is powered off when it fails. */
  readonly bootsRamdisk?: true;
  /**
   * When the operation fails after a step has changed the machine, the node goes into maintenance with this fault.
   */
  readonly faultOnFailure?: string;
}
