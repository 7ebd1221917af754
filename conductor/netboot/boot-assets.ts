/**
 * HTTP for booting machines: scripts, kernel, ramdisk and boot programs. Each transfer is a sighting.
 */
import { realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { type BootDirectory, type BootTrace, parseMac } from '../domain/boot.ts';
import { sendFile } from '../http/file-response.ts';
import { bootScript } from './boot-script.ts';

export interface BootAssetsDeps {
  readonly directory: BootDirectory;
  readonly trace: BootTrace;
  readonly now: () => Date;
  readonly httpBaseUrl: string;
  /** Holds vmlinuz and ramdisk.img. */
  readonly ramdiskDir: string;
  /** Holds the network boot programs. */
  readonly nbpDir: string;
}

const ASSETS = { vmlinuz: 'kernel', 'ramdisk.img': 'ramdisk' } as const;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function registerBootAssets(app: FastifyInstance, deps: BootAssetsDeps): void {
  app.get('/boot/script.ipxe', async (request, reply) => {
    const mac = parseMac(String((request.query as { mac?: unknown }).mac ?? ''));
    if (mac === undefined) return reply.code(400).type('text/plain').send('mac must be a MAC address\n');
    const decision = await deps.directory.decide({ mac });
    const script = bootScript(decision, { httpBaseUrl: deps.httpBaseUrl, mac });
    deps.trace.record({
      kind: decision.kind === 'disk' ? 'disk boot' : 'script',
      at: deps.now(),
      mac,
      bytes: script.length,
      detail: decision.kind,
    });
    return reply.type('text/plain').send(script);
  });

  for (const [name, what] of Object.entries(ASSETS) as [keyof typeof ASSETS, 'kernel' | 'ramdisk'][]) {
    app.get(`/boot/:node/${name}`, async (request, reply) => {
      const { node: nodeUuid } = request.params as { node: string };
      if (!UUID.test(nodeUuid)) return reply.code(404).send({ error: 'no such node' });
      if (request.method === 'GET') deps.trace.record({ kind: `${what} start`, at: deps.now(), nodeUuid });
      const onDone = (bytes: number): void =>
        deps.trace.record({ kind: `${what} done`, at: deps.now(), nodeUuid, bytes, detail: name });
      return sendFile(request, reply, join(deps.ramdiskDir, name), { onDone });
    });
  }

  app.get('/boot/nbp/:file', async (request, reply) => {
    const path = await nbpPath(deps.nbpDir, (request.params as { file: string }).file);
    if (path === undefined) return reply.code(404).send({ error: 'no such file' });
    return sendFile(request, reply, path);
  });
}

/** A plain name whose real path lies in the directory. */
async function nbpPath(dir: string, file: string): Promise<string | undefined> {
  if (!/^[\w.-]+$/.test(file) || file.startsWith('.')) return undefined;
  const [root, path] = await Promise.all([realpath(dir), realpath(join(dir, file)).catch(() => undefined)]);
  return path?.startsWith(root + sep) ? path : undefined;
}
