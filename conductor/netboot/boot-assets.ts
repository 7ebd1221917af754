/**
 * HTTP routes for booting machines: scripts, kernel, ramdisk and boot programs. Each transfer is recorded.
 */
import { realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type BootDirectory,
  type BootTrace,
  type Mac,
  parseMac,
  type ScriptDecision,
} from '../domain/boot.ts';
import { type FileResponse, sendFile } from '../http/file-response.ts';
import { bootScript } from './boot-script.ts';

export interface BootAssetsDeps {
  readonly directory: BootDirectory;
  readonly trace: BootTrace;
  /** The address that our DHCP has leased to a machine, as in ScriptClient. */
  readonly leasedTo: (mac: Mac) => Promise<string | null | undefined>;
  readonly now: () => Date;
  readonly httpBaseUrl: string;
  /** Contains vmlinuz and ramdisk.img. */
  readonly ramdiskDir: string;
  /** Contains the network boot programs. */
  readonly nbpDir: string;
  /** Records the transfer of a boot program. UEFI HTTP boot does not send a MAC, so the client is known by address. */
  readonly recordNbp: RecordNbp;
  readonly warn: (fields: object, text: string) => void;
}

export type RecordNbp = (
  kind: 'nbp start' | 'nbp done',
  client: string,
  more: { readonly detail: string; readonly bytes?: number },
) => void;

const ASSETS = { vmlinuz: 'kernel', 'ramdisk.img': 'ramdisk' } as const;
const TRANSFER = { config: { transfer: true } } as const;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function registerBootAssets(app: FastifyInstance, deps: BootAssetsDeps): void {
  const { trace, now } = deps;

  async function sendIfThere(
    request: FastifyRequest,
    reply: FastifyReply,
    path: string,
    more?: FileResponse,
  ): Promise<FastifyReply> {
    try {
      return await sendFile(request, reply, path, more);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
      deps.warn({ path }, 'a boot file is missing: `ingot ramdisk build` creates it');
      return reply.code(404).send({ error: 'no such file' });
    }
  }

  app.get('/boot/script.ipxe', async (request, reply) => {
    const mac = parseMac(String((request.query as { mac?: unknown }).mac ?? ''));
    if (mac === undefined) return reply.code(400).type('text/plain').send('mac must be a MAC address\n');
    const decision = await deps.directory.decideScript({
      mac,
      address: request.ip,
      leased: await deps.leasedTo(mac),
    });
    const script = bootScript(decision, { httpBaseUrl: deps.httpBaseUrl, mac });
    const kind = decision.kind === 'disk' ? 'disk boot' : 'script';
    if (request.method === 'GET' && isRecorded(decision))
      trace.record({ kind, at: now(), mac, bytes: script.length, detail: decision.kind });
    return reply.type('text/plain').header('cache-control', 'no-store').send(script);
  });

  for (const [name, what] of Object.entries(ASSETS) as [keyof typeof ASSETS, 'kernel' | 'ramdisk'][]) {
    app.get(`/boot/:node/${name}`, TRANSFER, async (request, reply) => {
      const { node: nodeUuid } = request.params as { node: string };
      if (!UUID.test(nodeUuid)) return reply.code(404).send({ error: 'no such node' });
      if (request.method === 'GET') trace.record({ kind: `${what} start`, at: now(), nodeUuid });
      const onDone = (bytes: number): void =>
        trace.record({ kind: `${what} done`, at: now(), nodeUuid, bytes, detail: name });
      return sendIfThere(request, reply, join(deps.ramdiskDir, name), { onDone });
    });
  }

  app.get('/boot/nbp/:file', TRANSFER, async (request, reply) => {
    const { file: detail } = request.params as { file: string };
    const path = await nbpPath(deps.nbpDir, detail);
    if (path === undefined) return reply.code(404).send({ error: 'no such file' });
    if (request.method === 'GET') deps.recordNbp('nbp start', request.ip, { detail });
    const onDone = (bytes: number): void => deps.recordNbp('nbp done', request.ip, { detail, bytes });
    return sendIfThere(request, reply, path, { onDone });
  });
}

/** Unknown machines are not recorded, because anybody could fill the store with them. */
const isRecorded = ({ kind }: ScriptDecision): boolean => kind !== 'unknown' && kind !== 'refused';

/** The path of a plain file name, if its real path is inside the directory. */
async function nbpPath(dir: string, file: string): Promise<string | undefined> {
  if (!/^[\w.-]+$/.test(file) || file.startsWith('.')) return undefined;
  const [root, path] = await Promise.all([realpath(dir), realpath(join(dir, file)).catch(() => undefined)]);
  return path?.startsWith(root + sep) ? path : undefined;
}
