import { expect, it } from 'vitest';
import { stateDocument } from './state-diagram.ts';

it('docs/states.md is what the operations say; `npm run docs:states` writes it anew', async () => {
  await expect(stateDocument()).toMatchFileSnapshot('../../docs/states.md');
});
