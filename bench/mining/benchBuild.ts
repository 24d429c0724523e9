import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contractAddressOf } from '../../src/chain/codec/transaction.ts'
import { fillDefaults } from '../../src/config/load.ts'
import { createLocalNode, type LocalNode } from '../../src/node/localNode.ts'
import { nodeInfoFromConfig } from '../../src/node/nodeInfo.ts'
import { chainOptionsFromConfig } from '../../src/node/options/chainOptions.ts'
import { fromHex } from '../../src/util/bytes.ts'
import { readArtefact } from '../../test/contracts/artefact.ts'
import { encodeCall, encodeWords } from '../chain/callData.ts'
import { type Action, Sender } from '../chain/sender.ts'
import { describeMachine } from '../report/machine.ts'
import { type Row, saveResults } from '../report/results.ts'

/** Gas limit of blocks of the main network. */
const BLOCK_GAS = 6_800_000
/** Blocks in which the limit decreases from that of the first block by 1/1024 each. */
const BLOCKS_TO_LIMIT = 400
const SENDERS = 10
const TOKEN_SUPPLY = 10n ** 24n
const TOKEN_SHARE = 10n ** 20n
const RUNS = 30

/** Kinds of transactions that fill a block, and the number of them in the pool. */
const FILLINGS = [
  { name: 'token transfers to new holders', waiting: 600, gas: 60_000n },
  { name: 'payments', waiting: 600, gas: 21_000n },
  { name: 'payments, a pool of 5,000', waiting: 5000, gas: 21_000n },
] as const

/**
 * `bench -- build`: time of the chain thread to build work on a new head with a full block of pending
 * transactions: selection, execution, roots, and the hash for merged mining.
 */
export async function benchBuild(): Promise<void> {
  const machine = describeMachine()
  const rows: Row[] = []
  for (const filling of FILLINGS) rows.push(await measure(filling))
  saveResults('build', machine, rows, { blockGas: BLOCK_GAS, runs: RUNS })
}

async function measure({ name, waiting, gas }: (typeof FILLINGS)[number]): Promise<Row> {
  const dataDir = mkdtempSync(join(tmpdir(), 'rhizome-bench-'))
  const node = openNode(dataDir)
  try {
    const { core } = node
    const { work } = core
    if (work === null) throw new Error('the node serves no miners')
    await core.mine({ count: BLOCKS_TO_LIMIT })
    const senders = Array.from(
      { length: SENDERS },
      (_, index) => new Sender(index === 0 ? 'cow' : `cow${index}`),
    )
    const action = name.startsWith('token') ? await tokenTransfers(node, senders, gas) : payments(gas)
    const sent = await Promise.all(
      Array.from({ length: waiting }, (_, index) => {
        const sender = senders[index % senders.length] as Sender
        return core.sendTransaction(sender.send(action(index)).transaction.encoded)
      }),
    )
    if (sent.some(({ status }) => status !== 'accepted'))
      throw new Error(`${name}: a transaction was refused`)
    work.work()
    const before = process.cpuUsage()
    const times = Array.from({ length: RUNS }, () => {
      const start = performance.now()
      work.headChanged()
      return performance.now() - start
    }).toSorted((a, b) => a - b)
    const { user, system } = process.cpuUsage(before)
    const { header, transactions } = core.pendingBlock().block
    return {
      block: name,
      transactions: transactions.length - 1,
      'gas used': Number(header.fields.gasUsed),
      'gas limit': Number(header.gasLimit),
      'build p50 ms': times[RUNS >> 1] ?? 0,
      'build most ms': times.at(-1) ?? 0,
      // The time on idle processors.
      'processor ms per build': (user + system) / 1000 / RUNS,
    }
  } finally {
    await node.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function openNode(dataDir: string): LocalNode {
  const config = fillDefaults({
    network: 'regtest',
    dataDir,
    mining: false,
    accountSlots: 10_000,
    targetGasLimit: BLOCK_GAS,
    outdatedBlocks: 1_000_000,
  })
  return createLocalNode({
    chain: chainOptionsFromConfig(config, 'Rhizome-bench'),
    node: nodeInfoFromConfig(config, 'bench'),
  })
}

function payments(gas: bigint): (index: number) => Action {
  return (index) => ({ to: receiver(index), value: 1n, gas })
}

/** Deploys a token and gives each sender a share. */
async function tokenTransfers(
  { core }: LocalNode,
  senders: readonly Sender[],
  gas: bigint,
): Promise<(index: number) => Action> {
  const [owner] = senders as [Sender, ...Sender[]]
  const data = Buffer.concat([fromHex(readArtefact('Token').bytecode), encodeWords([TOKEN_SUPPLY])])
  const creation = owner.send({ data, gas: 3_000_000n })
  await core.sendTransaction(creation.transaction.encoded)
  await core.mine()
  const { chain } = core.open
  if (chain.reader.receipts(chain.head)?.[0]?.success !== true) throw new Error('the token was not created')
  const token = contractAddressOf(creation.sender, creation.transaction.nonce)
  const transfer = (to: Buffer, amount: bigint): Action => ({
    to: token,
    data: encodeCall('transfer(address,uint256)', [to, amount]),
    gas,
  })
  for (const { address } of senders.slice(1)) {
    await core.sendTransaction(owner.send(transfer(address, TOKEN_SHARE)).transaction.encoded)
  }
  await core.mine()
  return (index) => transfer(receiver(index), 1n)
}

function receiver(index: number): Buffer {
  const address = Buffer.alloc(20, 0x7e)
  address.writeUInt32BE(index, 16)
  return address
}
