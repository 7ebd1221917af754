/**
 * The agents of all nodes, as steps use them: one object for each step, which uses the command API of the agent on
 * its node.
 */
import type { AgentLink } from '../domain/agent-link.ts';
import type { Node } from '../domain/node.ts';
import type { AgentCommands } from './agent-commands.ts';
import { executeStep, learnSteps } from './agent-steps.ts';
import { callCommand, followCommand } from './command-following.ts';

/** The commands of the agent that runs on this node. */
export type CommandsOf = (node: Node, signal: AbortSignal) => AgentCommands;

export function createAgentLink(commandsOf: CommandsOf): AgentLink {
  return {
    forStep(context) {
      const commands = commandsOf(context.node, context.signal);
      return {
        follow: (spec) => followCommand(context, commands, spec),
        call: (name, limitMs) => callCommand(commands, name, limitMs),
        executeStep: (args) => executeStep(context, commands, args),
        learnSteps: () => learnSteps(context, commands),
      };
    },
  };
}
