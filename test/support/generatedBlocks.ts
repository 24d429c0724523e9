import fc from 'fast-check'
import { Block } from '../../src/chain/codec/block.ts'
import { BlockHeader } from '../../src/chain/codec/header.ts'
import { encodeLogs, type Log } from '../../src/chain/codec/receipt.ts'
import { encodeBytes, encodeList } from '../../src/chain/codec/rlpWriter.ts'
import { createRemascTransaction, Transaction } from '../../src/chain/codec/transaction.ts'
import { genesisHeader } from '../../src/chain/genesis.ts'
import { createNetworkSpec } from '../../src/config/networkSpec.ts'
import { regtest } from '../../src/config/networks/regtest.ts'

/** A block of generated transactions with their receipts; nobody has executed it. */
export interface GeneratedBlock {
  readonly block: Block
  /** 20 bytes each; zeros for the reward transaction. */
  readonly senders: readonly Buffer[]
  /** RLP list of the receipts. */
  readonly receipts: Buffer
}

const spec = createNetworkSpec(regtest, { activationHeights: { rskip351: -1, rskip110: -1 } })
const genesis = genesisHeader(spec, Buffer.alloc(32, 1))

function bytes(constraints: fc.IntArrayConstraints): fc.Arbitrary<Buffer> {
  return fc.uint8Array(constraints).map((value) => Buffer.from(value))
}

/** Numbers as somebody may write them: also with zeros in front, and none at all. */
const number = fc
  .tuple(fc.nat(3), bytes({ maxLength: 9 }))
  .map(([zeros, value]) => Buffer.concat([Buffer.alloc(zeros), value]))
const amount = fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 1n << 100n }))
const address = bytes({ minLength: 20, maxLength: 20 })

const signature = fc.record({
  v: fc.constantFrom(27, 28),
  r: fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }),
  s: fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }),
})

/** A transaction and its sender: calls and creations, with and without signature. */
export const generatedTransaction: fc.Arbitrary<{ transaction: Transaction; sender: Buffer }> = fc.record({
  transaction: fc
    .record({
      nonceBytes: number,
      gasPrice: fc.option(amount),
      gasLimitBytes: number,
      to: fc.oneof(address, fc.constant(Buffer.alloc(0))),
      value: amount,
      data: bytes({ maxLength: 70 }),
      chainId: fc.constantFrom(0, 30, 31, 33, 110),
      signature: fc.option(signature),
    })
    .map((fields) => new Transaction(fields)),
  sender: address,
})

/** A log with up to four topics; few addresses and topics, so that criteria match some. */
export const generatedLog: fc.Arbitrary<Log> = fc.record({
  address: fc.integer({ min: 1, max: 12 }).map((value) => Buffer.alloc(20, value)),
  topics: fc.array(
    fc.integer({ min: 1, max: 12 }).map((value) => Buffer.alloc(32, value)),
    { maxLength: 4 },
  ),
  data: bytes({ maxLength: 70 }),
})

/** RLP of a receipt. Its numbers, and a status that is neither of the two, may be as nobody writes them. */
const receipt = fc
  .record({
    cumulativeGas: number,
    gas: number,
    bloom: bytes({ minLength: 256, maxLength: 256 }),
    status: fc.constantFrom(Buffer.from([1]), Buffer.alloc(0), Buffer.from([2]), Buffer.from([0, 1])),
    logs: fc.array(generatedLog, { maxLength: 4 }),
  })
  .map(({ cumulativeGas, gas, bloom, status, logs }) =>
    encodeList([
      encodeBytes(status),
      encodeBytes(cumulativeGas),
      encodeBytes(bloom),
      encodeLogs(logs),
      encodeBytes(gas),
      encodeBytes(status),
    ]),
  )

/** Blocks with or without transactions, most of them with a reward transaction. */
export const generatedBlock: fc.Arbitrary<GeneratedBlock> = fc
  .record({
    height: fc.integer({ min: 1, max: 0x1_0000_0000 }),
    executed: fc.array(fc.tuple(generatedTransaction, receipt), { maxLength: 6 }),
    reward: fc.option(receipt),
  })
  .map(({ height, executed, reward }) => {
    const header = new BlockHeader({ ...genesis.fields, number: height })
    const transactions = executed.map(([{ transaction }]) => transaction)
    const receipts = executed.map(([, encoded]) => encoded)
    const senders = executed.map(([{ sender }]) => sender)
    if (reward !== null) {
      transactions.push(createRemascTransaction(height))
      receipts.push(reward)
      senders.push(Buffer.alloc(20))
    }
    return { block: new Block(header, transactions, []), senders, receipts: encodeList(receipts) }
  })
