import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { encodeList, encodeUnsigned } from '../../../src/chain/codec/rlpWriter.ts'
import { FRAME_CODES } from '../../../src/p2p/messages/codes.ts'
import { EMPTY_PAYLOAD, encodePeers, GET_PEERS_PAYLOAD } from '../../../src/p2p/messages/p2pMessages.ts'
import { type EncodedMessage, encodePeerMessage } from '../../../src/p2p/messages/rskCodec.ts'
import type { PeerMessage } from '../../../src/p2p/messages/rskMessage.ts'
import type { RawPeer } from '../../support/rawPeer.ts'
import { accountOfSeed, signedTransaction } from '../../support/signedTransaction.ts'
import { toBlock } from '../long/chains.ts'
import { type AttackScene, forever } from './attackScene.ts'

const CONNECTIONS = 6
/** Bytes that an attacker lets wait for the node. */
const WAITING = 1 << 20
const BATCH = 64
/** How long one type goes on, milliseconds: all of them come within a minute. */
const TYPE_MS = 1500
const TRANSACTIONS = 4000
const PER_MESSAGE = 100
const HEADERS = 192
const ID = 4_000_000_000n

/** Valid messages of every type as fast as they go, type after type; half of the attackers announce block ranges. */
export function everyMessage(scene: AttackScene): void {
  const kinds = everyKind(scene)
  scene.most('types', kinds.length)
  let at = 0
  setInterval(() => {
    at += 1
    scene.most('types sent', Math.min(at, kinds.length))
  }, TYPE_MS)
  for (let number = 0; number < CONNECTIONS; number += 1) {
    const ranges = number % 2 === 1
    flood(scene, ranges, () => {
      const [, messages] = kinds[at % kinds.length] as Kind
      return messages.filter(({ code }) => ranges || code !== FRAME_CODES.rangeMessage)
    })
  }
}

/** Transactions that are signed rightly, of accounts that are rich and of such that have nothing. */
export function transactionFlood(scene: AttackScene): void {
  const senders = ['cow', 'cow1', 'cow2', 'poor', 'poor1'].map(accountOfSeed)
  const encoded = Array.from({ length: TRANSACTIONS }, (_, at) => {
    const from = senders[at % senders.length]
    const nonce = BigInt(Math.floor(at / senders.length))
    return signedTransaction({ ...(from && { from }), nonce, gasPrice: 1_000_000_000n }).encoded
  })
  let next = 0
  const message = () => {
    next += 1
    const transactions = Array.from(
      { length: PER_MESSAGE },
      (_, at) => encoded[(next * 37 + at * 11) % TRANSACTIONS] as Buffer,
    )
    return encodePeerMessage({ type: 'transactions', transactions })
  }
  const messages = Array.from({ length: 400 }, message)
  for (let number = 0; number < CONNECTIONS; number += 1) flood(scene, false, () => messages)
}

type Kind = readonly [name: string, messages: readonly EncodedMessage[]]

function flood(scene: AttackScene, ranges: boolean, messages: () => readonly EncodedMessage[]): void {
  forever(300, async () => {
    const peer = await scene.connect(scene.nextAddress(), ranges)
    if (peer === null) return
    for (let sent = 0; !peer.isClosed; sent += BATCH) {
      const now = messages()
      for (let at = 0; at < BATCH && now.length > 0; at += 1) {
        const { code, payload } = now[(sent + at) % now.length] as EncodedMessage
        peer.send(code, payload)
      }
      scene.count('messages', now.length === 0 ? 0 : BATCH)
      await drained(peer)
    }
    scene.count('closed')
  })
}

async function drained(peer: RawPeer): Promise<void> {
  peer.frames.length = 0
  await turn()
  while (peer.bufferedBytes > WAITING && !peer.isClosed) await sleep(5)
}

function everyKind(scene: AttackScene): Kind[] {
  const blocks = scene.chains.honest.slice(1, 1 + HEADERS).map(toBlock)
  const [first] = blocks
  if (first === undefined) throw new Error('a chain is needed')
  const { hash, encoded, number } = first
  const totalDifficulty = 5000n
  const status = {
    bestNumber: number,
    bestHash: hash,
    bestParentHash: first.header.parentHash,
    totalDifficulty,
  }
  const transactions = [signedTransaction().encoded]
  const headers = blocks.map(({ header }) => header.encodedCompressed)
  const identifiers = blocks.slice(0, 20).map((block) => ({ hash: block.hash, number: block.number }))
  const wholes = blocks.map((block) => block.encoded)
  const difficulties = blocks.map(() => totalDifficulty)
  const ids = blocks.map((block, at) => ({ id: ID + BigInt(at), block }))
  const each = (make: (block: (typeof ids)[number]) => PeerMessage) =>
    ids.map((one) => encodePeerMessage(make(one)))
  const id = ID
  const frame = (code: number, payload: Buffer) => [{ code, payload }]
  const named = { ip: Buffer.from([127, 0, 0, 1]), port: 1, id: Buffer.alloc(64, 1) }
  return [
    ['PING', frame(FRAME_CODES.ping, EMPTY_PAYLOAD)],
    ['PONG', frame(FRAME_CODES.pong, EMPTY_PAYLOAD)],
    ['GET_PEERS', frame(FRAME_CODES.getPeers, GET_PEERS_PAYLOAD)],
    ['PEERS', frame(FRAME_CODES.peers, encodePeers(Array(100).fill(named)))],
    ['status', each(() => ({ type: 'status', status }))],
    ['block', each(({ block }) => ({ type: 'block', block: block.encoded }))],
    ['getBlock', each(({ block }) => ({ type: 'getBlock', hash: block.hash }))],
    ['newBlockHashes', each(() => ({ type: 'newBlockHashes', blocks: identifiers }))],
    ['newBlockHash', each(({ block }) => ({ type: 'newBlockHash', hash: block.hash }))],
    ['transactions', each(() => ({ type: 'transactions', transactions }))],
    ['blockHashRequest', each(({ id, block }) => ({ type: 'blockHashRequest', id, height: block.number }))],
    [
      'blockHeadersRequest',
      each(({ id, block }) => ({ type: 'blockHeadersRequest', id, hash: block.hash, count: HEADERS })),
    ],
    ['blockRequest', each(({ id, block }) => ({ type: 'blockRequest', id, hash: block.hash }))],
    ['bodyRequest', each(({ id, block }) => ({ type: 'bodyRequest', id, hash: block.hash }))],
    ['skeletonRequest', each(({ id }) => ({ type: 'skeletonRequest', id, startNumber: 1 }))],
    [
      'snapStateChunkRequest',
      each(({ id, block }) => ({
        type: 'snapStateChunkRequest',
        id,
        blockNumber: block.number,
        from: 0,
        chunkSize: 50,
      })),
    ],
    ['snapStatusRequest', each(({ id }) => ({ type: 'snapStatusRequest', id }))],
    ['snapBlocksRequest', each(({ id }) => ({ type: 'snapBlocksRequest', id, blockNumber: 400 }))],
    [
      'blockRangeRequest',
      each(({ id, block }) => ({ type: 'blockRangeRequest', id, hash: block.hash, count: 1024 })),
    ],
    ['blockHashResponse', each(({ id, block }) => ({ type: 'blockHashResponse', id, hash: block.hash }))],
    ['blockHeadersResponse', each(({ id }) => ({ type: 'blockHeadersResponse', id, headers }))],
    ['blockResponse', each(({ id, block }) => ({ type: 'blockResponse', id, block: block.encoded }))],
    [
      'bodyResponse',
      each(({ id }) => ({ type: 'bodyResponse', id, transactions, uncles: [], extension: null })),
    ],
    ['skeletonResponse', each(({ id }) => ({ type: 'skeletonResponse', id, blocks: identifiers }))],
    [
      'snapStateChunkResponse',
      each(({ id }) => ({
        type: 'snapStateChunkResponse',
        id,
        chunk: encodeList([encodeUnsigned(1)]),
        blockNumber: 1,
        from: 0,
        to: 51_200,
        complete: true,
      })),
    ],
    [
      'snapStatusResponse',
      [
        encodePeerMessage({
          type: 'snapStatusResponse',
          id,
          blocks: wholes,
          totalDifficulties: difficulties,
          trieSize: 1000,
        }),
      ],
    ],
    [
      'snapBlocksResponse',
      [
        encodePeerMessage({
          type: 'snapBlocksResponse',
          id,
          blocks: wholes,
          totalDifficulties: difficulties,
        }),
      ],
    ],
    ['blockRangeResponse', [encodePeerMessage({ type: 'blockRangeResponse', id, blocks: wholes })]],
    ['block again', [encodePeerMessage({ type: 'block', block: encoded })]],
  ]
}
