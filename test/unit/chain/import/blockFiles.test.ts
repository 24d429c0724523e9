import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { parseBlockUnchecked } from '../../../../src/chain/codec/block.ts'
import { parseRLPList } from '../../../../src/chain/codec/rlpReader.ts'
import { encodeList, encodeStrings } from '../../../../src/chain/codec/rlpWriter.ts'
import { readBlockFile } from '../../../../src/chain/import/blockFileReader.ts'
import { type BlockSource, BlockSourceError } from '../../../../src/chain/import/blockSource.ts'
import { readJsonLines } from '../../../../src/chain/import/jsonLines.ts'
import { unpackBlocks } from '../../../../src/chain/import/messages.ts'
import { openBlockFile } from '../../../../src/chain/import/openBlockFile.ts'
import { readReferenceExport } from '../../../../src/chain/import/referenceExport.ts'
import { readRlpFile } from '../../../../src/chain/import/rlpFile.ts'
import { packSenders, unpackSenders } from '../../../../src/chain/import/senders.ts'
import { networkByName } from '../../../../src/config/networks/byName.ts'
import { fromHex } from '../../../../src/util/bytes.ts'
import { readText } from '../../../support/jsonLines.ts'
import { readVectorLines, vectorPath } from '../../../support/vectors.ts'

const spec = networkByName('regtest')
const recorded = readVectorLines<{ rlp?: string }>('rpc/chain-main.jsonl').flatMap(({ rlp }) => rlp ?? [])

/** The bytes in pieces of a length that never fits. */
function pieces(bytes: Buffer, length: number): AsyncIterable<Buffer> {
  const parts: Buffer[] = []
  for (let start = 0; start < bytes.length; start += length) parts.push(bytes.subarray(start, start + length))
  return Readable.from(parts)
}

async function collect(source: BlockSource): Promise<{ rlp: string; position: number; offset: number }[]> {
  const blocks: { rlp: string; position: number; offset: number }[] = []
  for await (const { rlp, position, offset } of source)
    blocks.push({ rlp: `0x${rlp.toString('hex')}`, position, offset })
  return blocks
}

const concatenated = Buffer.concat(recorded.map(fromHex))
const exported = Buffer.from(
  `height,hash\n${recorded.map((rlp, index) => `${index},00,01,${rlp.slice(2)}`).join('\n')}\n`,
)
const jsonLines = Buffer.from(
  `{"config":1}\n\n${recorded.map((rlp) => JSON.stringify({ rlp, main: true })).join('\r\n')}\n{"rlp":"0xc0","inStore":false}`,
)

for (const length of [7, 1000, 1 << 20]) {
  t.test(`every format gives the same blocks from pieces of ${length} bytes`, async (t) => {
    const fromRlp = await collect(readRlpFile(pieces(concatenated, length)))
    const fromExport = await collect(readReferenceExport(pieces(exported, length)))
    const fromLines = await collect(readJsonLines(pieces(jsonLines, length)))
    for (const found of [fromRlp, fromExport, fromLines])
      t.same(
        found.map((block) => block.rlp),
        recorded,
      )
    t.equal(fromRlp.at(-1)?.offset, concatenated.length)
    t.equal(fromExport.at(-1)?.offset, exported.length)
    t.equal(fromLines[0]?.position, 3, 'lines are counted with those that hold no block')
  })
}

t.test('what is no block names its place', async (t) => {
  await t.rejects(collect(readJsonLines(pieces(Buffer.from('{"rlp":"0xc0"}\n{"rlp":"0xc"}'), 10))), {
    code: 'IMPORT_SOURCE',
    position: 2,
  })
  await t.rejects(collect(readJsonLines(pieces(Buffer.from('nothing'), 10))), BlockSourceError)
  await t.rejects(collect(readReferenceExport(pieces(Buffer.from('1,00,01,zz'), 10))), {
    code: 'IMPORT_SOURCE',
    position: 1,
  })
  await t.rejects(collect(readRlpFile(pieces(Buffer.from('c1', 'hex'), 10))), {
    position: 1,
    message: /ends inside/,
  })
  await t.rejects(collect(readRlpFile(pieces(Buffer.from('c001', 'hex'), 10))), {
    code: 'IMPORT_SOURCE',
    position: 2,
  })
  await t.rejects(collect(readRlpFile(pieces(Buffer.from('fb8000000000', 'hex'), 10))), BlockSourceError)
})

t.test('the first byte tells the format', async (t) => {
  const folder = t.testdir({
    lines: '{"rlp":"0xc0"}\n',
    rlp: Buffer.from('c0c0', 'hex'),
    export: '1,aa,01,c0\n',
    empty: '',
    text: 'x',
  })
  const formats = { lines: 'json-lines', rlp: 'rlp', export: 'reference-export' }
  for (const [name, format] of Object.entries(formats)) {
    const file = await openBlockFile(`${folder}/${name}`)
    t.equal(file.format, format)
    t.ok((await collect(file.blocks)).length > 0)
  }
  await t.rejects(openBlockFile(`${folder}/empty`), BlockSourceError)
  await t.rejects(openBlockFile(`${folder}/text`), BlockSourceError)
})

t.test('compressed files are read like plain ones', async (t) => {
  const plain = Buffer.from(readText(vectorPath('rpc/chain-main.jsonl')))
  const zstd = readFileSync(new URL('../../../vectors/recorded/rpc/chain-main.jsonl.zst', import.meta.url))
  const folder = t.testdir({
    'zstd.jsonl': zstd,
    'gzip.jsonl': gzipSync(plain),
    'brotli.br': brotliCompressSync(plain),
    'rlp.gz': gzipSync(concatenated),
    'cut.jsonl': zstd.subarray(0, zstd.length - 10),
    'cut.gz': gzipSync(plain).subarray(0, 20_000),
    'empty.gz': gzipSync(''),
  })
  for (const name of ['zstd.jsonl', 'gzip.jsonl', 'brotli.br', 'rlp.gz']) {
    const file = await openBlockFile(`${folder}/${name}`)
    t.equal(file.format, name === 'rlp.gz' ? 'rlp' : 'json-lines')
    const blocks = await collect(file.blocks)
    t.same(
      blocks.map(({ rlp }) => rlp),
      recorded,
      name,
    )
    t.ok(
      blocks.every(({ offset }) => offset > 0 && offset <= file.bytes),
      'progress is told in bytes of the compressed file',
    )
    t.equal(blocks.at(-1)?.offset, file.bytes)
  }
  for (const name of ['cut.jsonl', 'cut.gz']) {
    const reading = async () => collect((await openBlockFile(`${folder}/${name}`)).blocks)
    await t.rejects(reading(), { code: 'IMPORT_SOURCE', message: /cannot be decompressed/ }, name)
  }
  await t.rejects(openBlockFile(`${folder}/empty.gz`), { code: 'IMPORT_SOURCE', message: /is empty/ })
})

t.test('the reading thread gives the blocks in batches, with the senders of the unknown ones', async (t) => {
  const found: string[] = []
  const path = vectorPath('rpc/chain-main.jsonl')
  for await (const message of readBlockFile({ path, spec, knownHeight: 3, batchBlocks: 16 })) {
    if (message.kind === 'opened') continue
    const blocks = unpackBlocks(message)
    t.ok(blocks.length <= 16)
    for (const { rlp, senders } of blocks) {
      found.push(`0x${rlp.toString('hex')}`)
      const block = parseBlockUnchecked(spec, rlp)
      t.equal(senders !== null, block.number > 3)
      if (senders === null) continue
      const recovered = block.senders
      const bodies = block.encodedBody
      const hashes = block.transactions.map(({ hash }) => hash)
      const other = parseBlockUnchecked(spec, rlp)
      unpackSenders(other, senders)
      t.same(other.senders, recovered)
      t.same(
        other.transactions.map(({ hash }) => hash),
        hashes,
      )
      t.same(other.encodedBody, bodies)
    }
  }
  t.same(found, recorded)
})

t.test('transactions that are written otherwise than they were read have their own hashes', async (t) => {
  const rlp = Buffer.from(recorded[5]?.slice(2) ?? '', 'hex')
  const { header, transactions } = parseBlockUnchecked(spec, rlp)
  const [sent, reward] = [transactions.at(0), transactions.at(-1)]
  if (sent === undefined || reward === undefined) throw new Error('no transactions in block 6')
  const items = parseRLPList(sent.encoded).map(({ bytes }) => bytes)
  // A value of zero as a byte, which is written as nothing.
  const zero = encodeStrings(items.with(4, Buffer.from([0])))
  const written = encodeList([
    header.encodedFull,
    encodeList([zero, sent.encoded, reward.encoded]),
    encodeList([]),
  ])
  const [read, other, plain] = [1, 2, 3].map(() => parseBlockUnchecked(spec, written))
  if (read === undefined || other === undefined || plain === undefined) throw new Error('no blocks')
  t.same(
    read.transactions.map(({ isAsRead }) => isAsRead),
    [false, true, true],
  )
  unpackSenders(other, packSenders(read))
  for (const [index, { hash, encoded }] of plain.transactions.entries()) {
    t.same(other.transactions[index]?.hash, hash)
    t.same(other.transactions[index]?.encoded, encoded)
  }
  t.notSame(other.transactions[0]?.encoded, zero)
})

t.test('a file that is not there is an error of the caller', async (t) => {
  const reading = readBlockFile({ path: '/nonexistent', spec, knownHeight: 0, batchBlocks: 1 })
  await t.rejects(reading.next(), { code: 'ENOENT' })
})
