import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Block, parseBlock } from '../../../../src/chain/codec/block.ts'
import { exportBlocks } from '../../../../src/chain/exportBlocks.ts'
import { type ImportReport, importBlocks } from '../../../../src/chain/import/importBlocks.ts'
import type { OpenChain } from '../../../../src/execution/openChain.ts'
import { fromHex } from '../../../../src/util/bytes.ts'
import { openTestChain, REGTEST } from '../../../support/openTestChain.ts'
import { readVectorLines, vectorPath } from '../../../support/vectors.ts'

interface Line {
  readonly number: number
  readonly hash: string
  readonly rlp?: string
  readonly main?: boolean
}

const PATH = vectorPath('rpc/chain-main.jsonl')
const lines = readVectorLines<Line>('rpc/chain-main.jsonl').filter((line) => line.rlp !== undefined)
const main = lines.filter((line) => line.main === true)
const head = main.at(-1)?.hash

function run(opened: OpenChain, path: string, commitEvery = 7): Promise<ImportReport> {
  return importBlocks({ path, spec: REGTEST, chain: opened.chain, commitEvery })
}

function hashOf(opened: OpenChain): string {
  return `0x${opened.chain.head.hashHex}`
}

t.test('a recorded chain is imported once', async (t) => {
  const opened = openTestChain(t)
  const first = await run(opened, PATH)
  t.equal(hashOf(opened), head)
  t.match(first, { connected: lines.length - 1, invalid: null, orphans: 0, head: 66, interrupted: false })
  t.equal(first.offset > 0 && first.offset <= first.bytes, true)
  t.match(await run(opened, PATH), { connected: 0, invalid: null, orphans: 0 })
})

t.test('an export in RLP gives the same chain', async (t) => {
  const opened = openTestChain(t, { dataDir: t.testdir({ a: {} }) })
  await run(opened, PATH)
  const file = join(opened.dataDir, 'blocks.rlp')
  writeFileSync(
    file,
    Buffer.concat(
      [...exportBlocks(opened.chain.reader, { from: 1, to: Infinity })].map((block) => block.encoded),
    ),
  )
  const other = openTestChain(t, { dataDir: join(opened.dataDir, 'a') })
  t.match(await run(other, file), { connected: 66, invalid: null })
  t.equal(hashOf(other), head)
})

t.test('children that come before their parent wait for it', async (t) => {
  const opened = openTestChain(t)
  const file = join(opened.dataDir, 'reversed.rlp')
  writeFileSync(
    file,
    Buffer.concat(
      main
        .slice(1)
        .reverse()
        .map((line) => fromHex(line.rlp ?? '')),
    ),
  )
  t.match(await run(opened, file), { orphans: 0, invalid: null })
  t.equal(hashOf(opened), head)
})

t.test('a child without parent is reported', async (t) => {
  const opened = openTestChain(t)
  const file = join(opened.dataDir, 'gap.rlp')
  writeFileSync(
    file,
    Buffer.concat(
      main
        .slice(1)
        .filter((line) => line.number !== 3)
        .map((line) => fromHex(line.rlp ?? '')),
    ),
  )
  t.match(await run(opened, file), { head: 2, orphans: 63 })
})

t.test('the import ends with the first invalid block and keeps what came before', async (t) => {
  const folder = t.testdir()
  for (const [changed, rule] of [
    [changeHeader('stateRoot'), 'stateRoot'],
    [changeHeader('receiptTrieRoot'), 'receiptsRoot'],
    [changeHeader('logsBloom'), 'logsBloom'],
    [changeHeader('gasUsed'), 'gasUsed'],
    [changeHeader('paidFees'), 'paidFees'],
    [changeHeader('txTrieRoot'), 'transactionsRoot'],
    [(block: Block) => Buffer.concat([block.encoded.subarray(0, 3), Buffer.from([0x80])]), 'encoding'],
  ] as const) {
    // Whoever changes a header can mine it again: without that rule the others must notice.
    const opened = openTestChain(t, {
      dataDir: join(folder, rule),
      disabledRules: new Set(['proofOfWork']),
    })
    const file = join(opened.dataDir, 'changed.rlp')
    const blocks = main.slice(1).map((line) => {
      const rlp = fromHex(line.rlp ?? '')
      return line.number === 9 ? changed(parseBlock(REGTEST, rlp)) : rlp
    })
    writeFileSync(
      file,
      Buffer.concat(rule === 'encoding' ? blocks.slice(0, 9).with(8, Buffer.from('c180', 'hex')) : blocks),
    )
    const report = await run(opened, file)
    t.equal(report.invalid?.rule, rule)
    t.not(report.invalid?.expected, report.invalid?.found)
    if (rule !== 'encoding') t.equal(report.invalid?.number, 9)
    t.equal(opened.chain.head.number, 8, 'block 8 is the head')
    t.equal(hashOf(opened), main[8]?.hash)
    await opened.close()
  }
})

t.test('an interrupted import ends after its batch and goes on later', async (t) => {
  const opened = openTestChain(t)
  const interruption = new AbortController()
  const first = await importBlocks({
    path: PATH,
    spec: REGTEST,
    chain: opened.chain,
    commitEvery: 5,
    signal: interruption.signal,
    onProgress: () => interruption.abort(),
  })
  t.equal(first.interrupted, true)
  t.ok(first.head > 0 && first.head < 66)
  await opened.close()
  const again = openTestChain(t, { dataDir: opened.dataDir })
  t.equal(again.chain.head.number, first.head, 'the head was stored')
  t.match(await run(again, PATH), { invalid: null, head: 66 })
})

t.test('a data directory has one writer', (t) => {
  const opened = openTestChain(t)
  t.throws(() => openTestChain(t, { dataDir: opened.dataDir }), { code: 'STORAGE_LOCKED' })
  t.end()
})

t.test('a data directory holds one chain', async (t) => {
  const opened = openTestChain(t)
  await opened.close()
  const genesis = parseBlock(REGTEST, fromHex(lines[0]?.rlp ?? ''))
  const other = new Block(genesis.header.with({ timestamp: 1n }), [], [])
  t.throws(() => openTestChain(t, { dataDir: opened.dataDir, genesis: () => other }), {
    code: 'STORAGE_NETWORK',
  })
})

function changeHeader(
  field: 'stateRoot' | 'receiptTrieRoot' | 'logsBloom' | 'txTrieRoot' | 'gasUsed' | 'paidFees',
) {
  return (block: Block): Buffer => {
    const value = block.header.fields[field]
    const other = typeof value === 'bigint' ? value + 1n : flip(value ?? Buffer.alloc(256))
    return new Block(block.header.with({ [field]: other }), block.transactions, block.uncles).encoded
  }
}

function flip(bytes: Buffer): Buffer {
  const other = Buffer.from(bytes)
  other[0] = (other[0] ?? 0) ^ 1
  return other
}
