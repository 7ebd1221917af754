/**
 * Reads the needed shared libraries of an ELF program (System V ABI: program headers, dynamic section). Unlike ldd, it
 * does not run the program.
 */
const PT_LOAD = 1;
const PT_DYNAMIC = 2;
const PT_INTERP = 3;
const DT_NEEDED = 1n;
const DT_STRTAB = 5n;

export interface ElfNeeds {
  /** Names as in DT_NEEDED: `libc.so.6`. */
  readonly libraries: readonly string[];
  /** Path of the dynamic loader, for programs. */
  readonly interpreter: string | undefined;
}

/** undefined if it is not a 64-bit little-endian ELF file. */
export function elfNeeds(file: Buffer): ElfNeeds | undefined {
  if (file.length < 64 || file.readUInt32BE(0) !== 0x7f454c46 || file[4] !== 2 || file[5] !== 1)
    return undefined;
  const tableAt = Number(file.readBigUInt64LE(32));
  const size = file.readUInt16LE(54);
  const headers = Array.from({ length: file.readUInt16LE(56) }, (_, i) =>
    programHeader(file, tableAt + i * size),
  );
  const interp = headers.find(({ type }) => type === PT_INTERP);
  const dynamic = headers.find(({ type }) => type === PT_DYNAMIC);
  return {
    interpreter: interp && text(file, interp.offset),
    libraries: dynamic === undefined ? [] : neededBy(file, headers, dynamic),
  };
}

interface ProgramHeader {
  readonly type: number;
  readonly offset: number;
  readonly address: number;
  readonly size: number;
}

function programHeader(file: Buffer, at: number): ProgramHeader {
  return {
    type: file.readUInt32LE(at),
    offset: Number(file.readBigUInt64LE(at + 8)),
    address: Number(file.readBigUInt64LE(at + 16)),
    size: Number(file.readBigUInt64LE(at + 32)),
  };
}

function neededBy(file: Buffer, headers: readonly ProgramHeader[], dynamic: ProgramHeader): string[] {
  const entries: [bigint, number][] = [];
  for (let at = dynamic.offset; at + 16 <= dynamic.offset + dynamic.size; at += 16) {
    entries.push([file.readBigUInt64LE(at), Number(file.readBigUInt64LE(at + 8))]);
  }
  const strings = entries.find(([tag]) => tag === DT_STRTAB)?.[1];
  const holder = headers.find(
    (h) =>
      h.type === PT_LOAD && strings !== undefined && strings >= h.address && strings < h.address + h.size,
  );
  if (strings === undefined || holder === undefined) return [];
  const base = strings - holder.address + holder.offset;
  return entries.filter(([tag]) => tag === DT_NEEDED).map(([, offset]) => text(file, base + offset));
}

const text = (file: Buffer, at: number): string => file.toString('latin1', at, file.indexOf(0, at));
