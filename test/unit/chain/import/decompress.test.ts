import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import t from 'tap'
import {
  type Compression,
  compressionOf,
  DecompressionError,
  decompress,
} from '../../../../src/chain/import/decompress.ts'
import { readText } from '../../../support/jsonLines.ts'

type Compressed = readonly (readonly [Compression, Buffer])[]

/** A recorded file, plain and compressed in each way. */
function read(name: string): { readonly plain: Buffer; readonly compressed: Compressed } {
  const path = fileURLToPath(new URL(`../../../vectors/recorded/${name}`, import.meta.url))
  const plain = Buffer.from(readText(path))
  const compressed = [
    ['zstd', readFileSync(path)],
    ['gzip', gzipSync(plain)],
    ['brotli', brotliCompressSync(plain)],
  ] as const
  return { plain, compressed }
}

const { plain: PLAIN, compressed: COMPRESSED } = read('rpc/chain-main.jsonl.zst')
/** For chunks of few bytes, each of which costs as much as a large one. */
const SHORT = read('genesis/genesis-main.json.zst')

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

async function unpack(bytes: Buffer, compression: Compression | null, size = 1000): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of decompress(chunksOf(bytes, size), compression)) pieces.push(piece)
  return Buffer.concat(pieces)
}

t.test('zstd and gzip are known by their bytes, Brotli by the name', (t) => {
  const [zstd, gzip, brotli] = COMPRESSED.map(([, bytes]) => bytes.subarray(0, 4))
  t.equal(compressionOf('blocks', zstd ?? PLAIN), 'zstd')
  t.equal(compressionOf('blocks', gzip ?? PLAIN), 'gzip')
  t.equal(compressionOf('blocks.br', brotli ?? PLAIN), 'brotli')
  t.equal(compressionOf('blocks.zst', PLAIN), null, 'a name alone does not make a file compressed')
  t.equal(compressionOf('blocks', Buffer.alloc(0)), null)
  t.end()
})

for (const [compression, bytes] of COMPRESSED) {
  t.test(`${compression}: the contents, however the bytes are cut into chunks`, async (t) => {
    for (const size of [1000, 4096, bytes.length]) {
      t.ok((await unpack(bytes, compression, size)).equals(PLAIN), `chunks of ${size}`)
    }
    const short = SHORT.compressed.find(([name]) => name === compression)?.[1] ?? Buffer.alloc(0)
    for (const size of [1, 17])
      t.ok((await unpack(short, compression, size)).equals(SHORT.plain), `chunks of ${size}`)
  })

  t.test(`${compression}: what is cut off or damaged is an error`, async (t) => {
    for (const length of [bytes.length - 1, bytes.length - 5, bytes.length >> 1, 20]) {
      await t.rejects(unpack(bytes.subarray(0, length), compression), DecompressionError, `${length} bytes`)
    }
    const damaged = Buffer.from(bytes)
    damaged.fill(0xff, 10, 40)
    await t.rejects(unpack(damaged, compression), DecompressionError)
  })
}

t.test('frames one after the other are one content', async (t) => {
  for (const [compression, bytes] of COMPRESSED.filter(([name]) => name !== 'brotli')) {
    const twice = await unpack(Buffer.concat([bytes, bytes]), compression)
    t.ok(twice.equals(Buffer.concat([PLAIN, PLAIN])), compression)
  }
})

t.test('an error of the stream passes through', async (t) => {
  const failing = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.alloc(0)
    throw Object.assign(new Error('no such device'), { code: 'EIO', syscall: 'read' })
  }
  for (const compression of ['zstd', 'gzip', null] as const) {
    await t.rejects(
      async () => {
        for await (const piece of decompress(failing(), compression)) t.ok(piece)
      },
      { code: 'EIO' },
      String(compression),
    )
  }
})
