import { script, Transaction } from 'bitcoinjs-lib'
import { decodeRlp } from 'ethers'
import type { Log } from '../../../src/chain/codec/receipt.ts'
import { outPointOf } from '../../../src/rehearsal/bitcoin/transactions.ts'
import { keyPairOfSeed, signForBridge } from '../../../src/rehearsal/keyPair.ts'
import type { Outcome } from './driver.ts'
import { nameOfEvent } from './events.ts'
import { schedule } from './registrations.ts'
import { addressOf, outputScript } from './scripts.ts'
import { below, oneOf, USER_SEEDS, type World } from './world.ts'

const SIGHASH_ALL = 1
const PUBLIC_KEY_BYTES = 33
/** How often a peg-out is signed by all that may: some never complete (bridge.md §4.5). */
const ATTEMPTS = 3

/** Output scripts, in hex, that requests of peg-outs are paid to. */
const USERS = new Set(
  USER_SEEDS.map((seed) => outputScript(addressOf(keyPairOfSeed(seed).publicKey)).toString('hex')),
)

const attempts = new WeakMap<World, Map<string, number>>()

/** Has the members sign what waits for signatures. */
export async function signWaiting(world: World): Promise<void> {
  for (const method of ['getStateForBtcReleaseClient', 'getStateForSvpClient']) {
    if (method === 'getStateForSvpClient' && !world.driver.on('rskip419')) continue
    const state = await world.driver.ask(method)
    if (typeof state !== 'string') continue
    for (const [hash, raw] of pairsOf(decodeRlp(state))) await signOne(world, hash, raw)
  }
}

/** RLP of hashes and transactions, one after the other, within one list more than that. */
function pairsOf(decoded: unknown): [Buffer, Buffer][] {
  const flat: Buffer[] = []
  const collect = (item: unknown): void => {
    if (Array.isArray(item)) for (const each of item) collect(each)
    else if (typeof item === 'string' && item.length > 2) {
      const content = Buffer.from(item.slice(2), 'hex')
      // The list is itself an item of a list, as bytes.
      if ((content[0] ?? 0) >= 0xc0 && content.length > 40 && isRlp(item)) collect(decodeRlp(item))
      else flat.push(content)
    }
  }
  collect(decoded)
  const pairs: [Buffer, Buffer][] = []
  for (let at = 0; at + 1 < flat.length; at += 2) {
    const [hash, raw] = [flat[at], flat[at + 1]]
    if (hash !== undefined && raw !== undefined && hash.length === 32) pairs.push([hash, raw])
  }
  return pairs
}

function isRlp(item: string): boolean {
  try {
    decodeRlp(item)
    return true
  } catch {
    return false
  }
}

async function signOne(world: World, hash: Buffer, raw: Buffer): Promise<void> {
  const counts = attempts.get(world) ?? new Map<string, number>()
  attempts.set(world, counts)
  const key = hash.toString('hex') + raw.length
  const count = (counts.get(key) ?? 0) + 1
  counts.set(key, count)
  if (count > ATTEMPTS) return
  const transaction = Transaction.fromBuffer(raw)
  const scripts = transaction.ins.map((input) => redeemScriptOf(input))
  const seeds = membersIn(world, scripts[0] ?? Buffer.alloc(0))
  const shuffled = seeds
    .map((seed) => ({ seed, at: world.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ seed }) => seed)
  // Some sign later, so that peg-outs wait with some of their signatures.
  const now = count === 1 ? shuffled.slice(0, 1 + below(world, shuffled.length)) : shuffled
  for (const seed of now) {
    const pair = keyPairOfSeed(seed)
    const signatures = transaction.ins.map((input, index) => {
      const redeem = scripts[index] ?? Buffer.alloc(0)
      const isSegwit = input.witness.length > 0
      const signedHash = isSegwit
        ? transaction.hashForWitnessV0(
            index,
            redeem,
            world.bitcoin.spent(outPointOf(input)).value,
            SIGHASH_ALL,
          )
        : transaction.hashForSignature(index, redeem, SIGHASH_ALL)
      return signForBridge(pair, signedHash)
    })
    if (world.random() < 0.03) signatures[0] = Buffer.from(signatures.at(-1) ?? []).fill(1, 8, 12)
    await world.driver.call(world.driver.account(seed), 'addSignature', [pair.publicKey, signatures, hash], {
      gasLimit: 600_000,
      done: (outcome) => release(world, outcome),
    })
  }
  if (world.random() < 0.1) {
    const stranger = keyPairOfSeed('stranger')
    const signature = signForBridge(stranger, hash)
    const from = world.driver.account(oneOf(world, [...seeds, 'stranger']))
    await world.driver.call(from, 'addSignature', [stranger.publicKey, [signature], hash])
  }
}

/** Key texts of the members whose keys are in a script. */
function membersIn({ memberSeeds }: World, redeem: Buffer): string[] {
  const chunks = script.decompile(redeem) ?? []
  return chunks.flatMap((chunk) => {
    if (typeof chunk === 'number' || chunk.length !== PUBLIC_KEY_BYTES) return []
    const seed = memberSeeds.get(Buffer.from(chunk).toString('hex'))
    return seed === undefined ? [] : [seed]
  })
}

function redeemScriptOf(input: {
  readonly script: Uint8Array
  readonly witness: readonly Uint8Array[]
}): Buffer {
  const last = input.witness.at(-1)
  if (last !== undefined) return Buffer.from(last)
  const chunk = script.decompile(input.script)?.at(-1)
  return chunk === undefined || typeof chunk === 'number' ? Buffer.alloc(0) : Buffer.from(chunk)
}

/** Sends what was signed to the end to Bitcoin, and has it registered later. */
function release(world: World, { logs }: Outcome): void {
  for (const log of logs) {
    if (nameOfEvent(log.topics[0]) !== 'release_btc') continue
    const transaction = Transaction.fromBuffer(rawTransactionOf(log))
    countRelease(world, transaction)
    try {
      world.bitcoin.broadcast(transaction)
      schedule(world, transaction.getId(), 'registerBtcTransaction (own)')
    } catch (error) {
      world.counts.anomalies += 1
      process.stderr.write(`release refused: ${String(error)}\n`)
    }
  }
}

function countRelease({ counts, payers }: World, { outs }: Transaction): void {
  const requests = outs.filter(({ script: paid }) => USERS.has(Buffer.from(paid).toString('hex'))).length
  counts.releasesSigned += 1
  counts.requestsPaid += requests
  if (requests > 0) counts.pegoutsSigned += 1
  else if (outs.some(({ script: paid }) => payers.has(Buffer.from(paid).toString('hex'))))
    counts.refundsSigned += 1
  else counts.transfersSigned += 1
}

/** Of the event in either form. */
function rawTransactionOf({ topics, data }: Log): Buffer {
  if (topics.length === 1) {
    const items = decodeRlp(data)
    const raw = Array.isArray(items) ? items[1] : undefined
    return Buffer.from(String(raw).slice(2), 'hex')
  }
  const length = Number(BigInt(`0x${data.subarray(32, 64).toString('hex')}`))
  return data.subarray(64, 64 + length)
}
