/**
 * The life of servers, as the API uses it. Each call stores the request and returns. The work continues in the
 * background, also after a restart; its result is in vmState, taskState and fault of the server.
 */
import type { NetworkPort, RequestedNetwork, Server } from '../domain/compute.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Asking, RebuildRequest, ServerRequest } from './server-request.ts';

/**
 * Verbs throw IngotError('conflict') with Nova's texts when the server's state or lock does not allow them, and
 * return the stored server.
 */
export interface Instances {
  /** Stores `maxCount` servers in BUILD/scheduling and returns them in order. */
  create(request: ServerRequest): Promise<readonly Server[]>;
  /** Does not wait for cleaning. Deleting a server during its build ends the build. */
  delete(server: Server, by: Asking): Promise<void>;
  reboot(server: Server, type: 'SOFT' | 'HARD', by: Asking): Promise<Server>;
  stop(server: Server, by: Asking): Promise<Server>;
  start(server: Server, by: Asking): Promise<Server>;
  rebuild(server: Server, request: RebuildRequest, by: Asking): Promise<Server>;
  /** Without an image it uses the node's own rescue ramdisk. */
  rescue(
    server: Server,
    request: { readonly adminPass: string; readonly imageUuid: string | null },
    by: Asking,
  ): Promise<Server>;
  unrescue(server: Server, by: Asking): Promise<Server>;
  lock(server: Server, reason: string | null, by: Asking): Promise<Server>;
  unlock(server: Server, by: Asking): Promise<Server>;
  /** For administrators: sets the state, whatever it was. Running work is abandoned. */
  resetState(server: Server, vmState: 'active' | 'error', by: Asking): Promise<Server>;
  attachInterface(server: Server, wanted: RequestedNetwork | 'auto', by: Asking): Promise<NetworkPort>;
  detachInterface(server: Server, portId: string, by: Asking): Promise<void>;
  triggerCrashDump(server: Server, by: Asking): Promise<void>;
  /** The serial console of its node. Throws unsupported without one. */
  console(server: Server): Promise<{ readonly type: string; readonly url: string }>;
  /** The last lines of the console, as far as they are recorded. */
  consoleOutput(server: Server, lines: number | null): Promise<string>;

  /** The scheduling report that the request would get; claims nothing. Throws invalidParameter. */
  explain(request: ServerRequest): Promise<JsonObject>;

  /** Continues the work of an earlier conductor, then reports the service and resources regularly. */
  open(): Promise<void>;
  close(): Promise<void>;
}
