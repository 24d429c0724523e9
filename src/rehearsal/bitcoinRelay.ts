import type { Transaction } from 'bitcoinjs-lib'
import type { MinedTransaction } from './bitcoin/bitcoinChain.ts'
import type { BridgeReceipt } from './rootstock/bridgeContract.ts'
import { relayerOf, type Scene } from './scene.ts'

/**
 * Confirmations in Bitcoin blocks, including its own, that the Bridge requires of a transaction (bridge.md
 * §6.1).
 */
const CONFIRMATIONS = 3
/** Headers in one call. */
const HEADERS_AT_ONCE = 400

/** A Bitcoin transaction that was registered with the Bridge. */
export interface Registration {
  readonly mined: MinedTransaction
  readonly receipt: BridgeReceipt
}

/** Sends missing Bitcoin headers to the Bridge and returns their number. */
export async function feedHeaders(scene: Scene): Promise<number> {
  const { chain, bridge } = scene
  const known = await bridge.readNumber('getBtcBlockchainBestChainHeight()')
  const headers = chain.blocksFrom(known + 1).map(({ header }) => header)
  for (let start = 0; start < headers.length; start += HEADERS_AT_ONCE) {
    const some = headers.slice(start, start + HEADERS_AT_ONCE)
    await bridge.execute(relayerOf(scene), 'receiveHeaders(bytes[])', [some])
  }
  return headers.length
}

/**
 * Mines the confirmations that the Bridge requires of a broadcast transaction, and sends the headers to the
 * Bridge.
 */
export async function confirm(scene: Scene, transaction: Transaction): Promise<MinedTransaction> {
  const { chain, bridge } = scene
  chain.mine(CONFIRMATIONS)
  await feedHeaders(scene)
  const mined = chain.find(transaction.getId())
  if (mined.transaction.hasWitnesses()) {
    const coinbase = chain.coinbaseProof(mined.block)
    await bridge.execute(
      relayerOf(scene),
      'registerBtcCoinbaseTransaction(bytes,bytes32,bytes,bytes32,bytes32)',
      [
        coinbase.transaction,
        coinbase.blockHash,
        coinbase.proof,
        coinbase.witnessRoot,
        coinbase.reservedValue,
      ],
    )
  }
  return mined
}

/** Confirms a transaction and registers it with the Bridge. */
export async function register(scene: Scene, transaction: Transaction): Promise<Registration> {
  const mined = await confirm(scene, transaction)
  const receipt = await scene.bridge.execute(relayerOf(scene), 'registerBtcTransaction(bytes,int256,bytes)', [
    Buffer.from(mined.transaction.toBuffer()),
    mined.block.height,
    mined.proof,
  ])
  return { mined, receipt }
}
