/**
 * Settings for the agents of the nodes.
 */
import type { Settings, SettingValues } from '../domain/setting.ts';

export const AGENT_SETTINGS = {
  agentAllowPlaintext: {
    name: 'agent.allow_plaintext',
    type: 'flag',
    default: false,
    help: "Agents may use ironic-python-agent's protocol: plain HTTP, and no proof that this conductor booted them. Needed for foreign ramdisks. Anybody on the provisioning network who knows a MAC address can then take the place of an agent.",
  },
  agentCallbackAllow: {
    name: 'agent.callback_allow',
    type: 'networks',
    default: [],
    help: 'Networks (`10.4.0.0/16`) of agents that are not called at the address that they were leased or that their heartbeats come from, for example behind a router that translates addresses. Any host of these networks is believed to be an agent.',
  },
} as const satisfies Settings;

export type AgentSettings = SettingValues<typeof AGENT_SETTINGS>;
