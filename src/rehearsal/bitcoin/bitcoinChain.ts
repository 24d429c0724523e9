import { Block, crypto, opcodes, script, Transaction } from 'bitcoinjs-lib'
import { RehearsalError } from '../errors.ts'
import { merkleRoot, partialMerkleTree } from './merkle.ts'
import { type Coin, type OutPoint, outPointOf, reversed, withoutWitness } from './transactions.ts'

/** Hash and time of the first block of Bitcoin's regtest (bridge.md §6.1). */
const GENESIS = {
  hash: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
  time: 1_296_688_602,
}
const BITS = 0x207fffff
/** Target of {@link BITS}. */
const TARGET = 0x7fffffn << (8n * 29n)
const BLOCK_VERSION = 0x20000000
const SECONDS_BETWEEN_BLOCKS = 600
const SUBSIDY = 5_000_000_000n
const HALVING_INTERVAL = 150
/** Confirmations before a coinbase may be spent, including its own block. */
const COINBASE_MATURITY = 100
const NONE = Buffer.alloc(32)
const COINBASE_INDEX = 0xffffffff
const COMMITMENT_HEADER = Buffer.from('aa21a9ed', 'hex')

/** The value after the witness root in the commitment of a coinbase (BIP 141). */
export const RESERVED_VALUE: Buffer = Buffer.alloc(32)

/** A block of the simulated chain. */
export interface BitcoinBlock {
  readonly height: number
  /** Display order, without `0x`. */
  readonly hash: string
  /** 80 bytes. */
  readonly header: Buffer
  /** The coinbase first. */
  readonly transactions: readonly Transaction[]
}

/** A transaction in a block, with its proof of inclusion. */
export interface MinedTransaction {
  readonly transaction: Transaction
  readonly block: BitcoinBlock
  /** Partial Merkle tree over ids with witness where the transaction has one, else over ids without. */
  readonly proof: Buffer
}

/** Data for registering the coinbase of a block with the Bridge, which links the roots of both trees. */
export interface CoinbaseProof {
  /** Without witness. */
  readonly transaction: Buffer
  readonly blockHash: Buffer
  readonly proof: Buffer
  /** Display order. */
  readonly witnessRoot: Buffer
  readonly reservedValue: Buffer
}

/** The output that an input spends. */
type Output = Coin & { readonly height: number; readonly isCoinbase: boolean }

/**
 * A Bitcoin regtest chain in memory: blocks have real proofs of work, and transactions spend existing
 * outputs. It does not run scripts; to verify signatures use `spent` and an interpreter.
 */
export class BitcoinChain {
  readonly #minerScript: Uint8Array
  readonly #blocks: BitcoinBlock[] = []
  readonly #blockOf = new Map<string, BitcoinBlock>()
  readonly #outputs = new Map<string, Output>()
  readonly #unspent = new Set<string>()
  #waiting: Transaction[] = []

  /** @param minerScript output script that receives the subsidies and fees */
  constructor(minerScript: Uint8Array) {
    this.#minerScript = minerScript
  }

  get height(): number {
    return this.#blocks.length
  }

  /** Blocks from a height on, ascending, without the first block of the network, at height 0. */
  blocksFrom(height: number): readonly BitcoinBlock[] {
    return this.#blocks.slice(height - 1)
  }

  /** The spendable outputs of a script, oldest first. */
  coinsOf(outputScript: Uint8Array): Coin[] {
    return [...this.#unspent].flatMap((key) => {
      const output = this.#outputs.get(key)
      return output?.script.equals(outputScript) && this.#isMature(output) ? [output] : []
    })
  }

  /** The output that an input spends or spent. @throws RehearsalError when there is none */
  spent(outPoint: OutPoint): Coin {
    const output = this.#outputs.get(keyOf(outPoint))
    if (output !== undefined) return output
    throw new RehearsalError('REFUSED', `Bitcoin has no output ${keyOf(outPoint)}`)
  }

  /** Adds a transaction to the next block. @throws RehearsalError when it spends a missing output */
  broadcast(transaction: Transaction): void {
    const id = transaction.getId()
    const refuse = (why: string) => new RehearsalError('REFUSED', `Bitcoin refuses ${id}: ${why}`)
    const outPoints = transaction.ins.map(outPointOf)
    const spent = outPoints.map((outPoint) => this.spent(outPoint))
    if (new Set(outPoints.map(keyOf)).size !== outPoints.length) throw refuse('it spends an output twice')
    for (const outPoint of outPoints) {
      const output = this.#outputs.get(keyOf(outPoint))
      if (!this.#unspent.has(keyOf(outPoint))) throw refuse(`${keyOf(outPoint)} is spent`)
      if (output !== undefined && !this.#isMature(output)) throw refuse(`${keyOf(outPoint)} is too young`)
    }
    if (sum(spent) <= sum(transaction.outs)) throw refuse('it pays no fee')
    for (const outPoint of outPoints) this.#unspent.delete(keyOf(outPoint))
    this.#addOutputs(transaction, this.height + 1)
    this.#waiting.push(transaction)
  }

  /** Mines blocks; the first one includes all waiting transactions. */
  mine(count: number): void {
    for (let made = 0; made < count; made += 1) {
      const others = this.#waiting
      this.#waiting = []
      this.#append(others)
    }
  }

  /** A mined transaction with its proof. @throws RehearsalError when it is not mined */
  find(id: string): MinedTransaction {
    const block = this.#blockOf.get(id)
    const index = block?.transactions.findIndex((other) => other.getId() === id) ?? -1
    const transaction = block?.transactions[index]
    if (block === undefined || transaction === undefined) {
      throw new RehearsalError('REFUSED', `Bitcoin has not mined ${id}`)
    }
    const leaves = transaction.hasWitnesses() ? witnessIds(block) : ids(block)
    return { transaction, block, proof: partialMerkleTree(leaves, index) }
  }

  /** Data of a block that the Bridge needs before it accepts transactions with witnesses from it. */
  coinbaseProof(block: BitcoinBlock): CoinbaseProof {
    const [coinbase] = block.transactions
    if (coinbase === undefined) throw new RehearsalError('REFUSED', `block ${block.hash} is empty`)
    return {
      transaction: withoutWitness(coinbase),
      blockHash: Buffer.from(block.hash, 'hex'),
      proof: partialMerkleTree(ids(block), 0),
      witnessRoot: reversed(merkleRoot(witnessIds(block))),
      reservedValue: RESERVED_VALUE,
    }
  }

  #append(others: readonly Transaction[]): void {
    const height = this.height + 1
    const spent = others.flatMap(({ ins }) => ins.map((input) => this.spent(outPointOf(input))))
    const fees = sum(spent) - sum(others.flatMap(({ outs }) => outs))
    const coinbase = this.#coinbase(height, others, fees)
    const transactions = [coinbase, ...others]
    const header = this.#solve(height, merkleRoot(transactions.map((each) => each.getHash())))
    const block = { height, hash: header.getId(), header: Buffer.from(header.toBuffer(true)), transactions }
    this.#blocks.push(block)
    for (const transaction of transactions) this.#blockOf.set(transaction.getId(), block)
    this.#addOutputs(coinbase, height)
  }

  #coinbase(height: number, others: readonly Transaction[], fees: bigint): Transaction {
    const coinbase = new Transaction()
    const start = script.compile([script.number.encode(height), Buffer.from('Rhizome rehearsal')])
    coinbase.addInput(NONE, COINBASE_INDEX, COINBASE_INDEX, start)
    coinbase.setWitness(0, [RESERVED_VALUE])
    const subsidy = SUBSIDY >> BigInt(Math.floor(height / HALVING_INTERVAL))
    coinbase.addOutput(this.#minerScript, subsidy + fees)
    const root = merkleRoot([NONE, ...others.map((other) => other.getHash(true))])
    const commitment = crypto.hash256(Buffer.concat([root, RESERVED_VALUE]))
    const data = Buffer.concat([COMMITMENT_HEADER, commitment])
    coinbase.addOutput(script.compile([opcodes.OP_RETURN, data]), 0n)
    return coinbase
  }

  #solve(height: number, root: Uint8Array): Block {
    const header = new Block()
    header.version = BLOCK_VERSION
    header.prevHash = reversed(Buffer.from(this.#blocks.at(-1)?.hash ?? GENESIS.hash, 'hex'))
    header.merkleRoot = root
    header.timestamp = GENESIS.time + height * SECONDS_BETWEEN_BLOCKS
    header.bits = BITS
    for (header.nonce = 0; BigInt(`0x${header.getId()}`) > TARGET; ) header.nonce += 1
    return header
  }

  #addOutputs(transaction: Transaction, height: number): void {
    const id = transaction.getId()
    const isCoinbase = transaction.isCoinbase()
    for (const [index, { script, value }] of transaction.outs.entries()) {
      const output = { id, index, script: Buffer.from(script), value, height, isCoinbase }
      this.#outputs.set(keyOf(output), output)
      if (value > 0n) this.#unspent.add(keyOf(output))
    }
  }

  #isMature({ isCoinbase, height }: Output): boolean {
    return !isCoinbase || this.height - height >= COINBASE_MATURITY
  }
}

function keyOf({ id, index }: OutPoint): string {
  return `${id}:${index}`
}

function sum(outputs: readonly { readonly value: bigint }[]): bigint {
  return outputs.reduce((total, { value }) => total + value, 0n)
}

function ids(block: BitcoinBlock): Uint8Array[] {
  return block.transactions.map((transaction) => transaction.getHash())
}

/** The coinbase counts as zeros in the tree of witnesses (BIP 141). */
function witnessIds(block: BitcoinBlock): Uint8Array[] {
  return block.transactions.map((transaction, index) => (index === 0 ? NONE : transaction.getHash(true)))
}
