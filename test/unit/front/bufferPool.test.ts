import fc from 'fast-check'
import t from 'tap'
import { BufferPool } from '../../../src/front/bufferPool.ts'

t.test('no block is given out twice, and what a burst took is freed', (t) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -600, max: 600 }), { maxLength: 12 }), (steps) => {
      const pool = new BufferPool(16)
      const out: Buffer[] = []
      for (const step of steps) {
        for (let i = 0; i < step; i += 1) {
          const block = pool.take()
          block.writeUInt32BE(out.length)
          out.push(block)
        }
        if (step < 0) for (const block of out.splice(out.length + step)) pool.giveBack(block.subarray(0, 3))
        if (!out.every((block, place) => block.readUInt32BE() === place)) return false
      }
      for (const block of out) pool.giveBack(block)
      return pool.reserved <= 528 * 16
    }),
    { numRuns: 30 },
  )
  t.end()
})
