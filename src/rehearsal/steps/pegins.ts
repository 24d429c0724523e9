import type { Transaction } from 'bitcoinjs-lib'
import { toHex } from '../../util/bytes.ts'
import {
  dataScript,
  type Payment,
  type Purse,
  p2pkhPurse,
  p2shMultisigPurse,
  p2shP2wpkhPurse,
} from '../bitcoin/purse.ts'
import { feedHeaders, register } from '../bitcoinRelay.ts'
import { RehearsalError } from '../errors.ts'
import { keyPairOfSeed } from '../keyPair.ts'
import { formatBitcoin, formatRbtc, type StepReport } from '../report.ts'
import { numberAt } from '../rootstock/abi.ts'
import { addressOfScript, scriptOfAddress } from '../rootstock/bridgeContract.ts'
import type { Scene } from '../scene.ts'

/**
 * Blocks on Bitcoin before the first peg-in: from this height on, transactions are told apart as on main net today
 * (bridge.md §6.1, peg-out index), and the first subsidies may be spent.
 */
const FIRST_BLOCKS = 360
const WEI_PER_SATOSHI = 10_000_000_000n
/** Satoshi that each user gets on Bitcoin before it pays to the federation. */
const ALLOWANCE = 200_000_000n
const PEGIN_VALUE = 100_000_000n
/** Below the smallest peg-in (bridge.md §6.1). */
const TOO_SMALL = 400_000n
/** Instructions of version 1 in an output with data (bridge.md §4.2.1). */
const INSTRUCTIONS = Buffer.from('RSKT')
const VERSION_1 = 1
const REASONS: Readonly<Record<number, string>> = {
  2: 'its sender is a script of several keys, so that no account on Rootstock follows from it',
  5: 'an output to the federation is below the minimum',
}

/** Bitcoin begins, and the Bridge is shown its headers. */
export async function startBitcoin(scene: Scene): Promise<StepReport> {
  const { chain, bridge } = scene
  chain.mine(FIRST_BLOCKS)
  const sent = await feedHeaders(scene)
  const height = await bridge.readNumber('getBtcBlockchainBestChainHeight()')
  const hash = await bridge.readBytes('getBtcBlockchainBlockHashAtDepth(int256)', [0])
  if (hash.toString('hex') !== chain.blocksFrom(height)[0]?.hash || height !== chain.height) {
    throw new RehearsalError('REFUSED', 'the Bridge has not the head of the Bitcoin chain')
  }
  return {
    title: 'Bitcoin begins',
    text: `${sent} blocks of Bitcoin's regtest were mined, and a federation member sent the Bridge their headers.`,
    metadata: [
      ['head that the Bridge knows', `block ${height}, ${hash.toString('hex')}`],
      ['federation address', await bridge.readText('getFederationAddress()')],
      [
        'signatures that a release needs',
        `${await bridge.readNumber('getFederationThreshold()')} of ${await bridge.readNumber('getFederationSize()')}`,
      ],
      ['smallest peg-in', formatBitcoin(BigInt(await bridge.readNumber('getMinimumLockTxValue()')))],
    ],
  }
}

/** Bitcoin come from the hash of a key. */
export function peginOfKeyHash(scene: Scene): Promise<StepReport> {
  const key = keyPairOfSeed('rehearsal user with a key')
  return pegin(scene, {
    title: 'A peg-in from a P2PKH address',
    text: 'A user paid bitcoin to the federation. The Bridge takes the account on Rootstock from the key that signed.',
    purse: p2pkhPurse(scene.chain, key),
    receiver: key.address,
    instructions: [],
  })
}

/** Bitcoin come from a witness inside of a script hash. */
export function peginOfWitness(scene: Scene): Promise<StepReport> {
  const key = keyPairOfSeed('rehearsal user with a witness')
  return pegin(scene, {
    title: 'A peg-in from a P2SH-P2WPKH address',
    text:
      'The transaction has a witness, so that the proof goes by the tree of witnesses: the coinbase of the block ' +
      'was registered first, which names the root of that tree.',
    purse: p2shP2wpkhPurse(scene.chain, key),
    receiver: key.address,
    instructions: [],
  })
}

/** The transaction itself names the receiver. */
export function peginWithInstructions(scene: Scene): Promise<StepReport> {
  const data = Buffer.concat([INSTRUCTIONS, Buffer.from([VERSION_1]), scene.receiver])
  return pegin(scene, {
    title: 'A peg-in with instructions (version 1)',
    text:
      'The sender is a script of several keys. An output with OP_RETURN names the account on Rootstock that gets the ' +
      'RBTC, be it a contract.',
    purse: multisigPurse(scene, 'with instructions'),
    receiver: scene.receiver,
    instructions: [{ script: dataScript(data), value: 0n }],
  })
}

/** A sender without an account on Rootstock gets its bitcoin back. */
export async function rejectedPegin(scene: Scene): Promise<StepReport> {
  const purse = multisigPurse(scene, 'without instructions')
  const { transaction, receipt } = await pay(scene, purse, PEGIN_VALUE, [])
  const reason = numberAt(receipt.event('peginRejected').data, 0)
  const refund = receipt.event('pegoutCreated')
  return {
    title: 'A peg-in that is refused',
    text: 'The same sender without instructions. The Bridge refuses it and makes a transaction that pays it back.',
    metadata: [
      ['Bitcoin transaction', transaction.getId()],
      ['registered by', receipt.transactionHash],
      ['refused because', REASONS[Number(reason)] ?? `reason ${reason}`],
      ['refund, not signed yet', `${refund.topics[1]?.slice(2)} to ${addressOfScript(purse.script)}`],
    ],
  }
}

/** Too little is not given back. */
export async function lostPegin(scene: Scene): Promise<StepReport> {
  const purse = p2pkhPurse(scene.chain, keyPairOfSeed('rehearsal user with little'))
  const { transaction, receipt } = await pay(scene, purse, TOO_SMALL, [])
  const reason = numberAt(receipt.event('peginRejected').data, 0)
  receipt.event('peginLost')
  return {
    title: 'A peg-in that is lost',
    text: 'Below the minimum the Bridge gives no RBTC and nothing back: this is what users must be kept from.',
    metadata: [
      ['Bitcoin transaction', transaction.getId()],
      ['amount', formatBitcoin(TOO_SMALL)],
      ['registered by', receipt.transactionHash],
      ['refused because', REASONS[Number(reason)] ?? `reason ${reason}`],
    ],
  }
}

type Pegin = {
  readonly title: string
  readonly text: string
  readonly purse: Purse
  readonly receiver: Buffer
  readonly instructions: readonly Payment[]
}

async function pegin(
  scene: Scene,
  { title, text, purse, receiver, instructions }: Pegin,
): Promise<StepReport> {
  const { node } = scene.bridge
  const before = await node.balance(receiver)
  const { transaction, receipt } = await pay(scene, purse, PEGIN_VALUE, instructions)
  receipt.event('pegin')
  const gained = (await node.balance(receiver)) - before
  if (gained !== PEGIN_VALUE * WEI_PER_SATOSHI) {
    throw new RehearsalError('REFUSED', `the peg-in of ${transaction.getId()} brought ${formatRbtc(gained)}`)
  }
  return {
    title,
    text,
    metadata: [
      ['from', addressOfScript(purse.script)],
      ['Bitcoin transaction', transaction.getId()],
      ['amount', formatBitcoin(PEGIN_VALUE)],
      ['registered by', receipt.transactionHash],
      ['account on Rootstock', toHex(receiver)],
      ['it got', formatRbtc(gained)],
    ],
  }
}

/** Gives a user bitcoin, has it pay the federation, and registers that. */
async function pay(scene: Scene, purse: Purse, value: bigint, others: readonly Payment[]) {
  scene.miner.pay([{ script: purse.script, value: ALLOWANCE }])
  scene.chain.mine(1)
  const federation = scriptOfAddress(await scene.bridge.readText('getFederationAddress()'))
  const transaction: Transaction = purse.pay([{ script: federation, value }, ...others])
  const { receipt } = await register(scene, transaction)
  return { transaction, receipt }
}

function multisigPurse({ chain }: Scene, name: string): Purse {
  const keys = ['a', 'b', 'c'].map((letter) => keyPairOfSeed(`rehearsal company ${name} ${letter}`))
  return p2shMultisigPurse(chain, keys, 2)
}
