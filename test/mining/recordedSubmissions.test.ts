import t from 'tap'
import { fillDefaults } from '../../src/config/load.ts'
import { type PoolSolution, readSolution } from '../../src/mining/bitcoinSolution.ts'
import { chainOptionsFromConfig } from '../../src/node/options/chainOptions.ts'
import { fromHex, toHex } from '../../src/util/bytes.ts'
import { openPoolNode } from '../support/poolNode.ts'
import { RecordedChain } from '../support/recordedChain.ts'
import { readVectorLines } from '../support/vectors.ts'

interface Exchange {
  readonly step: number
  readonly head?: { readonly hash: string }
  readonly request?: { readonly method?: string; readonly params?: readonly string[] }
  readonly response?: {
    readonly result?: {
      readonly blockHash: string
      readonly blockHashForMergedMining?: string
      readonly parentBlockHash?: string
    }
    readonly error?: { readonly code: number; readonly message: string }
  }
}

const FORMS: Readonly<Record<string, (params: readonly string[]) => PoolSolution>> = {
  mnr_submitBitcoinBlock: ([block = '']) => ({ kind: 'block', block }),
  mnr_submitBitcoinBlockTransactions: ([, header = '', coinbase = '', hashes = '']) => ({
    kind: 'transactions',
    header,
    coinbase,
    hashes,
  }),
  mnr_submitBitcoinBlockPartialMerkle: ([, header = '', coinbase = '', hashes = '', count = '']) => ({
    kind: 'partialMerkle',
    header,
    coinbase,
    hashes,
    count,
  }),
}

t.test('recorded submissions give the fields of the blocks that they made', (t) => {
  const chain = new RecordedChain(readVectorLines('rpc/chain-main.jsonl'))
  const exchanges = readVectorLines('rpc/rpc-main.jsonl') as readonly Exchange[]
  let made = 0
  for (const { step, request, response } of exchanges) {
    const form = Object.hasOwn(FORMS, request?.method ?? '') ? FORMS[request?.method ?? ''] : undefined
    const hash = response?.result?.blockHash
    if (form === undefined || hash === undefined) continue
    const block = chain
      .readerAt(Buffer.from(hash.slice(2), 'hex'))
      .blockByHash(Buffer.from(hash.slice(2), 'hex'))
    const solution = readSolution(form(request?.params ?? []))
    const { fields } = block?.header ?? {}
    t.same(solution.work, block?.header.hashForMergedMining(), `step ${step}: work`)
    t.same(
      solution.fields(),
      {
        bitcoinHeader: fields?.bitcoinMergedMiningHeader,
        merkleProof: fields?.bitcoinMergedMiningMerkleProof,
        coinbase: fields?.bitcoinMergedMiningCoinbaseTransaction,
      },
      `step ${step}: fields`,
    )
    made += 1
  }
  t.ok(made >= 4, `${made} submissions`)
  t.end()
})

t.test('recorded refusals of submissions are answered alike, what does not parse with -32602', async (t) => {
  const node = openPoolNode(t)
  const exchanges = readVectorLines('rpc/rpc-main.jsonl') as readonly Exchange[]
  let refused = 0
  for (const { step, request, response } of exchanges) {
    const { method = '', params = [] } = request ?? {}
    if (!Object.hasOwn(FORMS, method) || response?.error === undefined) continue
    const { error } = await node.ask(method, params)
    if (response.error.code === -32603) t.match(error, { code: -32602, message: /^Invalid .* expected$/ })
    else t.same(error, response.error, `step ${step}`)
    refused += 1
  }
  t.ok(refused >= 9, `${refused} refusals`)
  t.same(node.unexpected, [])
})

/** Name of the client in the extra data `[01, name]` of a block. */
function clientOf(extraData: Buffer): string {
  return extraData.subarray(3).toString('latin1')
}

t.test('recorded works are built to the byte, and their solutions answered alike', async (t) => {
  const recorded = new RecordedChain(readVectorLines('rpc/chain-main.jsonl'))
  const lines = readVectorLines('rpc/chain-main.jsonl') as readonly { hash?: string }[]
  const blocks = lines.flatMap(({ hash }) => {
    const bytes = fromHex(hash ?? '0x')
    const block = recorded.has(bytes) ? recorded.readerAt(bytes).blockByHash(bytes) : null
    return block === null || block.number === 0 ? [] : [block]
  })
  const client = clientOf(blocks[0]?.header.fields.extraData ?? Buffer.alloc(0))
  const { production } = chainOptionsFromConfig(fillDefaults({ network: 'regtest', mining: false }), client)
  let now = 0
  const node = openPoolNode(t, { workRefreshTime: 1 }, { now: () => now, chain: { production } })
  const { chain } = node.core.open
  /** Connects recorded blocks up to one. */
  const follow = (hash: string) => {
    const block = blocks.find((found) => toHex(found.hash) === hash)
    if (block === undefined || chain.reader.headerByHash(block.hash) !== null) return
    follow(toHex(block.header.parentHash))
    t.match(chain.connect(block).status, /^IMPORTED/)
  }

  let works = 0
  let solutions = 0
  for (const { step, request, response, head } of readVectorLines(
    'rpc/rpc-main.jsonl',
  ) as readonly Exchange[]) {
    const { method = '', params = [] } = request ?? {}
    if (!method.startsWith('mnr_') || response?.result === undefined || head === undefined) continue
    follow(head.hash)
    if (toHex(chain.head.hash) !== head.hash) continue
    if (method === 'mnr_getWork') {
      const { blockHashForMergedMining, parentBlockHash } = response.result
      // After evm_stopMining the reference goes on handing out what it had; here work is never of an old head.
      if (parentBlockHash !== head.hash) continue
      const solved = blocks.find(
        ({ header }) => toHex(header.hashForMergedMining()) === blockHashForMergedMining,
      )
      if (solved === undefined) continue
      now = solved.header.timestamp * 1000
      t.same((await node.ask(method)).result, response.result, `step ${step}: work`)
      works += 1
    } else {
      t.same((await node.ask(method, params)).result, response.result, `step ${step}: ${method}`)
      solutions += 1
    }
  }
  t.ok(works >= 3, `${works} works`)
  t.ok(solutions >= 5, `${solutions} solutions`)
  t.same(node.unexpected, [])
})

// The offline vector of mining.md §10.
t.test('a coinbase is compressed as computed outside the node', (t) => {
  const coinbase =
    '01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff0d03650000080001020304050607' +
    'ffffffff0200f2052a010000001976a914111111111111111111111111111111111111111188ac00000000000000002b6a2952534b424c' +
    '4f434b3a000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f00000000'
  const id = 'a4b52f78882d2da45ccd5d5255c1bbd5bfa57b00f7a9943e8967744454a1cf97'
  const sibling = 'aa'.repeat(32)
  const two =
    '000000200000000000000000000000000000000000000000000000000000000000000000dbeadbc42a82c3d62510af9e6ed1f1c8b6fd37' +
    'f790ec44d25b04ccdda6b8c9e300f15365ffff7f2001000000'
  const merkle = {
    kind: 'partialMerkle',
    header: two,
    coinbase,
    hashes: `${id} ${sibling}`,
    count: '2',
  } as const
  const { work, fields } = readSolution(merkle)
  t.equal(work.toString('hex'), '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f')
  const solved = fields()
  t.equal(solved.merkleProof.toString('hex'), sibling)
  t.equal(
    solved.coinbase.toString('hex'),
    '00000000000000405d588faefba8e6fa3c66b7736c43d5894147767c3ad322d0a009fc3fc0bbf2ff010000001976a9141111111111111111' +
      '11111111111111111111111188ac00000000000000002b6a2952534b424c4f434b3a000102030405060708090a0b0c0d0e0f101112131415' +
      '161718191a1b1c1d1e1f00000000',
  )
  const display = Buffer.from(id, 'hex').reverse().toString('hex')
  const transactions = {
    kind: 'transactions',
    header: two,
    coinbase,
    hashes: `${display} ${sibling}`,
  } as const
  t.same(readSolution(transactions).fields(), solved)
  t.end()
})
