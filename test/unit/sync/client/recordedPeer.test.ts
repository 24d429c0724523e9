import t from 'tap'
import { type Block, parseBlock } from '../../../../src/chain/codec/block.ts'
import { parseHeader } from '../../../../src/chain/codec/headerDecoder.ts'
import { decodePeerMessage } from '../../../../src/p2p/messages/rskCodec.ts'
import type { PeerMessage, PeerRequest } from '../../../../src/p2p/messages/rskMessage.ts'
import { fromHex } from '../../../../src/util/bytes.ts'
import type { Reply } from '../../../support/fakePeer.ts'
import { REGTEST } from '../../../support/openTestChain.ts'
import { SyncScene, until } from '../../../support/syncScene.ts'
import { readVectorLines } from '../../../support/vectors.ts'

interface SessionLine {
  readonly scenario?: string
  readonly direction: 'rskj>peer' | 'peer>rskj'
  readonly layer: string
  readonly code: number
  readonly payload: string
  readonly odd?: string
}

/** The messages of the session in which a running reference node was asked for its chain. */
const messages = readVectorLines<SessionLine>('p2p/p2p-sessions.jsonl')
  .filter(({ scenario, layer, odd }) => scenario === 'a-fetch' && layer === 'rsk' && odd === undefined)
  .map(({ direction, code, payload }) => ({
    direction,
    message: decodePeerMessage(code, Buffer.from(payload, 'hex')),
  }))

const chain: readonly Block[] = readVectorLines<{ main?: boolean; rlp: string }>('rpc/chain-main.jsonl')
  .slice(1)
  .filter(({ main }) => main !== false)
  .map(({ rlp }) => parseBlock(REGTEST, fromHex(rlp)))

t.test('headers and bodies as the reference sent them make its chain', async (t) => {
  const bodies = new Map<string, Reply>()
  const headers = new Map<string, { encoded: Buffer; parent: string }>()
  const hashes = new Map<string, string>()
  for (const { direction, message } of messages) {
    if (direction === 'peer>rskj' && message.type === 'bodyRequest') {
      hashes.set(String(message.id), message.hash.toString('hex'))
    }
    if (direction === 'rskj>peer' && message.type === 'bodyResponse') {
      bodies.set(hashes.get(String(message.id)) ?? '', withoutId(message) as Reply)
    }
    if (direction === 'rskj>peer' && message.type === 'blockHeadersResponse') {
      for (const encoded of message.headers) {
        const header = parseHeader(REGTEST, encoded, 'compressed')
        headers.set(header.hashHex, { encoded, parent: header.parentHash.toString('hex') })
      }
    }
  }
  const best = chain.findLast(({ hashHex }) => headers.has(hashHex)) as Block
  let given = 0
  const answer = (question: PeerRequest): Reply | undefined => {
    if (question.type === 'bodyRequest') {
      const body = bodies.get(question.hash.toString('hex'))
      if (body !== undefined) given += 1
      return body
    }
    if (question.type !== 'blockHeadersRequest') return undefined
    const found: Buffer[] = []
    let next = headers.get(question.hash.toString('hex'))
    while (next !== undefined && found.length < question.count) {
      found.push(next.encoded)
      next = headers.get(next.parent)
    }
    return found.length === question.count ? { type: 'blockHeadersResponse', headers: found } : undefined
  }
  const scene = new SyncScene(t, REGTEST)
  const peer = scene.add(chain.slice(0, best.number + 1), { misbehave: answer })
  await until(() => scene.isAt(best))
  t.ok(best.number >= 60)
  t.ok(given >= 60, 'bodies of the reference were used')
  t.same(peer.scores, [])
})

function withoutId<M extends PeerMessage & { id: bigint }>({ id: _, ...rest }: M): Omit<M, 'id'> {
  return rest
}
