/** Formats a size for error texts: the exact number of bytes, then MiB or GiB. */

/** `21474836480 bytes (20.0 GiB)` */
export function formatBytes(bytes: number): string {
  const mebi = bytes / 1024 ** 2;
  return `${bytes} bytes (${mebi < 1024 ? `${mebi.toFixed(1)} MiB` : `${(mebi / 1024).toFixed(1)} GiB`})`;
}
