import t from 'tap'
import { regtest } from '../../../src/config/networks/regtest.ts'
import { toHex } from '../../../src/util/bytes.ts'
import {
  accountOfSeed,
  COW,
  signedTransaction,
  type TestTransaction,
} from '../../support/signedTransaction.ts'
import type { Exchange } from '../exchanges.ts'
import { replay } from '../run.ts'
import { RecordedBlocks } from '../scenario/recordedBlocks.ts'
import { Scenario } from '../scenario/scenario.ts'
import { replayConfigOf } from './replayConfig.ts'

/** What the miner asks for; genesis of regtest asks for 0, and a block moves by 1 wei at these heights. */
const TARGET = 10
const BLOCKS = 12
const TO = accountOfSeed('cow1').address

function exchange(step: number, method: string, params: readonly unknown[], answer: object): Exchange {
  return {
    step,
    note: method,
    transport: 'http',
    request: { jsonrpc: '2.0', id: step, method, params },
    status: 200,
    response: { jsonrpc: '2.0', id: step, ...answer },
  }
}

const sent = (given: TestTransaction) => signedTransaction({ to: TO, ...given })
const send = (step: number, given: TestTransaction, answer: object) =>
  exchange(step, 'eth_sendRawTransaction', [toHex(sent(given).encoded)], answer)
const refusal = (message: string) => ({ error: { code: -32010, message } })

/**
 * What the reference answers with a minimum gas price of 10 wei (consensus.md §4.2 rule 3, §9.1 rules 14 and 16,
 * §9.3, §9.4 step 2).
 */
const RECORDING: readonly Exchange[] = [
  ...Array.from({ length: BLOCKS }, (_, index) => exchange(index, 'evm_mine', [], { result: null })),
  exchange(20, 'eth_gasPrice', [], { result: '0xb' }),
  send(21, { gasPrice: 9n }, refusal("transaction's gas price lower than block's minimum")),
  send(22, { gasPrice: 801n }, refusal("transaction's gas price exceeds cap")),
  exchange(23, 'eth_sendTransaction', [{ from: toHex(COW.address), to: toHex(TO) }], {
    ...refusal("transaction's gas price lower than block's minimum"),
  }),
  send(24, { gasPrice: 10n }, { result: toHex(sent({ gasPrice: 10n }).hash) }),
]
/** Answers that hold hashes of own blocks: looked at, not compared. */
const HEADS: readonly Exchange[] = ['0x0', '0x4', 'latest'].map((block, index) =>
  exchange(30 + index, 'eth_getBlockByNumber', [block, false], { result: {} }),
)

async function replayWith(options: readonly string[], exchanges: readonly Exchange[]) {
  const scenario = await Scenario.open(
    replayConfigOf({ node: { options: ['miner.client.enabled=false', ...options] } }),
    new RecordedBlocks(regtest, []),
    exchanges,
    (method, error) => t.fail(`${method}: ${String(error)}`),
  )
  try {
    return await replay(exchanges, null, scenario)
  } finally {
    await scenario.close()
  }
}

t.test('miner.minGasPrice reaches eth_gasPrice, the pool and the blocks', async (t) => {
  const { methods, unlisted } = await replayWith([`miner.minGasPrice=${TARGET}`], [...RECORDING, ...HEADS])
  const found = unlisted.map(({ exchange, verdict }) => ({ step: exchange.step, verdict }))
  t.same(
    found.filter(({ step }) => step < 30),
    [],
  )
  t.match(methods.get('eth_gasPrice'), { equal: 1 })
  t.match(methods.get('eth_sendRawTransaction'), { equal: 1, listed: 2 })
  const minima = found.map(({ verdict }) => {
    const text = verdict.kind === 'unlisted' ? verdict.found : ''
    return (JSON.parse(text) as { result: { minimumGasPrice: string } }).result.minimumGasPrice
  })
  t.same(minima, ['0x0', '0x4', '0xa'])
})

t.test('without the option the same recording differs', async (t) => {
  const { unlisted } = await replayWith([], RECORDING)
  t.same(
    unlisted.map(({ exchange }) => exchange.step),
    [20, 21, 22, 23, 24],
  )
})
