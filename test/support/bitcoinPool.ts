import { Block, crypto, opcodes, script, Transaction } from 'bitcoinjs-lib'

const TAG = Buffer.from('RSKBLOCK:', 'latin1')
const COMMITMENT_HEADER = Buffer.from('aa21a9ed', 'hex')
const RESERVED_VALUE = Buffer.alloc(32)
const SUBSIDY = 312_500_000n
const BITS = 0x207fffff
const VERSION = 0x20000000
const PUBLIC_KEY_HASH = Buffer.alloc(20, 0x42)
const NONE = Buffer.alloc(32)
const COINBASE_INDEX = 0xffffffff

/** What a pool may do otherwise than it should, for tests of refusals. */
export interface BitcoinBlockChanges {
  /** In place of the output with the tag and the hash. */
  readonly tagScript?: Uint8Array
  /** Outputs after the one with the tag. */
  readonly lastScripts?: readonly Uint8Array[]
  /** Searches a nonce whose hash is above the target. */
  readonly unsolved?: boolean
  /** Other bytes in place of the serialised coinbase without witness. */
  readonly coinbase?: (transaction: Transaction) => Uint8Array
  readonly time?: number
}

/** A Bitcoin block as a pool assembles it. */
export interface MinedBitcoinBlock {
  /** 80 bytes. */
  readonly header: Buffer
  /** Without witness. */
  readonly coinbase: Buffer
  /** Of every transaction, the coinbase first, internal order. */
  readonly ids: readonly Buffer[]
  /** Other transactions without witness. */
  readonly others: readonly Buffer[]
}

/** A mining pool made of public Bitcoin software: real coinbases and blocks, work of a merged-mined chain in them. */
export class BitcoinPool {
  readonly #name: string
  readonly #random: () => number
  #height = 800_000
  #extraNonce = 0

  constructor(name: string, random: () => number) {
    this.#name = name
    this.#random = random
  }

  /**
   * Solves a Bitcoin block of `transactions` transactions for a work.
   * @param hash 32 bytes for the tag
   * @param target largest hash as a number
   */
  mine(
    hash: Buffer,
    target: bigint,
    transactions: number,
    changes: BitcoinBlockChanges = {},
  ): MinedBitcoinBlock {
    this.#height += 1
    this.#extraNonce += 1
    const others = Array.from({ length: transactions - 1 }, () => this.#payment())
    const tagScript =
      changes.tagScript ?? script.compile([opcodes.OP_RETURN as number, Buffer.concat([TAG, hash])])
    const coinbase = this.#coinbase(others, [tagScript, ...(changes.lastScripts ?? [])])
    const serialised = Buffer.from(changes.coinbase?.(coinbase) ?? withoutWitness(coinbase))
    const ids = [coinbase, ...others].map((transaction) => Buffer.from(transaction.getHash()))
    const header = this.#solve(ids, target, changes)
    return {
      header,
      coinbase: serialised,
      ids,
      others: others.map((other) => Buffer.from(withoutWitness(other))),
    }
  }

  /** Solves a Bitcoin block of one transaction, whatever bytes that is. */
  mineAlone(coinbase: Buffer, target: bigint): MinedBitcoinBlock {
    const ids = [Buffer.from(crypto.hash256(coinbase))]
    return { header: this.#solve(ids, target, {}), coinbase, ids, others: [] }
  }

  #coinbase(others: readonly Transaction[], lastScripts: readonly Uint8Array[]): Transaction {
    const extraNonce = Buffer.alloc(8)
    extraNonce.writeBigUInt64LE(BigInt(this.#extraNonce))
    const coinbase = new Transaction()
    const start = script.compile([script.number.encode(this.#height), Buffer.from(this.#name), extraNonce])
    coinbase.addInput(NONE, COINBASE_INDEX, COINBASE_INDEX, start)
    coinbase.setWitness(0, [RESERVED_VALUE])
    coinbase.addOutput(payTo(PUBLIC_KEY_HASH), SUBSIDY)
    // The coinbase counts as zeros in the tree of witnesses.
    const witnesses = [NONE, ...others.map((other) => Buffer.from(other.getHash(true)))]
    const commitment = crypto.hash256(Buffer.concat([merkleRoot(witnesses), RESERVED_VALUE]))
    const commitmentData = Buffer.concat([COMMITMENT_HEADER, commitment])
    coinbase.addOutput(script.compile([opcodes.OP_RETURN as number, commitmentData]), 0n)
    for (const last of lastScripts) coinbase.addOutput(last, 0n)
    return coinbase
  }

  /** A payment with a witness. */
  #payment(): Transaction {
    const transaction = new Transaction()
    const bytes = (length: number) =>
      Buffer.from(Array.from({ length }, () => Math.floor(this.#random() * 256)))
    transaction.addInput(bytes(32), 1)
    transaction.setWitness(0, [bytes(71), bytes(33)])
    transaction.addOutput(payTo(bytes(20)), 50_000n)
    return transaction
  }

  #solve(ids: readonly Buffer[], target: bigint, { unsolved = false, time }: BitcoinBlockChanges): Buffer {
    const block = new Block()
    block.version = VERSION
    block.prevHash = Buffer.alloc(32, this.#height & 0xff)
    block.merkleRoot = merkleRoot(ids)
    block.timestamp = time ?? Math.floor(Date.now() / 1000)
    block.bits = BITS
    for (block.nonce = 0; ; block.nonce += 1) {
      const value = BigInt(`0x${block.getId()}`)
      if (value <= target !== unsolved) return Buffer.from(block.toBuffer(true))
    }
  }
}

/** The whole block, witnesses stripped, as the block call takes it. */
export function blockHex({ header, coinbase, others }: MinedBitcoinBlock): string {
  const count = others.length + 1
  const size = count < 0xfd ? Buffer.from([count]) : Buffer.from([0xfd, count & 0xff, count >> 8])
  return Buffer.concat([header, size, coinbase, ...others]).toString('hex')
}

/** Ids of all transactions, display order. */
export function transactionHashes({ ids }: MinedBitcoinBlock): string {
  return ids.map((id) => Buffer.from(id).reverse().toString('hex')).join(' ')
}

/** The coinbase and its siblings upwards, internal order. */
export function merkleHashes({ ids }: MinedBitcoinBlock): string {
  const branch = [ids[0] ?? NONE]
  let level = [...ids]
  while (level.length > 1) {
    branch.push(level[1] ?? NONE)
    level = parents(level)
  }
  return branch.map((hash) => hash.toString('hex')).join(' ')
}

/** Script of an output that holds data after OP_RETURN. */
export function dataScript(data: Uint8Array): Uint8Array {
  return script.compile([opcodes.OP_RETURN as number, data])
}

/** Serialised as before segregated witness. */
export function withoutWitness(transaction: Transaction): Uint8Array {
  const copy = transaction.clone()
  copy.stripWitnesses()
  return copy.toBuffer()
}

function payTo(publicKeyHash: Buffer): Uint8Array {
  return script.compile([opcodes.OP_0 as number, publicKeyHash])
}

function merkleRoot(hashes: readonly Buffer[]): Buffer {
  let level = [...hashes]
  while (level.length > 1) level = parents(level)
  return level[0] ?? NONE
}

function parents(level: readonly Buffer[]): Buffer[] {
  return level.flatMap((hash, index) =>
    index % 2 === 1 ? [] : [Buffer.from(crypto.hash256(Buffer.concat([hash, level[index + 1] ?? hash])))],
  )
}
