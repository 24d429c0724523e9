import { address as bitcoinAddress, networks } from 'bitcoinjs-lib'
import { parseRLPList } from '../../chain/codec/rlpReader.ts'
import { fromHex, toHex } from '../../util/bytes.ts'
import { RehearsalError } from '../errors.ts'
import type { KeyPair } from '../keyPair.ts'
import { type AbiValue, bytesAt, encodeCall, numberAt, textAt, topicOf } from './abi.ts'
import type { RootstockNode, RpcReceipt } from './rootstockNode.ts'

/** Address of the Bridge contract. */
export const BRIDGE_ADDRESS: Buffer = fromHex('0x0000000000000000000000000000000001000006')

/** Events of the Bridge that a rehearsal reads, under the newest rules (bridge.md §5). */
const EVENTS = {
  pegin: 'pegin_btc(address,bytes32,int256,int256)',
  peginRejected: 'rejected_pegin(bytes32,int256)',
  peginLost: 'unrefundable_pegin(bytes32,int256)',
  pegoutRequested: 'release_request_received(address,string,uint256)',
  pegoutCreated: 'release_requested(bytes32,bytes32,uint256)',
  pegoutConfirmed: 'pegout_confirmed(bytes32,uint256)',
  batchCreated: 'batch_pegout_created(bytes32,bytes)',
  signatureAdded: 'add_signature(bytes32,address,bytes)',
  released: 'release_btc(bytes32,bytes)',
  federationCommitted: 'commit_federation(bytes,string,bytes,string,int256)',
} as const

/** An event of the Bridge: topics after the first one, and data. */
export interface BridgeEvent {
  readonly topics: readonly string[]
  readonly data: Buffer
}

/** Effects of a transaction on the Bridge. */
export interface BridgeReceipt {
  readonly transactionHash: string
  readonly block: number
  /** Return data of the same call just before. */
  readonly output: Buffer
  events(name: keyof typeof EVENTS): BridgeEvent[]
  /** The only event of a kind. @throws RehearsalError when there is none, or more than one */
  event(name: keyof typeof EVENTS): BridgeEvent
}

/** A Bitcoin transaction that waits for signatures of federation members. */
export interface WaitingRelease {
  /** 32 bytes: the originating transaction on Rootstock. */
  readonly rskHash: Buffer
  readonly raw: Buffer
}

/** The Bridge contract of a development node. */
export class Bridge {
  readonly node: RootstockNode

  constructor(node: RootstockNode) {
    this.node = node
  }

  /** Calls a method in a transaction. @throws RehearsalError when the Bridge throws */
  async execute(key: KeyPair, signature: string, values: readonly AbiValue[] = []): Promise<BridgeReceipt> {
    const data = encodeCall(signature, values)
    // The receipt of a Bridge call that throws says success (bridge.md §1.2), so that a simulated call comes
    // first.
    const output = await this.node.call(BRIDGE_ADDRESS, data, key.address).catch((error: Error) => {
      throw new RehearsalError('REFUSED', `the Bridge refuses ${signature}: ${error.message}`)
    })
    return readReceipt(await this.node.send(key, { to: BRIDGE_ADDRESS, data }), output)
  }

  /** Sends RBTC, which requests a peg-out. */
  async sendValue(key: KeyPair, wei: bigint): Promise<BridgeReceipt> {
    return readReceipt(await this.node.send(key, { to: BRIDGE_ADDRESS, value: wei }), Buffer.alloc(0))
  }

  async readNumber(signature: string, values: readonly AbiValue[] = []): Promise<number> {
    return Number(numberAt(await this.#read(signature, values), 0))
  }

  async readText(signature: string, values: readonly AbiValue[] = []): Promise<string> {
    return textAt(await this.#read(signature, values), 0)
  }

  async readBytes(signature: string, values: readonly AbiValue[] = []): Promise<Buffer> {
    return bytesAt(await this.#read(signature, values), 0)
  }

  /** Confirmed peg-outs, refunds and migrations that wait for signatures. */
  async waitingReleases(): Promise<WaitingRelease[]> {
    return readWaiting(await this.readBytes('getStateForBtcReleaseClient()'))
  }

  /** The transaction by which a proposed federation proves that it can sign; empty when none waits. */
  async waitingValidation(): Promise<WaitingRelease[]> {
    return readWaiting(await this.readBytes('getStateForSvpClient()'))
  }

  #read(signature: string, values: readonly AbiValue[]): Promise<Buffer> {
    return this.node.call(BRIDGE_ADDRESS, encodeCall(signature, values))
  }
}

/** The output script of an address of Bitcoin's regtest. */
export function scriptOfAddress(text: string): Buffer {
  return Buffer.from(bitcoinAddress.toOutputScript(text, networks.regtest))
}

/** The address of an output script on Bitcoin's regtest. */
export function addressOfScript(script: Uint8Array): string {
  return bitcoinAddress.fromOutputScript(script, networks.regtest)
}

function readReceipt({ transactionHash, blockNumber, logs }: RpcReceipt, output: Buffer): BridgeReceipt {
  const events = (name: keyof typeof EVENTS) =>
    logs
      .filter(
        ({ address, topics }) => address === toHex(BRIDGE_ADDRESS) && topics[0] === topicOf(EVENTS[name]),
      )
      .map(({ topics, data }) => ({ topics: topics.slice(1), data: fromHex(data) }))
  return {
    transactionHash,
    block: Number(blockNumber),
    output,
    events,
    event: (name) => {
      const [event, ...others] = events(name)
      if (event !== undefined && others.length === 0) return event
      const found = others.length === 0 ? 'no event' : 'more than one event'
      throw new RehearsalError('REFUSED', `the Bridge logged ${found} ${EVENTS[name]} in ${transactionHash}`)
    },
  }
}

/** A list that contains one list, in which hashes and transactions alternate. */
function readWaiting(bytes: Buffer): WaitingRelease[] {
  const items = parseRLPList(bytes)[0]?.items ?? []
  const releases: WaitingRelease[] = []
  for (let index = 0; index + 1 < items.length; index += 2) {
    const [hash, raw] = [items[index]?.bytes, items[index + 1]?.bytes]
    if (hash !== undefined && raw !== undefined) releases.push({ rskHash: hash, raw })
  }
  return releases
}
