/** Why the data of a qcow2 image cannot be read; the message continues "the image was refused: ". */
export class BadQcow2 extends Error {}

export const byteCount = (count: number): string => `${count.toLocaleString('en-US')} bytes`;
