/**
 * The stages of the agent's start: address, disks, inspection, lookup.
 */
import { join } from 'node:path';
import type { Inspection } from '@ingot/shared/agent/inspection.ts';
import { type LookupAnswer, MASKED_TOKEN } from '@ingot/shared/agent/lookup.ts';
import { type BootIdentity, bootTrustOf } from './boot-trust.ts';
import { setClock } from './clock.ts';
import { HttpError } from './conductor-call.ts';
import { type ConductorClient, createConductorClient } from './conductor-client.ts';
import { type AgentConfig, bootMac } from './config.ts';
import { identityOfBoot } from './identity-file.ts';
import { listInterfaces } from './inventory/interfaces.ts';
import { collectInventory } from './inventory/inventory.ts';
import { collectLogs } from './log-archive.ts';
import { type Pause, pause, retry } from './retry.ts';
import { sourceAddressTo } from './route.ts';
import type { Stage } from './start.ts';
import type { Hardware } from './steps/hardware.ts';
import { loadToken, saveToken } from './token-file.ts';
import { createTrustedClient } from './trusted-client.ts';

const MINUTE = 60_000;

export interface Found {
  readonly conductor: ConductorClient;
  readonly node: LookupAnswer['node'];
  readonly token: string;
  readonly heartbeatTimeoutMs: number;
  readonly callbackUrl: string;
  readonly listenHost: string;
  /** null: a session of ironic-python-agent's protocol. */
  readonly trust: BootIdentity | null;
}

/** The environment of the stages; tests give another one. */
export interface Surroundings {
  /** The directory with sys, proc and dev. */
  readonly tree: string;
  readonly tokenFile: string;
  readonly identityFile: string;
  readonly pause: Pause;
}

/** `dir` is in memory and lasts until the reboot. */
export const surroundingsIn = (dir: string): Surroundings => ({
  tree: '/',
  tokenFile: join(dir, 'token'),
  identityFile: join(dir, 'identity'),
  pause,
});

export interface StartState {
  readonly hardware: Hardware;
  readonly around: Surroundings;
  address: string | null;
  nodeUuid: string | null;
  trust: BootIdentity | null;
  conductor: ConductorClient | null;
  answer: LookupAnswer | null;
  token: string | null;
  /** The results of all stages. Throws if one is missing. */
  found(): Found;
}

export function createState(hardware: Hardware, around: Surroundings): StartState {
  return {
    hardware,
    around,
    address: null,
    nodeUuid: null,
    trust: null,
    conductor: null,
    answer: null,
    token: null,
    found() {
      const { address, conductor, answer, token, trust } = this;
      if (address === null || conductor === null || answer === null || token === null)
        throw new Error('the start sequence did not find the node');
      const { config } = hardware;
      const host = config.advertiseHost ?? address;
      const port = config.advertisePort ?? config.listenPort;
      return {
        conductor,
        node: answer.node,
        token,
        heartbeatTimeoutMs: answer.heartbeatTimeoutSeconds * 1000,
        callbackUrl: `${trust === null ? config.advertiseProtocol : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
        listenHost: config.listenHost ?? (address.includes(':') ? '::' : '0.0.0.0'),
        trust,
      };
    },
  };
}

export const STAGES: readonly Stage<StartState>[] = [
  { name: 'preparing for the conductor', limitMs: MINUTE, run: prepareClient },
  { name: 'waiting for an address', limitMs: 10 * MINUTE, run: findAddress },
  { name: 'waiting for disks', limitMs: 5 * MINUTE, run: waitForDisks },
  { name: 'inspecting', limitMs: 15 * MINUTE, run: inspect },
  { name: 'looking this machine up', limitMs: 15 * MINUTE, run: lookUp },
];

/** Without a pin on the kernel command line, the conductor is one that speaks only Ironic's protocol. */
async function prepareClient(state: StartState): Promise<void> {
  const { config, log } = state.hardware;
  const trust = bootTrustOf(config);
  if (trust === null) {
    const urls = apiUrlsOf(config);
    state.conductor = createConductorClient({ api: urls, inspection: config.inspectionCallbackUrl });
    log.info('no key of a conductor on the kernel command line: every request is sent without a proof');
    return;
  }
  log.conceal(trust.bootSecret);
  state.trust = { ...trust, identity: await identityOfBoot(state.around.identityFile) };
  state.hardware.trust = state.trust;
  state.nodeUuid = trust.nodeUuid;
  state.conductor = createTrustedClient(state.trust);
}

function apiUrlsOf({ apiUrls: urls }: AgentConfig): readonly string[] {
  const wrong = urls.find((url) => !/^https?:$/.test(URL.parse(url)?.protocol ?? ''));
  if (urls.length === 0) throw new Error('no ipa-api-url on the kernel command line');
  if (wrong === undefined) return urls;
  throw new Error(`ipa-api-url ${wrong} is not an http(s) URL; this agent does not support mDNS`);
}

/** A route to any one of the conductor's URLs is enough. */
async function findAddress(state: StartState, signal: AbortSignal): Promise<void> {
  const { config, log } = state.hardware;
  const urls = state.trust === null ? config.apiUrls : [state.trust.apiUrl];
  const once = (): Promise<string> => Promise.any(urls.map(usableSource)).catch(asOneError);
  state.address = await retry(once, {
    firstMs: 200,
    mostMs: config.addressIntervalSeconds * 1000,
    signal,
    pause: state.around.pause,
  });
  log.info(`our address towards ${urls.join(', ')} is ${state.address}`);
}

/** Link-local addresses exist without a working network, so they do not count. */
async function usableSource(url: string): Promise<string> {
  const address = await sourceAddressTo(url);
  if (address === '0.0.0.0' || address === '::' || /^(169\.254\.|fe80:)/i.test(address)) {
    throw new Error(`no address that leads to ${url}`);
  }
  return address;
}

function asOneError(error: AggregateError): never {
  throw new Error(error.errors.map((one: Error) => one.message).join('; '));
}

/** A machine without disks can still be inspected. */
async function waitForDisks({ hardware, around }: StartState, signal: AbortSignal): Promise<void> {
  const { config, log } = hardware;
  for (let attempt = 1; attempt <= config.diskAttempts; attempt += 1) {
    const disks = await hardware.listDisks();
    if (disks.length > 0) {
      log.info(
        `disks: ${disks.map(({ name, size }) => `${name} (${(size / 1e9).toFixed(1)} GB)`).join(', ')}`,
      );
      return;
    }
    await around.pause(config.diskDelaySeconds * 1000, signal);
  }
  log.warn('no disk was found');
}

/** Posts inspection data if the conductor asks for it. The data names what could not be collected. */
async function inspect(state: StartState, signal: AbortSignal): Promise<void> {
  const { config, log, run } = state.hardware;
  const { tree } = state.around;
  const client = clientOf(state);
  if (config.inspectionCallbackUrl === null) return;
  const inventory = await collectInventory(run, bootMac(config), tree);
  const data: Inspection = {
    inventory,
    bootInterface: config.bootInterface,
    collectors: config.inspectionCollectors,
    ...(config.inspectionCollectors.includes('logs') ? await inspectedLogs({ run, log }) : {}),
  };
  state.nodeUuid = await retry(() => client.inspection(data, signal), {
    firstMs: 2_000,
    mostMs: 30_000,
    signal,
    pause: state.around.pause,
    isFinal: (error) =>
      error instanceof HttpError && error.status < 500 && error.status !== 409 && error.status !== 404,
    onFailure: (error) => log.warn(`inspection data was not accepted: ${error.message}`),
  });
}

async function inspectedLogs(
  hardware: Pick<Hardware, 'run' | 'log'>,
): Promise<Pick<Inspection, 'logs' | 'error'>> {
  try {
    return { logs: await collectLogs(hardware) };
  } catch (error) {
    return { logs: null, error: `logs: ${(error as Error).message}` };
  }
}

function clientOf({ conductor }: StartState): ConductorClient {
  if (conductor === null) throw new Error('the conductor is not known yet');
  return conductor;
}

async function lookUp(state: StartState, signal: AbortSignal): Promise<void> {
  const { hardware, around } = state;
  const { config, log } = hardware;
  const client = clientOf(state);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(config.lookupTimeoutSeconds * 1000)]);
  let macs: readonly string[] = [];
  const once = async (): Promise<LookupAnswer> => {
    // Read at each try, because the kernel may find a network card late.
    macs = (await listInterfaces(around.tree)).map(({ mac_address: mac }) => mac);
    return client.lookup(macs, state.nodeUuid, limit);
  };
  const answer = await retry(once, {
    firstMs: config.lookupIntervalSeconds * 1000,
    mostMs: MINUTE,
    signal: limit,
    pause: around.pause,
    onFailure: (error) => log.warn(`lookup: ${error.message}`),
  }).catch((error: Error) => {
    const hint =
      error instanceof HttpError && error.status === 404
        ? ` (no node that waits for its ramdisk has a port with ${macs.join(' or ') || 'a MAC of this machine'})`
        : '';
    throw new Error(`${error.message}${hint}`, { cause: error });
  });
  state.token = await findToken(state, answer);
  state.answer = answer;
  await setClock(hardware, client.conductorTime());
  log.info(`this is node ${answer.node.uuid}`);
}

/** The conductor gives the token once. After that it is on the kernel command line or in the token file. */
async function findToken({ hardware, around }: StartState, answer: LookupAnswer): Promise<string> {
  const { uuid } = answer.node;
  const given = answer.token === MASKED_TOKEN ? null : answer.token;
  const token = given ?? hardware.config.agentToken ?? (await loadToken(around.tokenFile, uuid));
  if (token === null) {
    throw new Error(
      'the conductor has already given the token of this boot to another agent; reboot the machine to get a new one',
    );
  }
  hardware.log.conceal(token);
  await saveToken(around.tokenFile, uuid, token);
  return token;
}
