/**
 * Builds the test operating system: Debian's userland and kernel with a small init, as a bootable qcow2. Cached under
 * a hash of all its inputs.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CpioEntry, encodeCpio } from '@ingot/ramdisk-build/cpio.ts';
import {
  downloadPackages,
  packageBehind,
  resolvePackages,
  unpackPackages,
} from '@ingot/ramdisk-build/debian-packages.ts';
import { findRelease, resolveModules } from '@ingot/ramdisk-build/kernel-modules.ts';
import { run } from '@ingot/ramdisk-build/run.ts';
import { BUILD_PACKAGES, cacheKey, installedVersions, ownSources } from './cache-key.ts';
import { INITRAMFS_MODULES, KERNEL_META, LEFT_OUT, PACKAGES, ROOT_MODULES } from './contents.ts';
import { makeDisk } from './disk.ts';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOTFS = join(HERE, 'rootfs');
/** Parent directories come first. */
const DIRECTORIES = [
  'proc',
  'sys',
  'dev',
  'run',
  'etc',
  'etc/pam.d',
  'root',
  'mnt',
  'boot',
  'boot/grub',
  'usr',
  'usr/sbin',
];
const ROOT_BYTES = 384 * 1024 * 1024;
/** Root's password in the lab. */
export const LAB_PASSWORD = 'ingot-lab';

export interface OsImage {
  readonly path: string;
  /** Digest of the qcow2 file. */
  readonly sha256: string;
  readonly virtualSizeBytes: number;
  readonly bytes: number;
}

export async function buildOsImage(options: {
  readonly outDir: string;
  readonly cacheDir: string;
  readonly signal: AbortSignal;
  readonly onProgress?: (text: string) => void;
}): Promise<OsImage> {
  const { outDir, cacheDir, signal } = options;
  const say = options.onProgress ?? (() => undefined);
  say('resolving packages');
  const packages = await resolvePackages(PACKAGES, signal);
  const kernel = await packageBehind(KERNEL_META, 'linux-image-', signal);
  const inputs = cacheKey({
    packages: [kernel, ...packages],
    tools: await installedVersions(BUILD_PACKAGES, signal),
    sources: await ownSources(),
  });
  const metaPath = join(outDir, 'os-image.json');
  const known = await builtBefore(metaPath, inputs);
  if (known !== undefined) return known;
  const work = await mkdtemp(join(tmpdir(), 'ingot-os-'));
  try {
    say(`downloading and unpacking ${packages.length + 1} packages`);
    const debs = join(cacheDir, 'debs');
    await downloadPackages([kernel, ...packages], debs, signal);
    const [rootTree, kernelRoot] = [join(work, 'root'), join(work, 'kernel')];
    await unpackPackages(packages, debs, rootTree, signal);
    await unpackPackages([kernel], debs, kernelRoot, signal);
    say('setting it up');
    await setUpRoot(rootTree);
    await addKernel(rootTree, kernelRoot);
    say('writing the disk image');
    const raw = join(work, 'disk.raw');
    const virtualSizeBytes = await makeDisk(raw, { rootTree, rootBytes: ROOT_BYTES, work, signal });
    await mkdir(outDir, { recursive: true });
    const [temporary, path] = [join(outDir, '.os-image.qcow2'), join(outDir, 'os-image.qcow2')];
    await run('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', raw, temporary], { signal });
    await rm(metaPath, { force: true });
    await rename(temporary, path);
    const sha256 = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
    const image: OsImage = { path, sha256, virtualSizeBytes, bytes: (await stat(path)).size };
    await writeFile(metaPath, JSON.stringify({ ...image, inputs }));
    return image;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** The cached image of these inputs, if it is complete. */
async function builtBefore(metaPath: string, inputs: string): Promise<OsImage | undefined> {
  if (!existsSync(metaPath)) return undefined;
  const { inputs: before, ...image } = JSON.parse(await readFile(metaPath, 'utf8')) as OsImage & {
    inputs: string;
  };
  const whole = before === inputs && existsSync(image.path) && (await stat(image.path)).size === image.bytes;
  return whole ? image : undefined;
}

/** Sets the mode explicitly, so that the image does not depend on the umask. */
async function putDirectory(path: string, mode = 0o755): Promise<void> {
  await mkdir(path, { recursive: true });
  await chmod(path, mode);
}

async function putFile(path: string, contents: string | Uint8Array, mode = 0o644): Promise<void> {
  await writeFile(path, contents);
  await chmod(path, mode);
}

/** Does what maintainer scripts would do, as far as this system needs it. */
async function setUpRoot(root: string): Promise<void> {
  for (const path of LEFT_OUT) await rm(join(root, path), { recursive: true, force: true });
  for (const path of DIRECTORIES) await putDirectory(join(root, path));
  await putDirectory(join(root, 'tmp'), 0o1777);
  const password = (await run('openssl', ['passwd', '-6', '-salt', 'ingotlab', LAB_PASSWORD])).trim();
  const files: Readonly<Record<string, string>> = {
    'etc/passwd': 'root:x:0:0:root:/root:/bin/bash\n',
    'etc/group': 'root:x:0:\ntty:x:5:\nutmp:x:43:\n',
    'etc/shadow': `root:${password}:19000:0:99999:7:::\n`,
    'etc/hostname': 'ingot-unnamed\n',
    'etc/issue': 'Debian GNU/Linux 12 (Ingot lab) \\n \\l\n\n',
    'etc/pam.d/login':
      'auth required pam_unix.so\naccount required pam_unix.so\npassword required pam_unix.so\nsession required pam_unix.so\n',
    'etc/pam.d/other': 'auth required pam_deny.so\naccount required pam_deny.so\n',
    'etc/login.defs': 'ENCRYPT_METHOD SHA512\n',
    'etc/fstab': '',
  };
  for (const [path, text] of Object.entries(files))
    await putFile(join(root, path), text, path === 'etc/shadow' ? 0o600 : 0o644);
  for (const name of ['rc', 'inittab', 'udhcpc.script'])
    await putFile(join(root, 'etc', name), await readFile(join(ROOTFS, name)), 0o755);
  await symlink('/bin/busybox', join(root, 'sbin/init'));
  await putFile(join(root, 'boot/grub/grub.cfg'), grubConfig());
}

const grubConfig = (): string =>
  [
    'serial --unit=0 --speed=115200',
    'terminal_output console serial',
    'set timeout=0',
    'menuentry "Ingot lab" {',
    '  linux /boot/vmlinuz console=tty0 console=ttyS0,115200 quiet net.ifnames=0 panic=10',
    '  initrd /boot/initrd.img',
    '}',
    '',
  ].join('\n');

/** All modules are in one directory and loaded in this order, because the system has no depmod. */
async function addKernel(root: string, kernelRoot: string): Promise<void> {
  const release = await findRelease(kernelRoot);
  await cp(join(kernelRoot, `boot/vmlinuz-${release}`), join(root, 'boot/vmlinuz'));
  const early = await resolveModules(kernelRoot, release, INITRAMFS_MODULES);
  const all = await resolveModules(kernelRoot, release, [...INITRAMFS_MODULES, ...ROOT_MODULES]);
  const late = all.filter((module) => !early.some(({ name }) => name === module.name));
  const directory = join(root, 'lib/ingot-modules');
  await putDirectory(directory);
  for (const { path } of late) await cp(join(kernelRoot, path), join(directory, basename(path)));
  await putFile(join(directory, 'order'), late.map(({ path }) => `${basename(path)}\n`).join(''));

  const entries: CpioEntry[] = [
    { kind: 'file', path: 'init', mode: 0o755, data: await readFile(join(ROOTFS, 'init')) },
    { kind: 'file', path: 'bin/busybox', mode: 0o755, data: await readFile(join(root, 'bin/busybox')) },
    {
      kind: 'file',
      path: 'modules/order',
      mode: 0o644,
      data: Buffer.from(early.map(({ path }) => `${basename(path)}\n`).join('')),
    },
    { kind: 'character device', path: 'dev/console', mode: 0o600, major: 5, minor: 1 },
  ];
  for (const { path } of early)
    entries.push({
      kind: 'file',
      path: `modules/${basename(path)}`,
      mode: 0o644,
      data: await readFile(join(kernelRoot, path)),
    });
  await putFile(join(root, 'boot/initrd.img'), encodeCpio(entries));
}
