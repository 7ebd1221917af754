/** Uses fake programs with the output of apt. reproducible.protocol.test.ts uses the real apt. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type DebianPackage,
  describePackages,
  downloadPackages,
  fileNameOf,
  knownPackages,
  packageBehind,
  resolvePackages,
  unpackPackages,
} from './debian-packages.ts';

const never = new AbortController().signal;
const path = process.env['PATH'];
let dir: string;
let cache: string;

/** Writes a program that runs the shell commands in `text`, and records the arguments of its calls. */
const program = (name: string, text: string): Promise<void> =>
  writeFile(join(dir, name), `#!/bin/sh\nprintf '%s\\n' "$*" >> ${dir}/calls\n${text}\n`, { mode: 0o755 });
const calls = async (): Promise<string[]> => (await readFile(join(dir, 'calls'), 'utf8')).trim().split('\n');

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ingot-apt-'));
  cache = join(dir, 'cache');
  process.env['PATH'] = `${dir}:${path}`;
});
afterEach(async () => {
  process.env['PATH'] = path;
  await rm(dir, { recursive: true, force: true });
});

const STANZAS = `Package: mdadm
Version: 4.2-5
Architecture: amd64
Depends: libc6
SHA256: ab

Package: busybox-static
Version: 1:1.35.0-4
Architecture: amd64

N: a note`;

describe('packages that apt knows', () => {
  it('are described by their stanzas, by name', async () => {
    await program('apt-cache', `cat <<'EOT'\n${STANZAS}\nEOT`);
    expect(await describePackages(['mdadm', 'busybox-static'], never)).toEqual([
      { name: 'busybox-static', version: '1:1.35.0-4', architecture: 'amd64', sha256: '' },
      { name: 'mdadm', version: '4.2-5', architecture: 'amd64', sha256: 'ab' },
    ]);
    expect(await calls()).toEqual(['show --no-all-versions mdadm busybox-static']);
  });

  it('include all their dependencies, each once', async () => {
    await program(
      'apt-cache',
      `case $1 in depends) printf 'mdadm\\n  Depends: libc6\\n |Depends: <virtual>\\nlibc6\\nmdadm\\n';; show) printf 'Package: x\\n';; esac`,
    );
    await resolvePackages(['mdadm'], never);
    expect((await calls())[1]).toBe('show --no-all-versions mdadm libc6');
  });

  it('are those with a candidate, in the order they were asked for', async () => {
    await program(
      'apt-cache',
      `printf 'b:\\n  Installed: (none)\\n  Candidate: 1.0\\na:\\n  Installed: 2\\n  Candidate: 2\\nc:\\n  Installed: (none)\\n  Candidate: (none)\\n'`,
    );
    expect(await knownPackages(['a', 'b', 'c', 'd'], never)).toEqual(['a', 'b']);
  });

  it('are found through a metapackage', async () => {
    await program(
      'apt-cache',
      `case $1 in depends) printf 'linux-image-amd64\\n  Depends: linux-image-6.1.0-9-amd64\\n';; show) printf 'Package: %s\\nVersion: 6\\n' "$3";; esac`,
    );
    const found = await packageBehind('linux-image-amd64', 'linux-image-', never);
    expect(found).toMatchObject({ name: 'linux-image-6.1.0-9-amd64', version: '6' });
    await expect(packageBehind('linux-image-amd64', 'firmware-', never)).rejects.toThrow(
      'apt finds no dependency of linux-image-amd64; run apt-get update',
    );
  });

  it('are missing: the error contains the text of apt and advice', async () => {
    await program('apt-cache', `echo 'E: No packages found' >&2; exit 100`);
    await expect(describePackages(['x'], never)).rejects.toThrow(
      /^E: No packages found; run apt-get update, and check that/,
    );
  });
});

it('packages are unpacked into one directory, and unpacked when that is told', async () => {
  await program('dpkg-deb', 'sleep 0.1; echo "$2" > "$3/$(basename "$2")"');
  const packages = ['a', 'b'].map((name) => ({ name, version: '1', architecture: 'all', sha256: '' }));
  const root = join(dir, 'root');
  await unpackPackages(packages, cache, root, never);
  expect(readdirSync(root)).toEqual(['a_1_all.deb', 'b_1_all.deb']);
});

describe('downloads', () => {
  const data = 'a package';
  const one: DebianPackage = {
    name: 'one',
    version: '1:2',
    architecture: 'amd64',
    sha256: createHash('sha256').update(data).digest('hex'),
  };
  const file = () => join(cache, 'one_1%3a2_amd64.deb');
  const downloading = () =>
    program('apt-get', `for f in "$@"; do :; done; printf '${data}' > 'one_1%3a2_amd64.deb'`);

  it('have the names of apt', () => expect(fileNameOf(one)).toBe('one_1%3a2_amd64.deb'));

  it('are stored in the cache completely, and not downloaded again', async () => {
    await downloading();
    await downloadPackages([one], cache, never);
    expect(await readFile(file(), 'utf8')).toBe(data);
    expect((await calls())[0]).toMatch(/^download -qq .*APT::Sandbox::User=root.* one=1:2$/);
    await downloadPackages([one], cache, never);
    expect(await calls()).toHaveLength(1);
    expect(readdirSync(cache)).toEqual(['one_1%3a2_amd64.deb']);
  });

  it('replace a damaged file, and accept one whose digest is unknown', async () => {
    await mkdir(cache);
    await writeFile(file(), 'damaged');
    await downloadPackages([{ ...one, sha256: '' }], cache, never);
    expect(existsSync(join(dir, 'calls'))).toBe(false);
    await downloading();
    await downloadPackages([one], cache, never);
    expect(await readFile(file(), 'utf8')).toBe(data);
  });

  it('that fail leave nothing, and report the first errors of apt', async () => {
    await program('apt-get', `printf 'W: w\\nE: first\\nE: second\\nE: third\\n' >&2; exit 100`);
    await expect(downloadPackages([one], cache, never)).rejects.toThrow(
      /^apt could not download 1 packages: E: first E: second\. Check that/,
    );
    expect(readdirSync(cache)).toEqual([]);
  });

  it('to a full disk report it', async () => {
    await program('apt-get', `echo 'E: Write error - write (28: No space left on device)' >&2; exit 100`);
    await expect(downloadPackages([one], cache, never)).rejects.toThrow(`--cache ${cache}: the disk is full`);
  });
});
