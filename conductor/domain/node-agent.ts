/**
 * The agent on a node, for steps of that node. Errors are IngotErrors `agentFailure`, which name the command and its
 * cause, and never contain a token.
 */
import type { Json, JsonObject } from './json.ts';
import type { StepOutcome } from './step-outcome.ts';

export interface AgentCommandSpec {
  /** With its extension: `deploy.execute_deploy_step`. */
  readonly name: string;
  /** Called only when the command is about to be sent. */
  readonly params: () => Promise<JsonObject> | JsonObject;
  readonly limitMs: number;
  /** Shown to operators while it runs. */
  readonly what: string;
  /** Called with the result when it has succeeded; a second time if the conductor restarts then. */
  readonly finished?: (result: Json) => Promise<void>;
}

export type AgentArguments = () => Promise<JsonObject> | JsonObject;

export interface NodeAgent {
  /**
   * Sends the command once and waits for its end, also across a restart of the conductor. Answers `done` or `wait`.
   */
  follow(spec: AgentCommandSpec): Promise<StepOutcome>;
  /** For commands that return at once. */
  call(name: string, limitMs: number): Promise<void>;
  /** Runs the current step as a step of the agent. `args` is called only when the command is sent. */
  executeStep(args: AgentArguments): Promise<StepOutcome>;
  /** `done` with the steps that the agent adds to the operation, or `wait` while the agent can not be reached. */
  learnSteps(): Promise<StepOutcome>;
}
