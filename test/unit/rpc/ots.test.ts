import t, { type Test } from 'tap'
import { isEnabled } from '../../../src/rpc/availability.ts'
import { METHODS } from '../../../src/rpc/methods.ts'
import { searchAddress } from '../../../src/rpc/ots/addressSearch.ts'
import { toHex } from '../../../src/util/bytes.ts'
import { readArtefact } from '../../contracts/artefact.ts'
import { COW } from '../../support/signedTransaction.ts'
import { type DevNode, openDevNode } from './evm/devNode.ts'

const FROM = toHex(COW.address)
const NOBODY = `0x${'5a'.repeat(20)}`
const FORWARDER = `0x${'5c'.repeat(20)}`
const FACTORY = `0x${'5d'.repeat(20)}`
const ENDING = `0x${'5e'.repeat(20)}`
const UNKNOWN = `0x${'77'.repeat(32)}`
/** From 449 on blocks commit to their fork (RSKIP110). */
const OLD = 460

/** Sends its money on to NOBODY, and calls itself without being able to send anything. */
const FORWARDING = `0x60006000600060003473${NOBODY.slice(2)}5af1506000600060006000305afa00`
/** Ends and gives its money to NOBODY. */
const ENDING_CODE = `0x73${NOBODY.slice(2)}ff`
/** Reverts with the word 42. */
const REVERTS = '0x602a60005260206000fd'

const quantity = (value: number) => `0x${value.toString(16)}`

async function openOld(t: Test): Promise<DevNode> {
  const node = await openDevNode(t)
  await node.ask('hardhat_mine', OLD)
  return node
}

/** Mines a transaction of the first account. @returns its hash */
async function send({ ask }: DevNode, call: object): Promise<string> {
  const hash = await ask('eth_sendTransaction', { from: FROM, gas: '0x200000', gasPrice: '0x1', ...call })
  await ask('evm_mine')
  return hash
}

t.test('what Otterscan asks first, code, and blocks', async (t) => {
  const node = await openOld(t)
  const { ask, answer } = node
  t.equal(await ask('ots_getApiLevel'), 8)
  const code = readArtefact('Token').bytecode
  const created = await send(node, { data: `${code}${'64'.padStart(64, '0')}` })
  const { contractAddress: token, gasUsed } = await ask('eth_getTransactionReceipt', created)
  t.same(
    await Promise.all([
      ask('ots_hasCode', token, 'latest'),
      ask('ots_hasCode', token, OLD),
      ask('ots_hasCode', token),
      ask('ots_hasCode', FROM, 'latest'),
    ]),
    [true, false, true, false],
  )
  const block = await ask('eth_getBlockByNumber', 'latest', false)
  const { transactions, ...header } = block
  const details = await ask('ots_getBlockDetails', OLD + 1)
  t.same(details, {
    block: { ...header, logsBloom: null, transactionCount: 2 },
    issuance: { blockReward: '0x0', uncleReward: '0x0', issuance: '0x0' },
    totalFees: gasUsed,
  })
  t.equal(transactions.length, 2)
  t.same(await ask('ots_getBlockDetails', 'latest'), details)
  t.same(await ask('ots_getBlockDetailsByHash', block.hash), details)
  t.equal(await ask('ots_getBlockDetails', OLD + 2), null)
  t.equal(await ask('ots_getBlockDetailsByHash', UNKNOWN), null)
  t.match(await ask('erigon_getHeaderByNumber', OLD + 1), { hash: block.hash })
  t.equal(await ask('erigon_getHeaderByNumber', OLD + 2), null)
  t.match(await answer('ots_getBlockDetails', 'x'), { error: { code: -32602 } })
})

t.test('pages of the transactions of a block begin at its end', async (t) => {
  const node = await openOld(t)
  const { ask, answer } = node
  const sent: string[] = []
  for (let nonce = 0; nonce < 5; nonce += 1) {
    const call = {
      from: FROM,
      to: NOBODY,
      value: '0x1',
      gas: '0x30000',
      gasPrice: '0x1',
      data: '0x0102030405',
    }
    sent.push(await ask('eth_sendTransaction', { ...call, nonce: quantity(nonce) }))
  }
  await ask('evm_mine')
  const { transactions, timestamp } = await ask('eth_getBlockByNumber', 'latest', false)
  t.equal(transactions.length, 6, 'with that of the reward')
  const page = async (number: number, size = 4) => {
    const { fullblock, receipts } = await ask('ots_getBlockTransactions', OLD + 1, number, size)
    t.equal(fullblock.transactionCount, 6)
    t.equal(fullblock.logsBloom, null)
    t.same(
      receipts.map(({ transactionHash }: { transactionHash: string }) => transactionHash),
      fullblock.transactions.map(({ hash }: { hash: string }) => hash),
    )
    for (const receipt of receipts)
      t.match(receipt, { logs: null, logsBloom: null, timestamp, status: '0x1' })
    return fullblock.transactions as readonly { hash: string; input: string }[]
  }
  const hashesOf = (list: readonly { hash: string }[]) => list.map(({ hash }) => hash)
  t.same(hashesOf(await page(0)), transactions.slice(2))
  t.same(hashesOf(await page(1)), transactions.slice(0, 2))
  t.same(await page(2), [])
  t.same(await page(0, 0), [])
  const [first] = await page(0, 6)
  t.equal(first?.input, '0x01020304', 'no more than the selector')
  t.equal(await ask('ots_getBlockTransactions', OLD + 2, 0, 4), null)
  t.match(await answer('ots_getBlockTransactions', OLD + 1, 0, 1001), { error: { code: -32602 } })
})

t.test('what contracts did within a transaction, and what was undone', async (t) => {
  const node = await openOld(t)
  const { ask, answer } = node
  await ask('anvil_setCode', FORWARDER, FORWARDING)
  const sent = await send(node, { to: FORWARDER, value: '0x7' })
  t.same(await ask('ots_getInternalOperations', sent), [
    { type: 0, from: FORWARDER, to: NOBODY, value: '0x7' },
  ])
  t.match(await ask('ots_traceTransaction', sent), [
    { type: 'CALL', depth: 0, from: FROM, to: FORWARDER, value: '0x7', input: '0x', output: '0x' },
    { type: 'CALL', depth: 1, from: FORWARDER, to: NOBODY, value: '0x7' },
    { type: 'STATICCALL', depth: 1, from: FORWARDER, to: FORWARDER, value: null },
  ])
  t.equal(await ask('ots_getTransactionError', sent), '0x')

  // A contract that calls the forwarder and then reverts.
  const undoing = `0x60006000600060003473${FORWARDER.slice(2)}5af150602a60005260206000fd`
  await ask('anvil_setCode', FACTORY, undoing)
  const undone = await send(node, { to: FACTORY, value: '0x9' })
  t.match(await ask('eth_getTransactionReceipt', undone), { status: '0x0' })
  t.same(await ask('ots_getInternalOperations', undone), [])
  t.equal(await ask('ots_getTransactionError', undone), `0x${'2a'.padStart(64, '0')}`)
  const calls = await ask('ots_traceTransaction', undone)
  t.same(calls.map(({ depth }: { depth: number }) => depth).slice(0, 3), [0, 1, 2], 'it tells of them all')
  t.equal(calls[0].output, `0x${'2a'.padStart(64, '0')}`)

  await ask('anvil_setCode', ENDING, ENDING_CODE)
  await ask('anvil_setBalance', ENDING, '0x5')
  const ended = await send(node, { to: ENDING })
  t.same(await ask('ots_getInternalOperations', ended), [{ type: 1, from: ENDING, to: NOBODY, value: '0x5' }])
  t.match((await ask('ots_traceTransaction', ended))[1], { type: 'SELFDESTRUCT', from: ENDING, to: NOBODY })

  const failed = await send(node, { data: REVERTS })
  const [creation] = await ask('ots_traceTransaction', failed)
  const { contractAddress } = await ask('eth_getTransactionReceipt', failed)
  t.match(creation, { type: 'CREATE', from: FROM, to: contractAddress })
  for (const method of ['ots_getInternalOperations', 'ots_traceTransaction', 'ots_getTransactionError']) {
    t.match(await answer(method, UNKNOWN), { error: { code: -32000 } }, method)
  }
})

t.test('contracts that contracts create, and who created them', async (t) => {
  const node = await openOld(t)
  const { ask } = node
  // Stores one byte of code of a contract (STOP) by CREATE with 3 wei, and by CREATE2 with salt 0.
  const init = '600160005360016000f3'
  const word = init.padEnd(64, '0')
  const creating = `0x7f${word}600052600a60006003f0507f${word}6000526000600a60006000f55000`
  await ask('anvil_setCode', FACTORY, creating)
  const hash = await send(node, { to: FACTORY, value: '0x3' })
  const operations = await ask('ots_getInternalOperations', hash)
  t.match(operations, [
    { type: 2, from: FACTORY, value: '0x3' },
    { type: 3, from: FACTORY, value: '0x0' },
  ])
  for (const { to } of operations) {
    t.same(await ask('ots_getContractCreator', to), { hash, creator: FACTORY })
  }
  const code = readArtefact('Token').bytecode
  const deployed = await send(node, { data: `${code}${'64'.padStart(64, '0')}` })
  const { contractAddress } = await ask('eth_getTransactionReceipt', deployed)
  await ask('hardhat_mine', 5)
  t.same(await ask('ots_getContractCreator', contractAddress), { hash: deployed, creator: FROM })
  t.equal(await ask('ots_getContractCreator', FACTORY), null, 'its code was set')
  t.equal(await ask('ots_getContractCreator', NOBODY), null)
})

t.test('transactions of an address, page by page, on a chain that was rewound', async (t) => {
  const node = await openOld(t)
  const { ask, answer } = node
  const id = await ask('evm_snapshot')
  for (const round of [1, 2]) {
    await ask('anvil_setCode', FORWARDER, FORWARDING)
    const transfers: string[] = []
    for (let index = 0; index < 3; index += 1)
      transfers.push(await send(node, { to: NOBODY, value: quantity(round) }))
    const inner = await send(node, { to: FORWARDER, value: '0x7' })
    await send(node, { to: FORWARDER.replace('5c', '11'), value: '0x7' })
    const all = [inner, ...transfers.toReversed()]
    const before = (block: number, size: number) => ask('ots_searchTransactionsBefore', NOBODY, block, size)
    const after = (block: number, size: number) => ask('ots_searchTransactionsAfter', NOBODY, block, size)
    const hashesOf = ({ txs, receipts }: Pages): string[] => {
      t.same(
        receipts.map(({ transactionHash }) => transactionHash),
        txs.map(({ hash }) => hash),
      )
      return txs.map(({ hash }) => hash)
    }
    interface Pages {
      txs: readonly { hash: string; blockNumber: string }[]
      receipts: readonly { transactionHash: string; timestamp: string }[]
    }
    const whole = await before(0, 25)
    t.same(hashesOf(whole), all, `round ${round}`)
    t.match(whole, { firstPage: true, lastPage: true })
    const { timestamp } = await ask('eth_getBlockByNumber', whole.txs[0].blockNumber, false)
    t.match(whole.receipts[0], { timestamp, status: '0x1' })
    const first = await before(0, 2)
    t.same([hashesOf(first), first.firstPage, first.lastPage], [all.slice(0, 2), true, false])
    const second = await before(Number(first.txs[1].blockNumber), 2)
    t.same([hashesOf(second), second.firstPage, second.lastPage], [all.slice(2), false, false])
    t.match(await before(Number(second.txs[1].blockNumber), 2), { txs: [], lastPage: true })
    const oldest = await after(0, 2)
    t.same([hashesOf(oldest), oldest.firstPage, oldest.lastPage], [all.slice(2), false, true])
    const newer = await after(Number(oldest.txs[0].blockNumber), 5)
    t.same([hashesOf(newer), newer.firstPage, newer.lastPage], [all.slice(0, 2), true, false])
    for (const [nonce, hash] of transfers.entries()) {
      t.equal(await ask('ots_getTransactionBySenderAndNonce', FROM, nonce), hash)
    }
    t.equal(await ask('ots_getTransactionBySenderAndNonce', FROM, 5), null)
    t.equal(await ask('ots_getTransactionBySenderAndNonce', NOBODY, 0), null)
    t.equal(await ask('evm_revert', id), true)
    t.match(await before(0, 25), { txs: [], receipts: [], firstPage: true, lastPage: true })
    t.equal(await ask('ots_getTransactionBySenderAndNonce', FROM, 0), null)
  }
  await ask('anvil_setNonce', FROM, '0x9')
  await ask('evm_mine')
  t.equal(await ask('ots_getTransactionBySenderAndNonce', FROM, 4), null, 'a nonce that was set has none')
  t.match(await answer('ots_searchTransactionsBefore', NOBODY, 0, 1001), { error: { code: -32602 } })
  t.match(await ask('ots_searchTransactionsAfter', NOBODY, 10 ** 9, 5), { txs: [], firstPage: true })
})

t.test('a search ends after so many transactions that it executed again', async (t) => {
  const node = await openOld(t)
  const { context } = node.live.node
  const other = `0x${'11'.repeat(20)}`
  const own = await send(node, { to: NOBODY, value: '0x1' })
  for (let index = 0; index < 4; index += 1) await send(node, { to: other, value: '0x1' })
  context.refresh()
  t.teardown(() => context.release())
  const search = (step: 1 | -1, from: number, most?: number) =>
    searchAddress(context, { address: Buffer.alloc(20, 0x5a), from, step, size: 25 }, most)
  t.match(search(-1, OLD + 5), { txs: [{ hash: own }], isAtEnd: true })
  t.match(search(1, 1, 2), { txs: [{ hash: own }], isAtEnd: false }, 'with what it found')
  t.throws(() => search(-1, OLD + 5, 4), {
    kind: 'limited',
    message: `limit exceeded: nothing was found until block ${OLD + 1}; search from there`,
  })
  const flags = new Int32Array([1])
  t.throws(
    () =>
      searchAddress(
        { ...context, interrupt: { flags, slot: 0 } },
        { address: Buffer.alloc(20), from: 1, step: 1, size: 1 },
      ),
    { kind: 'overLimit', message: 'Execution has got timeout out.' },
  )
})

t.test('they are there on a development chain alone', async (t) => {
  const { answer } = await openDevNode(t, { profile: 'hosted' })
  t.match(await answer('ots_getApiLevel'), { error: { code: -32601 } }, 'not among the public modules')
  const names = METHODS.filter((method) => method.name.startsWith('ots_'))
  t.equal(names.length, 12)
  const open = { modules: ['*'], disabledMethods: [], dev: false }
  t.same(
    names.filter((method) => isEnabled(method, open)),
    [],
  )
})
