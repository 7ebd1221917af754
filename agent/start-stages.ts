/**
 * The stages between power-on and the first command (features D.5).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ConductorClient,
  createConductorClient,
  HttpError,
  type LookupAnswer,
  postInspection,
} from './conductor-client.ts';
import { bootMac } from './config.ts';
import { listInterfaces } from './inventory/interfaces.ts';
import { collectInventory } from './inventory/inventory.ts';
import { collectLogs } from './log-archive.ts';
import { retry } from './retry.ts';
import { sourceAddressTo } from './route.ts';
import type { Stage } from './start.ts';
import type { Hardware } from './steps/hardware.ts';

const MASKED = '******';
const MINUTE = 60_000;

export interface Found {
  readonly conductor: ConductorClient;
  readonly node: LookupAnswer['node'];
  readonly token: string;
  readonly heartbeatTimeoutMs: number;
  readonly callbackUrl: string;
}

export interface StartState {
  readonly hardware: Hardware;
  apiUrl: string | null;
  address: string | null;
  nodeUuid: string | null;
  answer: LookupAnswer | null;
  /** Everything the start was for. Throws when a stage left something out. */
  found(): Found;
}

export function createState(hardware: Hardware): StartState {
  return {
    hardware,
    apiUrl: null,
    address: null,
    nodeUuid: null,
    answer: null,
    found() {
      const { apiUrl, address, answer } = this;
      if (apiUrl === null || address === null || answer === null)
        throw new Error('the start sequence did not find the node');
      const { config } = hardware;
      const token = answer.token === MASKED ? config.agentToken : (answer.token ?? config.agentToken);
      if (token === null) {
        throw new Error(
          'the conductor has already given the token of this boot to somebody else; reboot the machine to get a new one',
        );
      }
      const host = config.advertiseHost ?? address;
      const port = config.advertisePort ?? config.listenPort;
      return {
        conductor: createConductorClient(apiUrl),
        node: answer.node,
        token,
        heartbeatTimeoutMs: answer.heartbeatTimeoutSeconds * 1000,
        callbackUrl: `${config.advertiseProtocol}://${host.includes(':') ? `[${host}]` : host}:${port}`,
      };
    },
  };
}

export const STAGES: readonly Stage<StartState>[] = [
  { name: 'waiting for an address', limitMs: 10 * MINUTE, run: findAddress },
  { name: 'waiting for disks', limitMs: 5 * MINUTE, run: waitForDisks },
  { name: 'inspecting', limitMs: 15 * MINUTE, run: inspect },
  { name: 'looking this machine up', limitMs: 15 * MINUTE, run: lookUp },
];

async function findAddress(state: StartState, signal: AbortSignal): Promise<void> {
  const { config, log } = state.hardware;
  const [apiUrl] = config.apiUrls;
  if (apiUrl === undefined) throw new Error('no ipa-api-url on the kernel command line');
  state.apiUrl = apiUrl;
  const once = async (): Promise<string> => {
    const address = await sourceAddressTo(apiUrl);
    if (address === '0.0.0.0' || address === '::') throw new Error('no address yet');
    return address;
  };
  state.address = await retry(once, { firstMs: 200, mostMs: config.addressIntervalSeconds * 1000, signal });
  log.info(`our address towards ${apiUrl} is ${state.address}`);
}

/** A machine without disks can still be inspected; deploying to it fails with a clear text. */
async function waitForDisks({ hardware }: StartState, signal: AbortSignal): Promise<void> {
  const { config, log } = hardware;
  for (let attempt = 1; attempt <= config.diskAttempts; attempt += 1) {
    const disks = await hardware.listDisks();
    if (disks.length > 0) {
      log.info(
        `disks: ${disks.map(({ name, size }) => `${name} (${(size / 1e9).toFixed(1)} GB)`).join(', ')}`,
      );
      return;
    }
    await sleep(config.diskDelaySeconds * 1000, undefined, { signal });
  }
  log.warn('no disk was found');
}

/** Posted only when the conductor asks for it; what could not be collected is said, not hidden. */
async function inspect(state: StartState, signal: AbortSignal): Promise<void> {
  const { config, log, run } = state.hardware;
  const url = config.inspectionCallbackUrl;
  if (url === null) return;
  const inventory = await collectInventory(run, bootMac(config));
  const data: Record<string, unknown> = {
    inventory,
    boot_interface: config.bootInterface,
    configuration: { collectors: config.inspectionCollectors, managers: [] },
  };
  if (config.inspectionCollectors.includes('logs')) {
    data['logs'] = await collectLogs({ run, log }).catch((error: Error) => {
      data['error'] = `logs: ${error.message}`;
      return null;
    });
  }
  state.nodeUuid = await retry(() => postInspection(url, data, signal), {
    firstMs: 2_000,
    mostMs: 30_000,
    signal,
    isFinal: (error) =>
      error instanceof HttpError && error.status < 500 && error.status !== 409 && error.status !== 404,
    onFailure: (error) => log.warn(`inspection data was not taken: ${error.message}`),
  });
}

async function lookUp(state: StartState, signal: AbortSignal): Promise<void> {
  const { hardware, apiUrl } = state;
  const client = createConductorClient(apiUrl ?? '');
  const macs = (await listInterfaces()).map(({ mac_address: mac }) => mac);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(hardware.config.lookupTimeoutSeconds * 1000)]);
  state.answer = await retry(() => client.lookup(macs, state.nodeUuid, limit), {
    firstMs: hardware.config.lookupIntervalSeconds * 1000,
    mostMs: MINUTE,
    signal: limit,
    onFailure: (error) => hardware.log.warn(`lookup: ${error.message}`),
  });
  hardware.log.info(`this is node ${state.answer.node.uuid}`);
}
