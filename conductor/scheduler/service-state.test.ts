import { describe, expect, it } from 'vitest';
import { isUp, type ServiceState, whyRefusing } from './service-state.ts';

const NOW = new Date('2026-01-02T03:04:05Z');
const before = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000);
const service = (changes: Partial<ServiceState> = {}): ServiceState => ({
  host: 'compute-1',
  isDisabled: false,
  disabledReason: null,
  forcedDown: false,
  reportedAt: before(10),
  ...changes,
});

describe('a compute service', () => {
  it.each<[Partial<ServiceState>, boolean, string | undefined]>([
    [{}, true, undefined],
    [{ reportedAt: before(60) }, true, undefined],
    [{ reportedAt: before(61) }, false, 'compute service compute-1 has not reported for 61 s'],
    [{ reportedAt: null }, false, 'compute service compute-1 has never reported'],
    [{ forcedDown: true }, false, 'compute service compute-1 is forced down'],
    [{ isDisabled: true }, true, 'compute service compute-1 is disabled: no reason given'],
    [{ isDisabled: true, disabledReason: 'move' }, true, 'compute service compute-1 is disabled: move'],
  ])('%j: up %j, accepts no work because %j', (changes, up, reason) => {
    expect(isUp(service(changes), NOW, 60_000)).toBe(up);
    expect(whyRefusing(service(changes), NOW, 60_000)).toBe(reason);
  });
});
