import { toHex } from '../../util/bytes.ts'
import { awaitRelease, describeRelease, publish, sign, updateCollections } from '../releases.ts'
import { formatBitcoin, formatRbtc, type StepReport } from '../report.ts'
import { textAt } from '../rootstock/abi.ts'
import type { Scene } from '../scene.ts'

const PEGOUT_VALUES = [500_000_000_000_000_000n, 250_000_000_000_000_000n] as const

/** The refund of a refused peg-in is signed. */
export async function refund(scene: Scene): Promise<StepReport> {
  const signed = await sign(scene, await awaitRelease(scene), scene.members)
  const metadata = describeRelease(scene, signed)
  await publish(scene, signed.transaction)
  return {
    title: 'The refund is signed',
    text:
      'Three blocks on Rootstock later the federation may sign what the Bridge made. With the last signature that ' +
      'is needed the Bridge logs the whole transaction in the event release_btc, and miners of Bitcoin take it.',
    metadata,
  }
}

/** Two users send RBTC to the Bridge. */
export async function requestPegouts(scene: Scene): Promise<StepReport> {
  const { bridge, accounts } = scene
  const metadata: [string, string][] = []
  for (const [index, account] of accounts.entries()) {
    const value = PEGOUT_VALUES[index] ?? 0n
    const receipt = await bridge.sendValue(account, value)
    const { data } = receipt.event('pegoutRequested')
    metadata.push(
      ['sender', toHex(account.address)],
      ['sent', `${formatRbtc(value)} in ${receipt.transactionHash}`],
      ['will be paid to', textAt(data, 0)],
    )
  }
  metadata.push(
    ['requests that wait', `${await bridge.readNumber('getQueuedPegoutsCount()')}`],
    ['next peg-outs at block', `${await bridge.readNumber('getNextPegoutCreationBlockNumber()')}`],
    [
      'estimated fees of them',
      formatBitcoin(BigInt(await bridge.readNumber('getEstimatedFeesForNextPegOutEvent()'))),
    ],
  )
  return {
    title: 'Two users ask for peg-outs',
    text: 'They send RBTC to the Bridge, and will be paid on Bitcoin to the addresses of the keys they sign with.',
    metadata,
  }
}

/** The Bridge makes one transaction of all requests, and the federation signs it. */
export async function pegout(scene: Scene): Promise<StepReport> {
  const { bridge } = scene
  await bridge.node.mineTo(await bridge.readNumber('getNextPegoutCreationBlockNumber()'))
  const created = await updateCollections(scene)
  const batch = created.event('batchCreated')
  const signed = await sign(scene, await awaitRelease(scene), scene.members)
  const metadata = describeRelease(scene, signed)
  await publish(scene, signed.transaction)
  return {
    title: 'The peg-outs are paid',
    text:
      'The Bridge pays all requests by one Bitcoin transaction. Members of the federation sign it; miners take it, ' +
      'and the change goes back to the federation once it is registered.',
    metadata: [
      ['created by', created.transactionHash],
      ['its id before it is signed', batch.topics[0]?.slice(2) ?? ''],
      ...metadata,
      ['requests that wait now', `${await bridge.readNumber('getQueuedPegoutsCount()')}`],
    ],
  }
}
