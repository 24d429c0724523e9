import type { Transaction } from 'bitcoinjs-lib'
import type { MinedTransaction } from './bitcoin/bitcoinChain.ts'
import type { BridgeReceipt } from './rootstock/bridgeContract.ts'
import { relayerOf, type Scene } from './scene.ts'

/** Bitcoin blocks, its own counted, behind which the Bridge believes a transaction (bridge.md §6.1). */
const CONFIRMATIONS = 3
/** Headers in one call. */
const HEADERS_AT_ONCE = 400

/** A transaction on Bitcoin that the Bridge was shown. */
export interface Registration {
  readonly mined: MinedTransaction
  readonly receipt: BridgeReceipt
}

/** Sends the Bridge every Bitcoin header that it has not; how many those were. */
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

/** Mines a transaction that was broadcast as deep as the Bridge asks for, and shows the Bridge the headers. */
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
