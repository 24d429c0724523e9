import { setImmediate as nextTurn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { CallRequest } from '../../../src/execution/callTypes.ts'
import { InterruptTable } from '../../../src/workers/interrupts.ts'
import { createLocalService } from '../../support/ask.ts'
import { openLocalNode } from '../../support/localNode.ts'

const CONTRACT = `0x${'c0'.repeat(20)}`
/** Returns number, time, difficulty, gas limit, miner, base fee, hash of the block two below, and the first cell. */
const CODE = '43600052426020524460405245606052416080524860a052600243034060c05260005460e0526101006000f3'
const BLOCKS = 6

const REQUEST: CallRequest = {
  from: null,
  to: Buffer.from(CONTRACT.slice(2), 'hex'),
  gas: 1_000_000n,
  gasPrice: 0n,
  value: 0n,
  data: Buffer.alloc(0),
  overrides: [],
}

function request(method: string, ...params: unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}

const interrupts = new InterruptTable()

const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`

/** A chain whose state is another one after each block. */
async function openScene(t: Test) {
  const dataDir = t.testdir()
  const node = openLocalNode(t, { dataDir })
  const service = createLocalService(node.context)
  t.teardown(() => service.close())
  const edit = async (method: string, ...params: unknown[]) =>
    t.notMatch((await service.ask(request(method, ...params))).text, /"error"/)
  await edit('hardhat_setCode', CONTRACT, `0x${CODE}`)
  for (let block = 1; block <= BLOCKS; block++) {
    await node.context.commands.mine()
    await edit('hardhat_setStorageAt', CONTRACT, '0x0', word(block))
  }
  // The snapshot of this turn is given back.
  await nextTurn()
  return { dataDir, node, edit }
}

t.test('a call at a block that the core knows is the same as with its header', async (t) => {
  const { dataDir, node, edit } = await openScene(t)
  const compare = ({ context }: typeof node) => {
    context.refresh()
    const { chain, execution } = context
    const seen = new Set<unknown>()
    for (let number = 0; number <= BLOCKS; number++) {
      const header = chain.headerByNumber(number)
      if (header === null) throw new Error(`no block ${number}`)
      for (const kind of ['output', 'estimate'] as const) {
        // In turns, as both use one engine.
        const known = execution.atKnown(kind, header.hash, REQUEST)
        t.equal(known, execution[kind](header, REQUEST), `${kind} at ${number}`)
        t.equal(execution.atKnown(kind, header.hash, REQUEST), known)
        seen.add(known)
      }
    }
    t.ok(seen.size > BLOCKS, 'blocks differ')
    t.ok(chain.headHash().equals(chain.head().hash))
    t.equal(execution.atKnown('output', Buffer.alloc(32, 7), REQUEST), null, 'no such block')
    const { hash } = chain.head()
    t.equal(execution.atKnown('output', hash, { ...REQUEST, environment: { number: 1 } }), null)
    context.release()
  }
  compare(node)
  const { chain, execution } = node.context
  const { hash } = chain.head()
  await edit('hardhat_setStorageAt', CONTRACT, '0x0', word(0xfe))
  t.ok(hash.equals(chain.head().hash))
  t.match(execution.atKnown('output', hash, REQUEST), /fe$/, 'the state was edited')
  compare(node)
  await nextTurn()
  await node.close()
  compare(openLocalNode(t, { dataDir }))
})

t.test('blocks of an earlier run are named by the core once they are read', async (t) => {
  const { dataDir, node } = await openScene(t)
  await node.close()
  const { context: alone, core } = openLocalNode(t, { dataDir })
  const context = { ...alone, interrupt: { flags: new Int32Array(interrupts.shared), slot: 0 } }
  const { stateStore } = core.open
  const service = createLocalService(context, { stateStore, responseCacheBytes: 0 })
  t.teardown(() => service.close())
  const pooled = () => service.dispatcher.stats()['read']?.answered
  const numbers = Array.from({ length: BLOCKS + 1 }, (_, number) => `0x${number.toString(16)}`)
  const askAll = () =>
    Promise.all(
      numbers.map(async (name) => (await service.ask(request('eth_getBalance', CONTRACT, name))).text),
    )
  const first = await askAll()
  for (;;) {
    const before = pooled()
    t.same(await askAll(), first)
    if (pooled() === before) break
    // A thread of the core reads them.
    await nextTurn()
  }
  t.match(first[0], '"result":"0x0"')
  await nextTurn()
})
