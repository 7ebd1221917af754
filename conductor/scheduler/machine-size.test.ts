import { expect, it } from 'vitest';
import { sizeOfMachine } from './machine-size.ts';

it.each([
  [
    { cpus: 4, memory_mb: '8192', local_gb: 100 },
    { vcpus: 4, ramMb: 8_192, diskGb: 100 },
  ],
  [
    { cpus: '', memory_mb: null, local_gb: -1 },
    { vcpus: 0, ramMb: 0, diskGb: 0 },
  ],
  [
    { cpus: 'many', memory_mb: [1], local_gb: true },
    { vcpus: 0, ramMb: 0, diskGb: 0 },
  ],
])('%j is the size %j', (properties, size) => expect(sizeOfMachine({ properties })).toEqual(size));
