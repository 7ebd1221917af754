/**
 * The agent on a node, as a step of that node uses it. Errors are IngotErrors `agentFailure` that name the command
 * and its cause, and never a token.
 */
import type { JsonObject } from './json.ts';
import type { StepOutcome } from './step-outcome.ts';

export interface AgentCommandSpec {
  /** With its extension: `deploy.execute_deploy_step`. */
  readonly name: string;
  /** Made only when the command is about to be sent. */
  readonly params: () => Promise<JsonObject> | JsonObject;
  readonly limitMs: number;
  /** Shown to operators while it runs. */
  readonly what: string;
}

export type AgentArguments = () => Promise<JsonObject> | JsonObject;

export interface NodeAgent {
  /** Sends the command once and follows it to its end, also across a restart of the conductor: `done` or `wait`. */
  follow(spec: AgentCommandSpec): Promise<StepOutcome>;
  /** For commands that end at once. */
  call(name: string, limitMs: number): Promise<void>;
  /** Follows the step at work as a step of the agent; `args` are made only when it is sent. */
  executeStep(args: AgentArguments): Promise<StepOutcome>;
  /** `done` with the steps that the agent brings to the operation, or `wait` while it cannot be reached. */
  learnSteps(): Promise<StepOutcome>;
}
