import t from 'tap'
import type { StateEdits } from '../../../src/node/dev/chainDump.ts'
import { DevControl, type DevControlParams } from '../../../src/node/dev/devControl.ts'

/** Control of a chain of which only what snapshots look at is there. */
function controlOf(edits: StateEdits): DevControl {
  const params = {
    chain: { head: { number: 0 } },
    editor: { current: () => edits },
    clock: { state: () => null },
  }
  return new DevControl(params as unknown as DevControlParams)
}

t.test('snapshots have a bound, in which their edits count', (t) => {
  const edits = new Map(Array.from({ length: 49_999 }, (_, index) => [String(index), Buffer.alloc(32)]))
  const control = controlOf(edits)
  for (let id = 1; id <= 5; id += 1) t.equal(control.snapshot(), id)
  t.throws(() => control.snapshot(), { kind: 'limited', message: /5 snapshots are kept; going back/ })
  const plain = controlOf(new Map())
  for (let count = 0; count < 250_000; count += 1) plain.snapshot()
  t.throws(() => plain.snapshot(), { message: /limit exceeded/ })
  t.end()
})
