import fc from 'fast-check'
import t from 'tap'
import {
  bigIntToBytes,
  bigIntToFixedBytes,
  bigIntToSignedBytes,
  bytesToBigInt,
  fromHex,
  signedBytesToBigInt,
  toHex,
} from '../../../src/util/bytes.ts'

t.test('unsigned numbers are minimal and come back', (t) => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 300n }), (value) => {
      const bytes = bigIntToBytes(value)
      return bytesToBigInt(bytes) === value && bytes[0] !== 0
    }),
  )
  t.equal(bigIntToBytes(0n).length, 0)
  t.throws(() => bigIntToBytes(-1n), RangeError)
  t.end()
})

t.test('signed numbers are minimal and come back', (t) => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 300n), max: 2n ** 300n }), (value) => {
      const bytes = bigIntToSignedBytes(value)
      const shorter = bytes.length > 1 && signedBytesToBigInt(bytes.subarray(1)) === value
      return signedBytesToBigInt(bytes) === value && !shorter
    }),
  )
  const cases = {
    '0': '00',
    '127': '7f',
    '128': '0080',
    '255': '00ff',
    '-1': 'ff',
    '-128': '80',
    '-129': 'ff7f',
  }
  for (const [value, hex] of Object.entries(cases))
    t.equal(bigIntToSignedBytes(BigInt(value)).toString('hex'), hex)
  t.end()
})

t.test('fixed lengths are padded in front, and refused when they are too short', (t) => {
  t.equal(bigIntToFixedBytes(258n, 4).toString('hex'), '00000102')
  t.throws(() => bigIntToFixedBytes(256n, 1), RangeError)
  t.end()
})

t.test('hex has an even number of hex digits', (t) => {
  t.equal(toHex(fromHex('0x00ff')), '0x00ff')
  t.equal(fromHex('').length, 0)
  t.throws(() => fromHex('0x0'), RangeError)
  t.throws(() => fromHex('0xzz'), RangeError)
  t.end()
})
