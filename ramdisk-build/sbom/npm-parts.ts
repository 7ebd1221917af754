/**
 * npm packages of a workspace for a bill of materials, from the lock file: what it needs to run, directly and
 * indirectly, and not what tests and builds need.
 */
import type { Component, Part } from './cyclonedx.ts';

/** A part of package-lock.json (npm docs, package-lock-json, lockfileVersion 3). */
export interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly name?: string;
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly optional?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface NpmParts {
  /** `bom-ref`s of what the workspaces name themselves. */
  readonly direct: readonly string[];
  readonly parts: readonly Part[];
}

/** `workspaces`: paths in the lock file, such as `conductor`. */
export function npmParts(lock: LockFile, workspaces: readonly string[]): NpmParts {
  const parts = new Map<string, Part>();

  function visit(path: string): string {
    const locked = lock.packages[path] as LockedPackage;
    const ref = purlOf(nameOf(path, locked), locked.version ?? '');
    if (parts.has(ref)) return ref;
    const entry = { component: componentOf(path, locked), dependsOn: [] as string[] };
    // Before its dependencies, because packages may need each other.
    parts.set(ref, entry);
    entry.dependsOn.push(...neededBy(path).map(visit));
    return ref;
  }

  /** Paths of the packages that this one names and that the lock file has. */
  function neededBy(path: string): string[] {
    const { dependencies, optionalDependencies, peerDependencies } = lock.packages[path] ?? {};
    const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
    return names.flatMap((name) => {
      const found = locate(lock, path, name);
      if (found === undefined && dependencies?.[name] !== undefined)
        throw new Error(`package-lock.json lacks ${name}, which ${path} needs: run npm install`);
      return found === undefined ? [] : [found];
    });
  }

  const direct = workspaces.flatMap((workspace) => neededBy(workspace).map(visit));
  return { direct, parts: [...parts.values()] };
}

/** As Node finds packages: inside the package, then beside it, then beside each package around it. */
function locate(lock: LockFile, from: string, name: string): string | undefined {
  const around = from.split('/node_modules/').map((_, index, all) => all.slice(0, all.length - index));
  const places = [...around.map((parts) => `${parts.join('/node_modules/')}/`), ''];
  return places
    .map((place) => `${place}node_modules/${name}`)
    .find((path) => lock.packages[path]?.version !== undefined);
}

const nameOf = (path: string, { name }: LockedPackage): string =>
  name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

const purlOf = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;

function componentOf(path: string, locked: LockedPackage): Component {
  const whole = nameOf(path, locked);
  const version = locked.version ?? '';
  const [name = whole, group] = whole.split('/').reverse();
  const purl = purlOf(whole, version);
  const digest = /^sha512-(.+)$/.exec(locked.integrity ?? '')?.[1];
  return {
    'bom-ref': purl,
    type: 'library',
    ...(group === undefined ? {} : { group }),
    name,
    version,
    scope: locked.optional === true ? 'optional' : 'required',
    ...(digest === undefined
      ? {}
      : { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }),
    ...(locked.license === undefined ? {} : { licenses: [licenseOf(locked.license)] }),
    purl,
  };
}

const licenseOf = (text: string) =>
  /^[\w.+ ()-]+$/.test(text) ? { expression: text } : { license: { name: text } };
