import { itemAt, parseRLPList } from '../../src/chain/codec/rlpReader.ts'
import { encodeBytes, encodeList } from '../../src/chain/codec/rlpWriter.ts'
import type { PeerMessage } from '../../src/p2p/messages/rskMessage.ts'
import type { PeerAddress } from '../../src/p2p/peers/ports.ts'
import { openPeerNode } from '../support/peerNode.ts'
import type { FromChild, ToChild } from './childMessages.ts'

const REPORT_MS = 100
const BLOCK_BYTES = 1000

const contacts: PeerAddress[] = []
const blocks = new Set<number>()
const [address = '127.0.0.1'] = process.argv.slice(2)
const node = await openPeerNode({
  address,
  candidates: { candidates: () => contacts },
  backOff: { first: 1000, most: 1000 },
})

// A block goes on to all peers but the one that it came from, once.
node.answer = (from, message) => {
  if (message.type !== 'block') return
  blocks.add(numberOf(message.block))
  for (const peer of node.network.peers) if (peer.id !== from.id) peer.send(message)
}

process.on('message', (message: ToChild) => {
  if (message.type === 'meet') contacts.push(...message.contacts)
  else if (message.type === 'mine') mine(message.number)
  else void node.network.close().then(() => process.exit())
})
// Nobody is left to stop it.
process.on('disconnect', () => process.exit())
post({ type: 'opened', id: node.id, port: node.place.port })
setInterval(report, REPORT_MS)

function mine(number: number): void {
  blocks.add(number)
  const message: PeerMessage = { type: 'block', block: blockOf(number) }
  for (const peer of node.network.peers) peer.send(message)
}

function report(): void {
  const peers = node.network.peers.map(({ id }) => id)
  post({ type: 'report', peers, blocks: [...blocks], residentBytes: process.memoryUsage().rss })
}

function post(message: FromChild): void {
  process.send?.(message)
}

/** RLP of a list of one string, which begins with the number. */
function blockOf(number: number): Buffer {
  const content = Buffer.alloc(BLOCK_BYTES)
  content.writeUInt32BE(number)
  return encodeList([encodeBytes(content)])
}

function numberOf(block: Buffer): number {
  return itemAt(parseRLPList(block), 0).bytes.readUInt32BE()
}
