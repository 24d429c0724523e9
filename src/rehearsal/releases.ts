import { Transaction } from 'bitcoinjs-lib'
import { p2shP2wshScript } from './bitcoin/purse.ts'
import { outPointOf } from './bitcoin/transactions.ts'
import { register } from './bitcoinRelay.ts'
import { RehearsalError } from './errors.ts'
import { signForBridge } from './keyPair.ts'
import { formatBitcoin } from './report.ts'
import { bytesAt } from './rootstock/abi.ts'
import { addressOfScript, type BridgeReceipt, type WaitingRelease } from './rootstock/bridgeContract.ts'
import { type Member, relayerOf, type Scene } from './scene.ts'

/** Confirmations on Rootstock after which a release may be signed (bridge.md §6.1). */
const CONFIRMATIONS = 3
const SIGHASH_ALL = 1

/** A release that the Bridge returned fully signed. */
export interface SignedRelease {
  readonly transaction: Transaction
  readonly signers: readonly string[]
  /** The transaction on Rootstock with the last signature. */
  readonly transactionHash: string
}

/** Makes the Bridge process peg-outs, confirmations, migration, validation. */
export function updateCollections(scene: Scene): Promise<BridgeReceipt> {
  return scene.bridge.execute(relayerOf(scene), 'updateCollections()')
}

/** Waits until a release may be signed. @throws RehearsalError when none waits */
export async function awaitRelease(scene: Scene): Promise<WaitingRelease> {
  await scene.bridge.node.mine(CONFIRMATIONS)
  await updateCollections(scene)
  const [release] = await scene.bridge.waitingReleases()
  if (release !== undefined) return release
  throw new RehearsalError('REFUSED', 'no release waits for signatures of the federation')
}

/**
 * Makes members sign, one after another, until the Bridge returns the signed transaction. @throws
 * RehearsalError
 */
export async function sign(
  scene: Scene,
  { rskHash, raw }: WaitingRelease,
  members: readonly Member[],
): Promise<SignedRelease> {
  const hashes = hashesToSign(scene, Transaction.fromBuffer(raw))
  const signers: string[] = []
  for (const { name, btc, rsk } of members) {
    const signatures = hashes.map((hash) => signForBridge(btc, hash))
    const receipt = await scene.bridge.execute(rsk, 'addSignature(bytes,bytes[],bytes)', [
      btc.publicKey,
      signatures,
      rskHash,
    ])
    receipt.event('signatureAdded')
    signers.push(name)
    const [released] = receipt.events('released')
    if (released === undefined) continue
    const transaction = Transaction.fromBuffer(bytesAt(released.data, 0))
    return { transaction, signers, transactionHash: receipt.transactionHash }
  }
  throw new RehearsalError('REFUSED', 'every member signed, and the Bridge still waits for signatures')
}

/** Sends a signed release to the miners of Bitcoin, and informs the Bridge when it pays to a federation. */
export async function publish(scene: Scene, transaction: Transaction): Promise<void> {
  scene.chain.broadcast(transaction)
  const addresses = await federationAddresses(scene)
  if (transaction.outs.some(({ script }) => addresses.includes(addressOfScript(script)))) {
    await register(scene, transaction)
  } else {
    scene.chain.mine(1)
  }
}

/** Details of a release for the user. */
export function describeRelease(scene: Scene, signed: SignedRelease): [name: string, value: string][] {
  const { transaction, signers } = signed
  const spent = transaction.ins.map((input) => scene.chain.spent(outPointOf(input)).value)
  const paid = transaction.outs.map(({ value }) => value)
  const total = (values: readonly bigint[]) => values.reduce((sum, value) => sum + value, 0n)
  return [
    ['signed by', signers.join(', ')],
    ['Bitcoin transaction', transaction.getId()],
    ['inputs', `${spent.length} of the federation, ${formatBitcoin(total(spent))}`],
    ...transaction.outs.map(({ script, value }): [string, string] => [
      'pays',
      `${formatBitcoin(value)} to ${addressOfScript(script)}`,
    ]),
    ['fee', formatBitcoin(total(spent) - total(paid))],
    ['raw', transaction.toHex()],
  ]
}

/** Addresses of every federation that the Bridge knows. */
async function federationAddresses({ bridge }: Scene): Promise<string[]> {
  const addresses = await Promise.all([
    bridge.readText('getFederationAddress()'),
    bridge.readText('getRetiringFederationAddress()'),
    bridge.readText('getProposedFederationAddress()'),
  ])
  return addresses.filter((address) => address !== '')
}

/** Signature hashes of all inputs (BIP 143). @throws RehearsalError for an input that no federation holds */
function hashesToSign({ chain }: Scene, transaction: Transaction): Uint8Array[] {
  return transaction.ins.map((input, index) => {
    const { script, value } = chain.spent(outPointOf(input))
    const redeemScript = input.witness.at(-1)
    if (redeemScript === undefined || !p2shP2wshScript(redeemScript).equals(script)) {
      throw new RehearsalError(
        'REFUSED',
        `input ${index} of ${transaction.getId()} has another redeem script`,
      )
    }
    return transaction.hashForWitnessV0(index, redeemScript, value, SIGHASH_ALL)
  })
}
