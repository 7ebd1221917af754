import { expect, it } from 'vitest';
import { stateDocument } from './state-diagram.ts';

it('docs/states.md shows the current operations; `npm run docs:states` updates it', async () => {
  await expect(stateDocument()).toMatchFileSnapshot('../../docs/states.md');
});
