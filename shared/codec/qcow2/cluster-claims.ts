/**
 * Which clusters of a file are in use. A cluster has one use: header, part of the L1 table, L2 table or data. An image
 * that uses one twice is damaged, or made to keep its reader busy.
 */
import { BadQcow2, byteCount } from './bad-qcow2.ts';

/** One bit a cluster: 128 MiB, enough for 64 TiB in clusters of 64 KiB. */
const MAX_CLUSTERS = 2 ** 30;

/** The answer claims the cluster at an offset. It throws BadQcow2 if the cluster is in use or not in the file. */
export function createClusterClaims(fileBytes: number, clusterBytes: number): (fileAt: number) => void {
  const clusters = Math.ceil(fileBytes / clusterBytes);
  if (clusters > MAX_CLUSTERS)
    throw new BadQcow2(`it consists of more than ${MAX_CLUSTERS} clusters; use larger clusters`);
  const used = new Uint8Array(Math.ceil(clusters / 8));
  return (fileAt) => {
    const index = Math.floor(fileAt / clusterBytes);
    if (index >= clusters)
      throw new BadQcow2(`it is ${byteCount(fileBytes)}, but uses a cluster at ${byteCount(fileAt)}`);
    const [byte, bit] = [Math.floor(index / 8), 1 << (index % 8)];
    if ((used[byte]! & bit) !== 0)
      throw new BadQcow2(`the cluster at ${byteCount(fileAt)} is used twice; "qemu-img check" shows more`);
    used[byte]! |= bit;
  };
}
