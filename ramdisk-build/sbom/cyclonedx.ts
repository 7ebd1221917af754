/**
 * A bill of materials in CycloneDX 1.6 (JSON). The same components give the same bytes: no times, no random serial
 * number, everything sorted.
 */
import { createHash } from 'node:crypto';

export interface Component {
  /** Unique in the document; other components refer to it. */
  readonly 'bom-ref': string;
  readonly type: 'application' | 'library' | 'operating-system';
  readonly name: string;
  readonly version: string;
  readonly group?: string;
  readonly scope?: 'required' | 'optional';
  readonly hashes?: readonly { readonly alg: 'SHA-256' | 'SHA-512'; readonly content: string }[];
  readonly licenses?: readonly (
    | { readonly expression: string }
    | { readonly license: { readonly name: string } }
  )[];
  readonly cpe?: string;
  readonly purl?: string;
}

export interface Part {
  readonly component: Component;
  /** `bom-ref`s of what it needs itself. */
  readonly dependsOn: readonly string[];
}

/** `subject`: what the document is about; its `dependsOn` are the parts that it names itself. */
export function bomOf(subject: Part, parts: readonly Part[]) {
  const sorted = [...new Map(parts.map((part) => [part.component['bom-ref'], part])).values()].sort((a, b) =>
    compare(a.component['bom-ref'], b.component['bom-ref']),
  );
  const content = {
    metadata: { component: subject.component },
    components: sorted.map(({ component }) => component),
    dependencies: [subject, ...sorted].map(({ component, dependsOn }) => ({
      ref: component['bom-ref'],
      dependsOn: [...new Set(dependsOn)].sort(compare),
    })),
  };
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(content))}`,
    version: 1,
    ...content,
  };
}

export type Bom = ReturnType<typeof bomOf>;

export const bomText = (bom: Bom): string => `${JSON.stringify(bom, null, 2)}\n`;

/** Not localeCompare, which depends on the locale. */
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A UUID of version 8 (RFC 9562): made from the content. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Node itself. `sha256` is that of the binary, if it is part of what is described. */
export function nodePart(version: string, sha256?: string): Part {
  const purl = `pkg:generic/node@${version}`;
  return {
    component: {
      'bom-ref': purl,
      type: 'application',
      name: 'node',
      version,
      ...(sha256 === undefined ? {} : { hashes: [{ alg: 'SHA-256', content: sha256 }] }),
      licenses: [{ expression: 'MIT' }],
      cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
      purl,
    },
    dependsOn: [],
  };
}
