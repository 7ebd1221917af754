/** The conductor's side of the agents' protocol, as the engine is given it. */
import type { StepContext } from './drivers.ts';
import type { NodeAgent } from './node-agent.ts';

export interface AgentLink {
  forStep(context: StepContext): NodeAgent;
}
