import { expect, it, vi } from 'vitest';
import { createNodeWatch } from './node-watch.ts';

it('calls all watchers of a node, and no others, until they end', () => {
  const watch = createNodeWatch();
  const [first, second, other] = [vi.fn(), vi.fn(), vi.fn()];
  const end = watch.watch('a', first);
  watch.watch('a', second);
  watch.watch('b', other);
  watch.changed('a');
  end();
  watch.changed('a');
  expect([first, second, other].map((look) => look.mock.calls.length)).toEqual([1, 2, 0]);
});

it('ending a watch twice does not end another', () => {
  const watch = createNodeWatch();
  const end = watch.watch('a', vi.fn());
  end();
  const look = vi.fn();
  watch.watch('a', look);
  end();
  watch.changed('a');
  expect(look).toHaveBeenCalledTimes(1);
});
