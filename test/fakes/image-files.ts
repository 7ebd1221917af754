/**
 * Small hand-made images, valid and invalid, and an HTTP server on loopback that serves them.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const SECTOR_BYTES = 512;
const CLUSTER_BYTES = 65_536;

/** A raw disk of 1 MiB whose MBR has one Linux partition (type 0x83). */
export function rawDisk(fill = 0): Buffer {
  const disk = Buffer.alloc(2048 * SECTOR_BYTES, fill);
  disk.fill(0, 440, 510);
  disk[446] = 0x80;
  disk[450] = 0x83;
  disk.writeUInt32LE(63, 454);
  disk.writeUInt32LE(1024, 458);
  disk.writeUInt16LE(0xaa55, 510);
  return disk;
}

/** The header of a version 2 qcow2 image of 1 MiB. The file ends after its first cluster, so its L1 table is missing. */
export function truncatedQcow2(): Buffer {
  const image = Buffer.alloc(CLUSTER_BYTES);
  image.writeUInt32BE(0x514649fb, 0);
  image.writeUInt32BE(2, 4);
  image.writeUInt32BE(16, 20);
  image.writeBigUInt64BE(1024n * 1024n, 24);
  image.writeUInt32BE(1, 36);
  image.writeBigUInt64BE(BigInt(CLUSTER_BYTES), 40);
  return image;
}

/** A qcow2 image with a backing file, here one of the conductor's own files. */
export function backedQcow2(): Buffer {
  const image = Buffer.concat([truncatedQcow2(), Buffer.alloc(CLUSTER_BYTES)]);
  const name = Buffer.from('/etc/passwd');
  image.writeBigUInt64BE(1024n, 8);
  image.writeUInt32BE(name.length, 16);
  name.copy(image, 1024);
  return image;
}

export const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

export interface ImageServer extends AsyncDisposable {
  /** instance_info for this file, with its correct checksum. */
  publish(name: string, bytes: Buffer): { image_source: string; image_checksum: string };
}

export async function startImageServer(): Promise<ImageServer> {
  const files = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const file = files.get(request.url ?? '');
    if (file === undefined) response.writeHead(404);
    response.end(file);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    publish(name, bytes) {
      files.set(`/${name}`, bytes);
      return { image_source: `${base}/${name}`, image_checksum: sha256Of(bytes) };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
