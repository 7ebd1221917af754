/**
 * The interface of a driver that runs servers on machines. Each verb is level-triggered: it reads the state of the
 * machine, does the remaining work and resolves when it is done, so a second call after a restart continues. It
 * rejects with an IngotError with the reason, or when the signal aborts.
 */
import type { PowerStateNumber, Server } from '../domain/compute.ts';
import type { JsonObject } from '../domain/json.ts';
import type { HostState } from '../scheduler/host-state.ts';

export interface SpawnPlan {
  /** image_source and others. */
  readonly instanceInfo: JsonObject;
  /** `{meta_data, user_data, network_data, vendor_data}`; null for none. */
  readonly configDrive: JsonObject | null;
}

export interface ComputeDriver {
  readonly name: string;
  /** Called once, before everything else. */
  init(host: string): Promise<void>;
  /** All nodes as host states for the scheduler. */
  resources(): Promise<readonly HostState[]>;
  /** Claims the node if it has no server. Of many simultaneous claims one gets true. */
  claim(server: Server, nodeUuid: string): Promise<boolean>;
  /** The node of the server, whatever the server's record contains. */
  nodeOf(serverUuid: string): Promise<string | undefined>;
  spawn(server: Server, plan: SpawnPlan, signal: AbortSignal): Promise<void>;
  /** Resolves when the node no longer runs the instance; it may still be cleaned. */
  destroy(server: Server, signal: AbortSignal): Promise<void>;
  reboot(server: Server, type: 'SOFT' | 'HARD', signal: AbortSignal): Promise<void>;
  powerOff(server: Server, signal: AbortSignal): Promise<void>;
  powerOn(server: Server, signal: AbortSignal): Promise<void>;
  rebuild(server: Server, plan: SpawnPlan, signal: AbortSignal): Promise<void>;
  rescue(server: Server, adminPass: string, signal: AbortSignal): Promise<void>;
  unrescue(server: Server, signal: AbortSignal): Promise<void>;
  attachInterface(server: Server, vifId: string): Promise<void>;
  detachInterface(server: Server, vifId: string): Promise<void>;
  injectNmi(server: Server): Promise<void>;
  console(server: Server): Promise<{ readonly type: string; readonly url: string }>;
  consoleOutput(server: Server, lines: number | null): Promise<string>;
  info(server: Server): Promise<{ readonly powerState: PowerStateNumber }>;
}
