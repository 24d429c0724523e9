import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { EXIT_CODES } from '../../src/cli/exitCodes.ts'
import { toHex } from '../../src/util/bytes.ts'
import { BitcoinPool } from '../support/bitcoinPool.ts'
import { type NodeProcess, startNode } from '../support/nodeProcess.ts'
import { bytesOf, type PoolWork, submission } from '../support/poolNode.ts'
import { runProgram } from '../support/program.ts'
import { createRandom } from '../support/random.ts'
import { signedTransaction } from '../support/signedTransaction.ts'

const FUTURE = 4_000_000_000

async function openNode(t: Test, dataDir: string, args: readonly string[] = []): Promise<NodeProcess> {
  const node = await startNode({ dataDir, args: ['--log-level', 'error', ...args] })
  t.teardown(() => node.stop('SIGKILL'))
  return node
}

t.test('a chain made in every mode is imported by a fresh node', async (t) => {
  const dataDir = join(t.testdir(), 'data')
  const node = await openNode(t, dataDir)
  let nonce = 0n
  const send = async () => {
    const raw = toHex(signedTransaction({ nonce, value: 1n }).encoded)
    nonce += 1n
    return node.request<string>('eth_sendRawTransaction', [raw])
  }
  const height = async () => Number(await node.request<string>('eth_blockNumber'))
  const produce = async (...args: string[]) => {
    const { thrown, stdout } = await runProgram('produce', '--url', node.url, ...args)
    t.equal(thrown, undefined)
    return stdout.trim()
  }

  t.equal(await produce(), 'head 0; a block for every transaction')
  await send()
  t.equal(await height(), 1, 'instant')

  t.equal(await produce('--mode', 'manual'), 'head 1; blocks when asked for')
  await send()
  t.equal(await height(), 1)
  await node.request('evm_mine')
  await node.request('hardhat_mine', ['0x3', '0x3c'])
  t.equal(await height(), 5, 'by evm_mine and hardhat_mine')
  t.match(await produce('--blocks', '4', '--timestamp', String(FUTURE)), /^head 9; blocks when asked for$/)
  t.match(await node.request('eth_getBlockByNumber', ['0x6', false]), { timestamp: toHexNumber(FUTURE) })
  await node.request('evm_increaseTime', [1000])

  await send()
  t.match(await produce('--mode', 'interval', '--block-time', '1'), /; a block every 1 s$/)
  t.equal(await node.request('eth_mining'), true)
  while ((await height()) < 11) await sleep(20)
  await node.request('evm_stopMining')
  const stopped = await height()
  await node.request('evm_setIntervalMining', [10])
  while ((await height()) < stopped + 3) await sleep(5)
  await node.request('evm_setIntervalMining', [0])

  const pool = new BitcoinPool('/modes/', createRandom(3))
  const work = await node.request<PoolWork>('mnr_getWork')
  for (const transactions of [1, 5]) {
    const hash = bytesOf(work.blockHashForMergedMining)
    await node.request(...submission('block', pool.mine(hash, BigInt(work.target), transactions)))
  }
  t.match(await produce('--mode', 'instant', '--blocks', '1'), /; a block for every transaction$/)
  await send()
  const head = await node.request<{ hash: string; number: string }>('eth_getBlockByNumber', ['latest', false])
  const { uncles } = await node.request<{ uncles: string[] }>('eth_getBlockByNumber', [
    toHexNumber(Number(head.number) - 1),
    false,
  ])
  t.equal(uncles.length, 1, 'the second solution of the work')
  t.match(await runProgram('produce', '--url', node.url, '--blocks', '1', '--timestamp', '5'), {
    thrown: { exitCode: EXIT_CODES.failed, message: /time 5 is not after the parent's/ },
  })
  t.equal((await node.stop()).code, 0)

  const file = join(t.testdirName, 'blocks.rlp')
  const fresh = join(t.testdirName, 'fresh')
  t.match(await runProgram('export', '--from', '1', '--output', file, '--data-dir', dataDir), {
    thrown: undefined,
  })
  t.match(await runProgram('import', file, '--data-dir', fresh), { thrown: undefined })
  const imported = await openNode(t, fresh, ['--no-mining'])
  t.match(await imported.request('eth_getBlockByNumber', ['latest', false]), { hash: head.hash })
})

t.test('a node that is not there', async (t) => {
  for (const command of ['produce', 'miners']) {
    t.match((await runProgram(command, '--url', 'http://127.0.0.1:1')).thrown, {
      exitCode: EXIT_CODES.failed,
      message: /^http:\/\/127\.0\.0\.1:1.* does not answer/,
    })
  }
})

function toHexNumber(value: number): string {
  return `0x${value.toString(16)}`
}
