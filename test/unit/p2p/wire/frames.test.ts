import { randomBytes } from 'node:crypto'
import t from 'tap'
import { FrameMac } from '../../../../src/p2p/wire/frameMac.ts'
import { type Frame, FrameReader } from '../../../../src/p2p/wire/frameReader.ts'
import { FrameWriter, MAX_FRAME_BYTES } from '../../../../src/p2p/wire/frameWriter.ts'
import { P2pError } from '../../../../src/p2p/wire/p2pError.ts'
import { createRandom } from '../../../support/random.ts'

const KEY = Buffer.alloc(32, 1)

/** Both ends of one direction. */
function direction(limit?: number): { readonly writer: FrameWriter; readonly reader: FrameReader } {
  const mac = () => new FrameMac(Buffer.alloc(32, 2), Buffer.alloc(32, 3), Buffer.from('packet'))
  return { writer: new FrameWriter(KEY, mac()), reader: new FrameReader(KEY, mac(), limit) }
}

t.test('frames are read however the bytes are cut', (t) => {
  const random = createRandom(1)
  const { writer, reader } = direction()
  const sent: Frame[] = Array.from({ length: 60 }, (_, index) => ({
    code: index === 0 ? 0 : 1 + Math.floor(random() * 0x7f),
    payload: randomBytes(Math.floor(random() ** 4 * 40_000)),
  }))
  const stream = Buffer.concat(sent.map(({ code, payload }) => writer.write(code, payload)))
  const found: Frame[] = []
  for (let at = 0; at < stream.length; ) {
    const end = at + 1 + Math.floor(random() ** 4 * 50_000)
    reader.push(stream.subarray(at, end))
    at = end
    for (let frame = reader.next(); frame !== null; frame = reader.next()) found.push(frame)
  }
  t.strictSame(found, sent)
  t.end()
})

t.test('no byte of a frame can be changed', (t) => {
  for (let at = 0; at < 64; at += 1) {
    const { writer, reader } = direction()
    const frame = writer.write(0x18, Buffer.from('0123456789'))
    frame[at] = (frame[at] ?? 0) ^ 0x20
    reader.push(frame)
    t.throws(() => reader.next(), { code: 'FRAME' }, `byte ${at}`)
  }
  t.end()
})

t.test('frames do not change places', (t) => {
  const { writer, reader } = direction()
  const first = writer.write(2, Buffer.from([0xc0]))
  reader.push(writer.write(3, Buffer.from([0xc0])))
  t.throws(() => reader.next(), P2pError)
  t.ok(first)
  t.end()
})

t.test('what is too long is refused by its header', (t) => {
  const { writer, reader } = direction(100)
  const frame = writer.write(0x18, Buffer.alloc(100))
  reader.push(frame.subarray(0, 32))
  t.throws(() => reader.next(), { code: 'TOO_LARGE' })
  t.throws(() => writer.write(0x18, Buffer.alloc(MAX_FRAME_BYTES)), RangeError)
  t.end()
})

t.test('the limit itself is read', (t) => {
  const { writer, reader } = direction(100)
  reader.push(writer.write(0x18, Buffer.alloc(99)))
  t.equal(reader.next()?.payload.length, 99)
  t.end()
})

t.test('header data: a message in several frames is refused, all else ignored', (t) => {
  const read = (hex: string) => {
    const { writer, reader } = direction()
    reader.push(writer.write(0x18, Buffer.from([0xc0]), Buffer.from(hex, 'hex')))
    return reader.next()
  }
  t.equal(read('c180')?.code, 0x18)
  t.equal(read('c28080')?.code, 0x18)
  t.equal(read('c101')?.code, 0x18)
  t.throws(() => read('c6800183015e9b'), { code: 'FRAME' })
  t.throws(() => read('c28001'), { code: 'FRAME' })
  t.throws(() => read('80'), { code: 'FRAME' })
  t.throws(() => read('f9ffff'), { code: 'FRAME' })
  t.end()
})

t.test('a body takes no room before it is there', (t) => {
  const begun = Buffer.from(direction().writer.write(0x18, Buffer.alloc(65_536)).subarray(0, 40))
  const before = process.memoryUsage().arrayBuffers
  const readers = Array.from({ length: 100 }, () => {
    const { reader } = direction()
    reader.push(begun)
    t.equal(reader.next(), null)
    return reader
  })
  const taken = process.memoryUsage().arrayBuffers - before
  t.ok(taken < readers.length * 40_000, `${taken} bytes`)
  t.end()
})
