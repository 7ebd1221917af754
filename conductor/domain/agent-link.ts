/** The interface to the conductor's side of the agent's protocol, as the engine uses it. */
import type { StepContext } from './drivers.ts';
import type { NodeAgent } from './node-agent.ts';

export interface AgentLink {
  forStep(context: StepContext): NodeAgent;
}
