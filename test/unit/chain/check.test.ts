import t from 'tap'
import { checkChain } from '../../../src/chain/check/checkChain.ts'
import { importBlocks } from '../../../src/chain/import/importBlocks.ts'
import { blockKey } from '../../../src/chain/tables/blockKey.ts'
import type { OpenChain } from '../../../src/execution/openChain.ts'
import { createStateChecker } from '../../../src/execution/stateChecker.ts'
import type { TableName } from '../../../src/storage/tables.ts'
import { openTestChain, REGTEST } from '../../support/openTestChain.ts'
import { vectorPath } from '../../support/vectors.ts'

function messages({ environment, stateStore }: OpenChain): string[] {
  const { problems } = checkChain({
    spec: REGTEST,
    environment,
    states: createStateChecker(REGTEST, stateStore),
    stateBlocks: 5,
    full: true,
  })
  return problems.map(({ number, message }) => `${number}: ${message}`)
}

t.test('a store is clean, and every damage is found', async (t) => {
  const opened = openTestChain(t)
  const { chain, environment } = opened
  await importBlocks({ path: vectorPath('rpc/chain-main.jsonl'), spec: REGTEST, chain, commitEvery: 100 })
  t.same(messages(opened), [])

  const block = chain.reader.blockByNumber(4)
  if (block === null) throw new Error('no block 4')
  const transaction = block.transactions[0]?.hash ?? Buffer.alloc(32)
  const height = Buffer.alloc(8)
  height.writeUInt8(4, 7)
  const damages: readonly [TableName, Buffer, RegExp][] = [
    ['headers', blockKey(block), /4: its header is missing/],
    ['bodies', blockKey(block), /4: its body is missing/],
    ['receipts', blockKey(block), /4: its receipts are missing/],
    ['senders', blockKey(block), /4: it has 0 bytes of senders/],
    ['totalDifficulties', block.hash, /4: its total difficulty is missing/],
    ['transactions', transaction, /4: its transaction 0 is not in the index/],
    ['heights', height, /4: the height has 0 canonical blocks/],
    ['metadata', Buffer.from('head'), /null: the store has no head/],
  ]
  for (const [table, key, expected] of damages) {
    const value = environment.get(table, key)
    if (value === undefined) throw new Error(`nothing to damage in ${table}`)
    environment.transaction((writer) => writer.remove(table, key))
    t.match(messages(opened).join('\n'), expected, `missing in ${table}`)
    environment.transaction((writer) => writer.put(table, key, value))
  }
  const [indexed] = environment.entries('logIndex')
  if (indexed === undefined) throw new Error('no logs')
  environment.transaction((writer) => writer.remove('logIndex', indexed.key))
  t.match(messages(opened).join('\n'), /1 of \d+ terms of its logs are not in the index/)
  environment.transaction((writer) => writer.put('logIndex', indexed.key, indexed.value))
  for (const table of ['headers', 'bodies', 'receipts'] as const) {
    const value = environment.get(table, blockKey(block)) ?? Buffer.alloc(0)
    const changed = Buffer.from(value)
    changed[20] = (changed[20] ?? 0) ^ 1
    environment.transaction((writer) => writer.put(table, blockKey(block), changed))
    t.not(messages(opened).length, 0, `a changed bit in ${table}`)
    environment.transaction((writer) => writer.put(table, blockKey(block), value))
  }
  const header = environment.get('headers', blockKey(block)) ?? Buffer.alloc(0)
  const coinbase = header.indexOf(block.header.fields.bitcoinMergedMiningCoinbaseTransaction)
  const changed = Buffer.from(header)
  changed[coinbase] = (changed[coinbase] ?? 0) ^ 1
  environment.transaction((writer) => writer.put('headers', blockKey(block), changed))
  t.match(messages(opened), [/^4: its proof of work: /], 'what the hash of the block leaves out')
  environment.transaction((writer) => writer.put('headers', blockKey(block), header))
  t.same(messages(opened), [], 'clean again')
})

t.test('a table of the newest state that is not the trie is found by a full check', (t) => {
  const { environment, stateStore } = openTestChain(t)
  const states = {
    ...createStateChecker(REGTEST, stateStore),
    checkHead: () => {
      throw new Error('it has another balance')
    },
  }
  const check = (full: boolean) => checkChain({ spec: REGTEST, environment, states, stateBlocks: 1, full })
  t.same(check(true).problems, [
    { number: null, hash: '', message: 'the table of the newest state: it has another balance' },
  ])
  t.same(check(false).problems, [])
  t.end()
})
