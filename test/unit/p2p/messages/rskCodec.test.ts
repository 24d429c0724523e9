import fc from 'fast-check'
import t from 'tap'
import { encodeBytes, encodeList, encodeUnsigned } from '../../../../src/chain/codec/rlpWriter.ts'
import { FRAME_CODES } from '../../../../src/p2p/messages/codes.ts'
import { MAX_BLOCK_ELEMENTS, MAX_RECORD_ELEMENTS } from '../../../../src/p2p/messages/elements.ts'
import { decodeEthStatus } from '../../../../src/p2p/messages/ethStatus.ts'
import { decodeHello, encodeHello } from '../../../../src/p2p/messages/hello.ts'
import { decodeDisconnect, decodePeers, encodeDisconnect } from '../../../../src/p2p/messages/p2pMessages.ts'
import { MAX_RANGE_BLOCKS } from '../../../../src/p2p/messages/rangeForms.ts'
import { decodePeerMessage, encodePeerMessage } from '../../../../src/p2p/messages/rskCodec.ts'
import type { PeerMessage, RangeResponse } from '../../../../src/p2p/messages/rskMessage.ts'
import { P2pError } from '../../../../src/p2p/wire/p2pError.ts'

const bytes = (minLength: number, maxLength: number) =>
  fc.uint8Array({ minLength, maxLength }).map((array) => Buffer.from(array))
const hash = bytes(32, 32)
const id = fc.bigInt({ min: 0n, max: (1n << 63n) - 1n })
const number = fc.nat({ max: Number.MAX_SAFE_INTEGER })
const difficulty = fc.bigInt({ min: 0n, max: (1n << 200n) - 1n })
const list = fc.array(bytes(0, 40), { maxLength: 5 }).map((items) => encodeList(items.map(encodeBytes)))
const lists = fc.array(list, { maxLength: 4 })
/** In a message a block is a list: a string of one small byte could not be told from what it stands for. */
const blocks = lists
const identifiers = fc.array(fc.record({ hash, number }), { maxLength: 4 })
const difficulties = fc.array(difficulty, { maxLength: 4 })

/** Any message of any type: a type without a generator here does not compile. */
const GENERATORS: { readonly [T in PeerMessage['type']]: fc.Arbitrary<unknown> } = {
  status: fc.record({
    status: fc.oneof(
      fc.record({ bestNumber: number, bestHash: hash, bestParentHash: hash, totalDifficulty: difficulty }),
      fc.record({
        bestNumber: number,
        bestHash: hash,
        bestParentHash: fc.constant(null),
        totalDifficulty: fc.constant(null),
      }),
    ),
  }),
  block: fc.record({ block: list }),
  getBlock: fc.record({ hash }),
  newBlockHashes: fc.record({ blocks: identifiers }),
  newBlockHash: fc.record({ hash }),
  transactions: fc.record({ transactions: lists }),
  blockHashRequest: fc.record({ id, height: number }),
  blockHeadersRequest: fc.record({ id, hash, count: number }),
  blockRequest: fc.record({ id, hash }),
  bodyRequest: fc.record({ id, hash }),
  skeletonRequest: fc.record({ id, startNumber: number }),
  snapStateChunkRequest: fc.record({ id, blockNumber: number, from: number, chunkSize: number }),
  snapStatusRequest: fc.record({ id }),
  snapBlocksRequest: fc.record({ id, blockNumber: number }),
  blockHashResponse: fc.record({ id, hash }),
  blockHeadersResponse: fc.record({ id, headers: lists }),
  blockResponse: fc.record({ id, block: list }),
  bodyResponse: fc.record({
    id,
    transactions: lists,
    uncles: lists,
    extension: fc.oneof(fc.constant(null), fc.record({ version: fc.nat({ max: 255 }), data: list })),
  }),
  skeletonResponse: fc.record({ id, blocks: identifiers }),
  snapStateChunkResponse: fc.record({
    id,
    chunk: bytes(0, 300),
    blockNumber: number,
    from: number,
    to: number,
    complete: fc.boolean(),
  }),
  snapStatusResponse: fc.record({ id, blocks, totalDifficulties: difficulties, trieSize: number }),
  snapBlocksResponse: fc.record({ id, blocks, totalDifficulties: difficulties }),
  blockRangeRequest: fc.record({ id, hash, count: number }),
  blockRangeResponse: fc.record({ id, blocks }),
}

const anyMessage = fc.oneof(
  ...Object.entries(GENERATORS).map(([type, fields]) =>
    fields.map((values) => ({ type, ...(values as object) }) as PeerMessage),
  ),
)

/** What decodes untrusted bytes. */
const DECODERS: Readonly<Record<string, (payload: Buffer) => unknown>> = {
  hello: decodeHello,
  disconnect: decodeDisconnect,
  peers: decodePeers,
  ethStatus: decodeEthStatus,
  rsk: (payload) => decodePeerMessage(FRAME_CODES.rskMessage, payload),
  range: (payload) => decodePeerMessage(FRAME_CODES.rangeMessage, payload),
}

t.test('every message is read as it was written', (t) => {
  fc.assert(
    fc.property(anyMessage, (message) => {
      const { code, payload } = encodePeerMessage(message)
      t.same(decodePeerMessage(code, payload), message)
      t.strictSame(encodePeerMessage(decodePeerMessage(code, payload)), { code, payload })
    }),
    { numRuns: 500 },
  )
  t.end()
})

t.test('a message with a changed byte is read or refused, never more', (t) => {
  fc.assert(
    fc.property(anyMessage, fc.nat(), fc.nat({ max: 255 }), (message, at, byte) => {
      const { code, payload } = encodePeerMessage(message)
      payload[at % payload.length] = byte
      t.ok(isReadOrRefused(() => decodePeerMessage(code, payload)))
    }),
    { numRuns: 1000 },
  )
  t.end()
})

t.test('any bytes are read or refused, never more', (t) => {
  for (const [name, decode] of Object.entries(DECODERS)) {
    fc.assert(
      fc.property(bytes(0, 200), (payload) => isReadOrRefused(() => decode(payload))),
      { numRuns: 500 },
    )
    t.pass(name)
  }
  t.end()
})

t.test('deep lists and lists of millions are refused', (t) => {
  const deep = nested(50_000)
  const wide = encodeList([Buffer.alloc(7 << 20)])
  for (const [name, decode] of Object.entries(DECODERS)) {
    t.ok(
      isReadOrRefused(() => decode(deep)),
      `${name}: deep`,
    )
    t.throws(() => decode(wide), P2pError, `${name}: wide`)
  }
  const inside = (type: number, body: Buffer) =>
    encodeList([encodeList([encodeUnsigned(type), encodeBytes(body)])])
  for (const type of [1, 2, 3, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 21, 22, 23, 24, 25]) {
    const id = encodeUnsigned(1)
    t.ok(
      isReadOrRefused(() => DECODERS['rsk']?.(inside(type, deep))),
      `type ${type}: deep`,
    )
    t.ok(isReadOrRefused(() => DECODERS['rsk']?.(inside(type, encodeList([id, deep])))))
    t.throws(() => DECODERS['rsk']?.(inside(type, wide)), P2pError, `type ${type}: wide`)
    t.ok(isReadOrRefused(() => DECODERS['rsk']?.(inside(type, encodeList([id, wide])))))
  }
  t.end()
})

t.test('a deep block is handed on as its bytes', (t) => {
  const block = nested(50_000)
  const { code, payload } = encodePeerMessage({ type: 'block', block })
  t.strictSame(decodePeerMessage(code, payload), { type: 'block', block })
  t.end()
})

t.test('blocks, headers and transactions of too many elements are refused before they are read', (t) => {
  const elements = (count: number) => encodeList([Buffer.alloc(count)])
  const refused: PeerMessage[] = [
    { type: 'block', block: elements(MAX_BLOCK_ELEMENTS) },
    { type: 'blockResponse', id: 1n, block: encodeList([elements(MAX_BLOCK_ELEMENTS)]) },
    { type: 'blockRangeResponse', id: 1n, blocks: [elements(1), elements(MAX_BLOCK_ELEMENTS)] },
    { type: 'blockHeadersResponse', id: 1n, headers: [elements(1), elements(MAX_RECORD_ELEMENTS)] },
    { type: 'transactions', transactions: [elements(MAX_RECORD_ELEMENTS)] },
    {
      type: 'bodyResponse',
      id: 1n,
      transactions: [],
      uncles: [],
      extension: { version: 2, data: elements(MAX_RECORD_ELEMENTS) },
    },
  ]
  for (const message of refused) {
    const { code, payload } = encodePeerMessage(message)
    t.throws(() => decodePeerMessage(code, payload), { code: 'MESSAGE', message: /elements/ }, message.type)
  }
  const { code, payload } = encodePeerMessage({ type: 'block', block: elements(MAX_BLOCK_ELEMENTS - 1) })
  t.equal(decodePeerMessage(code, payload).type, 'block')
  t.end()
})

t.test('a range has as many blocks as are allowed', (t) => {
  const one = encodeList([])
  const range = (length: number) =>
    encodePeerMessage({ type: 'blockRangeResponse', id: 1n, blocks: Array.from({ length }, () => one) })
  const { code, payload } = range(MAX_RANGE_BLOCKS)
  t.equal((decodePeerMessage(code, payload) as RangeResponse).blocks.length, MAX_RANGE_BLOCKS)
  t.throws(() => decodePeerMessage(code, range(MAX_RANGE_BLOCKS + 1).payload), P2pError)
  t.end()
})

t.test('codes without messages are refused', (t) => {
  t.throws(() => decodePeerMessage(0x11, Buffer.from([0xc0])), { code: 'MESSAGE' })
  t.end()
})

t.test('DISCONNECT is a list, and none without a reason is a request', (t) => {
  t.equal(decodeDisconnect(Buffer.from([0xc0])), 0)
  t.equal(decodeDisconnect(encodeDisconnect(0xff)), 0xff)
  t.throws(() => decodeDisconnect(Buffer.from([8])), { code: 'MESSAGE' })
  t.end()
})

t.test('HELLO with too many capabilities is refused', (t) => {
  const hello = (count: number) =>
    encodeHello({
      p2pVersion: 4,
      client: 'x',
      capabilities: Array.from({ length: count }, (_, version) => ({ name: 'y', version })),
      listenPort: 0,
      nodeId: Buffer.alloc(64),
    })
  t.equal(decodeHello(hello(64)).capabilities.length, 64)
  t.throws(() => decodeHello(hello(65)), { code: 'MESSAGE' })
  t.end()
})

function isReadOrRefused(decode: () => unknown): boolean {
  try {
    decode()
    return true
  } catch (error) {
    return error instanceof P2pError
  }
}

/** Lists in one another, the innermost empty. */
function nested(depth: number): Buffer {
  const prefixes: Buffer[] = [Buffer.from([0xc0])]
  let length = 1
  for (let level = 1; level < depth; level += 1) {
    const size = length < 56 ? Buffer.alloc(0) : encodeUnsigned(length).subarray(length < 128 ? 0 : 1)
    const prefix = Buffer.concat([Buffer.from([length < 56 ? 0xc0 + length : 0xf7 + size.length]), size])
    prefixes.push(prefix)
    length += prefix.length
  }
  return Buffer.concat(prefixes.reverse())
}
