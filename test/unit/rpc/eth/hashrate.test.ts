import t, { type Test } from 'tap'
import { BlockHeader } from '../../../../src/chain/codec/header.ts'
import { genesisHeader } from '../../../../src/chain/genesis.ts'
import type { ChainReader, NodeContext } from '../../../../src/rpc/context.ts'
import { bigIntToSignedBytes, fromHex } from '../../../../src/util/bytes.ts'
import { createLocalService } from '../../../support/ask.ts'
import { createChainContext } from '../../../support/chainContext.ts'
import { REGTEST } from '../../../support/openTestChain.ts'
import { RecordedChain } from '../../../support/recordedChain.ts'
import { readVectorLines } from '../../../support/vectors.ts'

const GENESIS = genesisHeader(REGTEST, Buffer.alloc(32, 1))
const RECORDED_GENESIS = fromHex('0x8ea789fabef0dd4946ed53f001e7b6f8a8d0c22a612a6099fc7f93c990af68fe')
const OWN = Buffer.alloc(20, 1)
const OTHER = Buffer.alloc(20, 2)

/** A context over headers alone, the newest last; `ages` are seconds before now. */
function contextOf(blocks: readonly { age: number; difficulty: bigint; coinbase: Buffer }[]): NodeContext {
  const now = Math.floor(Date.now() / 1000)
  let head = GENESIS
  const headers = new Map([[head.hashHex, head]])
  for (const { age, difficulty, coinbase } of blocks) {
    head = new BlockHeader({
      ...head.fields,
      parentHash: head.hash,
      number: head.number + 1,
      timestamp: BigInt(now - age),
      coinbase,
      difficultyBytes: bigIntToSignedBytes(difficulty),
    })
    headers.set(head.hashHex, head)
  }
  const newest = head
  const recorded = new RecordedChain(readVectorLines('rpc/chain-main.jsonl')).readerAt(RECORDED_GENESIS)
  const chain: ChainReader = Object.assign(Object.create(recorded) as ChainReader, {
    head: () => newest,
    headerByHash: (hash: Buffer) => headers.get(hash.toString('hex')) ?? null,
  })
  const context = createChainContext(chain)
  return { ...context, status: () => ({ ...context.status(), coinbase: OWN }) }
}

async function ask(t: Test, context: NodeContext, method: string): Promise<unknown> {
  const service = createLocalService(context, { onUnexpected: (name, error) => t.fail(name, { error }) })
  t.teardown(() => service.close())
  const { text } = await service.ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }))
  return (JSON.parse(text) as { result: unknown }).result
}

t.test('hash rates are the difficulty of the last hour by its seconds', async (t) => {
  const context = contextOf([
    { age: 9000, difficulty: 36_000_000n, coinbase: OWN },
    { age: 3590, difficulty: 36_000_000n, coinbase: OTHER },
    { age: 1800, difficulty: 3_600_000n, coinbase: OWN },
    { age: 10, difficulty: 360_000n, coinbase: OTHER },
  ])
  t.equal(await ask(t, context, 'eth_netHashrate'), 10_000 + 1000 + 100)
  t.equal(await ask(t, context, 'eth_hashrate'), '0x3e8', 'own blocks alone')
  const none = { ...context, status: () => ({ ...context.status(), coinbase: null }) }
  t.equal(await ask(t, none, 'eth_hashrate'), '0x0')
})

t.test('the walk ends at the first block outside the hour', async (t) => {
  const context = contextOf([
    { age: 100, difficulty: 36_000_000n, coinbase: OWN },
    { age: 7000, difficulty: 36_000_000n, coinbase: OWN },
    { age: 50, difficulty: 7_200n, coinbase: OWN },
  ])
  t.equal(await ask(t, context, 'eth_netHashrate'), 2)
  t.equal(await ask(t, contextOf([]), 'eth_netHashrate'), 0)
})

t.test('difficulties of the main network', async (t) => {
  const difficulty = 10n ** 22n
  const context = contextOf([{ age: 30, difficulty, coinbase: OWN }])
  t.equal(await ask(t, context, 'eth_hashrate'), `0x${(difficulty / 3600n).toString(16)}`)
})
