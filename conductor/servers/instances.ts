/**
 * The life of servers as their API sees it. Each call stores what was asked and returns; the work goes on by itself,
 * also after a restart, and ends in the server's vmState, taskState and fault.
 */
import type { NetworkPort, RequestedNetwork, Server } from '../domain/compute.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Asking, RebuildRequest, ServerRequest } from './server-request.ts';

/**
 * Verbs throw IngotError('conflict') in Nova's words when the server's state or lock does not allow them, and return
 * the server as stored.
 */
export interface Instances {
  /** Stores `maxCount` servers in BUILD/scheduling and returns them, the first first. */
  create(request: ServerRequest): Promise<readonly Server[]>;
  /** Does not wait for cleaning. Deleting what is being built ends the build. */
  delete(server: Server, by: Asking): Promise<void>;
  reboot(server: Server, type: 'SOFT' | 'HARD', by: Asking): Promise<Server>;
  stop(server: Server, by: Asking): Promise<Server>;
  start(server: Server, by: Asking): Promise<Server>;
  rebuild(server: Server, request: RebuildRequest, by: Asking): Promise<Server>;
  /** Without an image: the node's own rescue ramdisk. */
  rescue(
    server: Server,
    request: { readonly adminPass: string; readonly imageUuid: string | null },
    by: Asking,
  ): Promise<Server>;
  unrescue(server: Server, by: Asking): Promise<Server>;
  lock(server: Server, reason: string | null, by: Asking): Promise<Server>;
  unlock(server: Server, by: Asking): Promise<Server>;
  /** For administrators: says what it is, whatever it was. What was going on is given up. */
  resetState(server: Server, vmState: 'active' | 'error', by: Asking): Promise<Server>;
  attachInterface(server: Server, wanted: RequestedNetwork | 'auto', by: Asking): Promise<NetworkPort>;
  detachInterface(server: Server, portId: string, by: Asking): Promise<void>;
  triggerCrashDump(server: Server, by: Asking): Promise<void>;
  /** Serial console of its node. Throws unsupported where there is none. */
  console(server: Server): Promise<{ readonly type: string; readonly url: string }>;
  /** Last lines the machine wrote there, as far as they are kept. */
  consoleOutput(server: Server, lines: number | null): Promise<string>;

  /** What a request would get, without claiming: the report that a real request stores. Throws invalidParameter. */
  explain(request: ServerRequest): Promise<JsonObject>;

  /** Takes up what an earlier conductor left, then reports the service and resources regularly. */
  open(): Promise<void>;
  close(): Promise<void>;
}
