/**
 * Checks and builds config drives. A config drive has one of three forms: base64 of a gzipped ISO 9660 or FAT image, a
 * URL, or an object `{meta_data, user_data, network_data, vendor_data}` from which an image is built. The Nova API adds
 * `files`, `{path inside openstack/: base64}`, for binary data and for files that users inject.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzip } from 'node:zlib';
import type { ConfigDriveBuilder } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../domain/json.ts';
import type { Node } from '../domain/node.ts';
import { childEnvironment } from './child-environment.ts';

const MEBI = 1024 * 1024;
const MAX_BYTES = 64 * MEBI;
const ISO_AT = 0x8001;
const BUILD_TIMEOUT_MS = 60_000;

/** Errors name the field as requests and as the node have it. */
const bad = (why: string): IngotError =>
  new IngotError('invalidParameter', `configdrive (instance_info/configdrive) ${why}`);

const tooLarge = (size: string): IngotError =>
  bad(
    `is ${size}, and the limit is ${MAX_BYTES} bytes (${MAX_BYTES / MEBI} MiB). To try: leave large files out and let user_data fetch them`,
  );
const NO_DRIVE =
  'is a string that is neither JSON, nor a URL, nor base64 of a gzipped image. Send an object {meta_data, user_data, network_data}, or base64 of a gzipped ISO 9660 or FAT image';

export function createConfigDriveBuilder(): ConfigDriveBuilder {
  return { validate, build };
}

/** Checks everything that can be checked without building the drive. */
function validate(input: Json): void {
  if (isJsonObject(input)) {
    checkObject(input);
    return;
  }
  if (typeof input !== 'string') throw bad('must be a JSON object, a URL, or base64 of a gzipped image');
  if (isUrl(input)) return;
  checkImage(unpack(input));
}

const isUrl = (text: string): boolean => /^https?:\/\/\S+$/.test(text);

function unpack(text: string): Buffer {
  if (!/^[A-Za-z0-9+/=\s]+$/.test(text)) throw bad(NO_DRIVE);
  const packed = Buffer.from(text, 'base64');
  try {
    return gunzipSync(packed, { maxOutputLength: MAX_BYTES });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(unpackedSize(packed));
    throw bad(NO_DRIVE);
  }
}

/** The size in the gzip trailer (RFC 1952 section 2.3.1), which may be wrong and is modulo 2^32. */
function unpackedSize(packed: Buffer): string {
  const told = packed.readUInt32LE(packed.length - 4);
  return told > MAX_BYTES ? `${told} bytes when unpacked` : `more than ${MAX_BYTES} bytes when unpacked`;
}

/** ISO 9660 is recognised by its volume descriptor, FAT by its boot sector. */
function checkImage(image: Buffer): void {
  const iso = image.toString('latin1', ISO_AT, ISO_AT + 5) === 'CD001';
  const fat =
    image.length >= 512 &&
    image.readUInt16LE(510) === 0xaa55 &&
    /FAT/.test(image.toString('latin1', 0x36, 0x5a));
  if (!iso && !fat)
    throw bad(
      'contains neither an ISO 9660 nor a FAT file system: gzip such an image, then encode it as base64',
    );
}

const PARTS = ['meta_data', 'user_data', 'network_data', 'vendor_data'] as const;
/** The paths that `files` may have. */
const FILE_PATH = /^(content\/\d{4}|latest\/user_data)$/;

function checkObject(input: JsonObject): void {
  const unknown = Object.keys(input).filter(
    (key) => key !== 'files' && !(PARTS as readonly string[]).includes(key),
  );
  if (unknown.length > 0) throw bad(`has unknown keys ${unknown.join(', ')}; known are ${PARTS.join(', ')}`);
  for (const key of ['meta_data', 'network_data', 'vendor_data'] as const) {
    if (input[key] != null && !isJsonObject(input[key])) throw bad(`needs an object as ${key}`);
  }
  checkFiles(input['files'] ?? {});
  const bytes = Buffer.byteLength(JSON.stringify(input));
  if (bytes > MAX_BYTES) throw tooLarge(`${bytes} bytes`);
}

function checkFiles(files: Json): void {
  if (!isJsonObject(files)) throw bad('needs an object as files');
  for (const [path, contents] of Object.entries(files)) {
    if (!FILE_PATH.test(path) || typeof contents !== 'string')
      throw bad(`has files["${path.slice(0, 64)}"], which is not content/NNNN with base64`);
  }
}

/** Returns base64 of gzip for the agent. A URL is passed to the agent unchanged. */
async function build(input: Json, node: Node, signal: AbortSignal): Promise<string> {
  validate(input);
  if (!isJsonObject(input)) return String(input);
  const latest = Object.entries(filesOf(input, node)).map(
    ([name, text]) => [`latest/${name}`, text] as const,
  );
  const files = Object.entries((input['files'] ?? {}) as Readonly<Record<string, string>>).map(
    ([path, base64]) => [path, Buffer.from(base64, 'base64')] as const,
  );
  const image = await makeIso([...latest, ...files], signal);
  if (image.length > MAX_BYTES) throw tooLarge(`${image.length} bytes as a file system`);
  return (await promisify(gzip)(image)).toString('base64');
}

/** Files by their path inside `openstack/latest/`. meta_data defaults to the node's UUID and name. */
export function filesOf(input: JsonObject, node: Pick<Node, 'uuid' | 'name'>): Record<string, string> {
  const given = isJsonObject(input['meta_data'] ?? null) ? (input['meta_data'] as JsonObject) : {};
  const names = node.name === null ? {} : { name: node.name, hostname: node.name };
  const user = input['user_data'];
  const text = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
  return {
    'meta_data.json': JSON.stringify({ uuid: node.uuid, ...names, ...given }),
    ...(user == null ? {} : { user_data: text(user) }),
    ...(input['network_data'] == null ? {} : { 'network_data.json': text(input['network_data']) }),
    ...(input['vendor_data'] == null ? {} : { 'vendor_data2.json': text(input['vendor_data']) }),
  };
}

/** `files` have paths inside `openstack/`. */
async function makeIso(
  files: readonly (readonly [path: string, contents: string | Buffer])[],
  signal: AbortSignal,
): Promise<Buffer> {
  const work = await mkdtemp(join(tmpdir(), 'ingot-configdrive-'));
  try {
    const root = join(work, 'root/openstack');
    for (const [path, contents] of files) {
      await mkdir(dirname(join(root, path)), { recursive: true, mode: 0o700 });
      await writeFile(join(root, path), contents, { mode: 0o600 });
    }
    const iso = join(work, 'config.iso');
    const args = [
      '-quiet',
      '-R',
      '-J',
      '-input-charset',
      'utf-8',
      '-V',
      'config-2',
      '-o',
      iso,
      join(work, 'root'),
    ];
    const { execa } = await import('execa');
    const done = await execa('genisoimage', args, {
      reject: false,
      timeout: BUILD_TIMEOUT_MS,
      cancelSignal: signal,
      ...childEnvironment(),
    });
    if (done.failed)
      throw new IngotError(
        'imageFailure',
        `building the config drive failed in genisoimage: ${done.stderr.slice(-300) || done.shortMessage}`,
      );
    return await readFile(iso);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
