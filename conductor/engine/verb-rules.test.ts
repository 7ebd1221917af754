import { describe, expect, it, vi } from 'vitest';
import { NOW, sampleNode } from '../../test/fakes/engine-samples.ts';
import { VERBS, type Verb } from '../domain/verbs.ts';
import { argumentsOf, beginning, instanceChanges, moving, refuseVerb } from './verb-rules.ts';

const verbs = Object.keys(VERBS) as Verb[];
const refusing = (fields: Parameters<typeof sampleNode>[0]) =>
  verbs.filter((verb) => {
    try {
      refuseVerb(sampleNode(fields), verb);
      return false;
    } catch {
      return true;
    }
  });

describe('refuseVerb', () => {
  it('refuses work on the machine in maintenance, but allows verbs that repair a node', () => {
    expect(refusing({ maintenance: true }).sort()).toEqual([
      'active',
      'clean',
      'deploy',
      'rebuild',
      'rescue',
      'service',
      'unrescue',
    ]);
    const node = sampleNode({ maintenance: true, maintenanceReason: 'fan' });
    expect(() => refuseVerb(node, 'active')).toThrow(
      `The active operation can't be performed on node n1 because it's in maintenance mode (fan). Leave maintenance first.`,
    );
  });

  it('refuses provide for a retired node', () => {
    expect(refusing({ retired: true })).toEqual(['provide']);
  });

  it('does not remove the instance of a protected node', () => {
    expect(refusing({ protected: true }).sort()).toEqual(['deleted', 'rebuild', 'undeploy']);
    expect(() => refuseVerb(sampleNode({ protected: true }), 'deleted')).toThrow(
      expect.objectContaining({ code: 'forbidden' }),
    );
  });

  it('allows verbs of an ordinary node', () => {
    expect(refusing({})).toEqual([]);
  });
});

describe('the config drive', () => {
  const node = sampleNode({ instanceInfo: { image_source: 'x', configdrive: 'stored' } });
  const changes = (request: Parameters<typeof instanceChanges>[1]) => {
    const validate = vi.fn();
    return { changes: instanceChanges(node, request, { validate }), checked: validate.mock.calls.flat() };
  };

  it.each(['active', 'deploy', 'rebuild'] as const)(
    'of the request takes the place of the stored one: %s',
    (verb) => {
      expect(changes({ verb, configdrive: 'new' })).toEqual({
        changes: { instanceInfo: { image_source: 'x', configdrive: 'new' } },
        checked: ['new'],
      });
    },
  );

  it.each(['active', 'deploy'] as const)('that is stored is used and checked: %s', (verb) => {
    expect(changes({ verb })).toEqual({ changes: {}, checked: ['stored'] });
  });

  it('that is stored is dropped by a rebuild without one', () => {
    expect(changes({ verb: 'rebuild' })).toEqual({
      changes: { instanceInfo: { image_source: 'x' } },
      checked: [],
    });
  });

  it.each(['provide', 'rescue', 'deleted'] as const)('is nothing to %s', (verb) => {
    expect(changes({ verb, configdrive: 'new' })).toEqual({ changes: {}, checked: [] });
  });
});

describe('argumentsOf', () => {
  it('stores the caller, and the password only of a rescue', () => {
    const by = { user: 'ann', project: null };
    expect(argumentsOf(sampleNode(), { verb: 'provide', rescuePassword: 'x', by })).toEqual({
      requestedBy: by,
    });
    expect(argumentsOf(sampleNode(), { verb: 'rescue', rescuePassword: 'x' })).toEqual({
      rescuePassword: 'x',
    });
    expect(() => argumentsOf(sampleNode(), { verb: 'rescue', rescuePassword: ' ' })).toThrow(
      'Rescue of node n1 needs a non-blank rescue_password.',
    );
  });
});

describe('beginning', () => {
  it('moves the node and clears the error of an earlier failure', () => {
    expect(beginning(sampleNode({ provisionState: 'available' }), 'active', 'deploy', NOW)).toEqual({
      provisionState: 'deploying',
      targetProvisionState: 'active',
      provisionUpdatedAt: NOW,
      lastError: null,
    });
  });

  it('manual cleaning has the target manageable', () => {
    expect(beginning(sampleNode(), 'clean', 'clean', NOW)).toMatchObject({
      targetProvisionState: 'manageable',
    });
    expect(beginning(sampleNode(), 'provide', 'clean', NOW)).toMatchObject({
      targetProvisionState: 'available',
    });
  });

  it('stores the start of an inspection', () => {
    expect(beginning(sampleNode(), 'inspect', 'inspect', NOW)).toMatchObject({
      inspectionStartedAt: NOW,
      inspectionFinishedAt: null,
    });
  });
});

describe('moving', () => {
  it('clears last_error only on the way to manageable', () => {
    const failed = sampleNode({ provisionState: 'clean failed' });
    expect(moving(failed, 'manage', NOW)).toMatchObject({ provisionState: 'manageable', lastError: null });
    const service = sampleNode({ provisionState: 'service failed' });
    expect(moving(service, 'abort', NOW)).not.toHaveProperty('lastError');
  });
});
