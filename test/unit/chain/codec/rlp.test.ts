import fc from 'fast-check'
import t from 'tap'
import {
  itemAt,
  parseRLPList,
  RlpError,
  RlpItem,
  readRlpItems,
  rlpItemLength,
} from '../../../../src/chain/codec/rlpReader.ts'
import {
  encodeByte,
  encodeBytes,
  encodeEdges,
  encodeList,
  encodeStrings,
  encodeUnsigned,
  nonEmptyAmount,
  parseEdges,
  signedAmount,
} from '../../../../src/chain/codec/rlpWriter.ts'

type Tree = Uint8Array | readonly Tree[]

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof({ maxDepth: 4 }, fc.uint8Array({ maxLength: 80 }), fc.array(tie('tree'), { maxLength: 5 })),
}))

t.test('what is written is read', (t) => {
  fc.assert(
    fc.property(tree, (value) => {
      const encoded = write(value)
      const [item, ...rest] = readRlpItems(encoded)
      return (
        rest.length === 0 &&
        item !== undefined &&
        write(read(item)).equals(encoded) &&
        rlpItemLength(encoded, 0) === encoded.length
      )
    }),
  )
  t.end()
})

t.test('no bytes make the reader fail otherwise than by its error', (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      try {
        readRlpItems(bytes).forEach(read)
        return true
      } catch (error) {
        return error instanceof RlpError
      }
    }),
    { numRuns: 2000 },
  )
  t.end()
})

t.test('non-minimal forms are accepted (consensus.md §0.2)', (t) => {
  // The last length has five bytes, of which the reference keeps the lower four.
  for (const hex of ['8105', 'b80105', 'b9000105', 'bc000000000105', 'bc010000000105']) {
    t.equal(itemAt(readRlpItems(Buffer.from(hex, 'hex')), 0).bytes.toString('hex'), '05', hex)
  }
  t.equal(parseRLPList(Buffer.from('f80105', 'hex')).length, 1)
  t.end()
})

t.test('a list in the place of a string is taken with its head', (t) => {
  const [item] = parseRLPList(Buffer.from('c2c105', 'hex'))
  t.equal(item?.bytes.toString('hex'), 'c105')
  t.end()
})

t.test('bytes that end too early, or hold more than the one list asked for, are refused', (t) => {
  for (const hex of ['8205', 'c205', 'b8', 'bfffffffffffffffff', 'ff80000000', 'f900']) {
    t.throws(() => readRlpItems(Buffer.from(hex, 'hex')), RlpError, hex)
  }
  for (const hex of ['', '05', 'c0c0']) t.throws(() => parseRLPList(Buffer.from(hex, 'hex')), RlpError, hex)
  t.throws(() => itemAt([], 0), RlpError)
  t.end()
})

t.test('what nobody looks at is not parsed', (t) => {
  const items = parseRLPList(Buffer.from('c3c28205', 'hex').fill(0xc2, 1, 2))
  t.equal(items.length, 1)
  t.throws(() => itemAt(items, 0).items, RlpError)
  t.end()
})

t.test('elements beyond those of a list that has so many are counted, not read', (t) => {
  const of = (hex: string) => itemAt(readRlpItems(Buffer.from(hex, 'hex')), 0)
  const list = of('c3050607')
  const items = list.itemsOf(3)
  t.same(typeof items === 'number' ? items : items.map(({ bytes }) => [...bytes]), [[5], [6], [7]])
  t.equal(list.items, items, 'read once')
  t.equal(list.itemsOf(2), 3)
  for (const [count, found] of [
    [2, 3],
    [4, 3],
    [0, 3],
  ] as const)
    t.equal(of('c3050607').itemsOf(count), found)
  t.same(of('c0').itemsOf(0), [])
  t.throws(() => of('c3058205').itemsOf(1), { name: 'RlpError', fault: 'overrun' }, 'one that ends too late')
  t.throws(() => of('83050607').itemsOf(3), RlpError, 'a string')
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(12), (bytes, count) => {
      const result = (read: (item: RlpItem) => number) => {
        try {
          return read(new RlpItem(Buffer.from(bytes), true, 0))
        } catch (error) {
          return String(error)
        }
      }
      const counted = result((item) => {
        const found = item.itemsOf(count)
        return typeof found === 'number' ? found : found.length
      })
      return counted === result(({ items }) => items.length)
    }),
    { numRuns: 2000 },
  )
  t.end()
})

t.test('writers differ in how they write zero (consensus.md §0.1)', (t) => {
  t.equal(encodeUnsigned(0n).toString('hex'), '80')
  const amounts = [nonEmptyAmount(0n), signedAmount(0n), signedAmount(null)]
  t.equal(encodeStrings(amounts).toString('hex'), 'c3000080')
  t.equal(encodeStrings([signedAmount(550_000_000n)]).toString('hex'), 'c58420c85580')
  t.equal(encodeStrings([signedAmount(128n)]).toString('hex'), 'c3820080')
  t.equal(encodeByte(0).toString('hex'), '80')
  t.equal(encodeByte(-3).toString('hex'), '81fd')
  t.equal(encodeBytes(null).toString('hex'), '80')
  t.equal(encodeBytes(Buffer.from([0])).toString('hex'), '00')
  t.end()
})

t.test('a list of strings is the list of their encodings', (t) => {
  const string = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.bigInt({ min: 0n, max: 2n ** 256n }),
    fc.nat(),
    fc.constant(null),
  )
  fc.assert(
    fc.property(fc.array(string, { maxLength: 20 }), (strings) => {
      const elements = strings.map((value) =>
        value === null || typeof value === 'object' ? encodeBytes(value) : encodeUnsigned(value),
      )
      return encodeStrings(strings).equals(encodeList(elements))
    }),
  )
  t.equal(
    encodeStrings([Buffer.alloc(70_000)])
      .subarray(0, 8)
      .toString('hex'),
    'fa011174ba011170',
  )
  t.throws(() => encodeStrings([-1]), RangeError)
  t.end()
})

t.test('edges are little-endian and signed', (t) => {
  t.equal(encodeEdges([1, 40000]).toString('hex'), '840100409c')
  t.same(parseEdges(Buffer.from('0100409cff', 'hex')), [1, 40000 - 65536])
  t.equal(encodeEdges([]).toString('hex'), '80')
  t.end()
})

function write(value: Tree): Buffer {
  return value instanceof Uint8Array ? encodeBytes(value) : encodeList(value.map(write))
}

function read(item: RlpItem): Tree {
  return item.isList ? item.items.map(read) : item.bytes
}
