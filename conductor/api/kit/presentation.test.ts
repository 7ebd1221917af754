import { NODE_FIELDS } from '@ingot/shared/ironic/node-fields.ts';
import { expect, it } from 'vitest';
import type { Node } from '../../domain/node.ts';
import { createPresenter, plainGetter } from './presentation.ts';

it('writes the same as text and as an object, whatever has to be escaped', () => {
  const row = {
    uuid: '1be26c0b-03f2-4d2e-ae87-c02d7f33c123',
    name: 'quote " backslash \\ line\nend \u2028 \ud800',
    maintenance: true,
    createdAt: new Date(0),
    extra: { 'a "key"': [1, null, { b: '\u0000' }], password: 'x' },
  } as unknown as Node;
  const fields = NODE_FIELDS.filter(({ kind }) => kind !== 'interface');
  for (const base of ['http://127.0.0.1:6385', 'http://quo"te\\']) {
    const presenter = createPresenter<Node>(fields, plainGetter, base, 'nodes', ['ports', 'states']);
    expect(presenter.text(row)).toBe(JSON.stringify(presenter.present(row)));
  }
});
